"""Writes GGUF files (version 3, github.com/ggml-org/ggml/blob/master/docs/gguf.md): metadata, then 32-bit tensors."""

import struct

ALIGN = 32
CHATML = ("{% for m in messages %}{{'<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
          "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


def byte_tokens():
    """The 256 characters by which byte-level BPE writes bytes (GPT-2's table), in its order, and byte to character."""
    order = [*range(33, 127), *range(161, 173), *range(174, 256)]
    chars = order[:]
    for byte in range(256):
        if byte not in order:
            chars.append(256 + len(order) - 188)
            order.append(byte)
    table = dict(zip(order, map(chr, chars)))
    return [table[byte] for byte in range(256)], table


class Writer:
    def __init__(self):
        self.metadata, self.tensors = [], []

    def _pair(self, key, kind, value):
        self.metadata.append(_string(key) + struct.pack("<I", kind) + value)

    def text(self, key, value):
        self._pair(key, 8, _string(value))

    def integer(self, key, value):
        self._pair(key, 4, struct.pack("<I", value))

    def real(self, key, value):
        self._pair(key, 6, struct.pack("<f", value))

    def boolean(self, key, value):
        self._pair(key, 7, struct.pack("<?", value))

    def texts(self, key, values):
        self._pair(key, 9, struct.pack("<IQ", 8, len(values)) + b"".join(map(_string, values)))

    def integers(self, key, values):
        self._pair(key, 9, struct.pack("<IQ", 5, len(values)) + b"".join(struct.pack("<i", v) for v in values))

    def tensor(self, name, shape, floats):
        self.tensors.append((name, shape, floats.tobytes()))

    def llama(self, *, name, licence, vocabulary, context, width, layers, heads, feed_forward):
        """What llama.cpp wants to know of a model of the llama architecture."""
        self.text("general.architecture", "llama")
        self.text("general.name", name)
        self.integer("general.file_type", 0)
        self.text("general.license", licence)
        self.integer("llama.vocab_size", vocabulary)
        self.integer("llama.context_length", context)
        self.integer("llama.embedding_length", width)
        self.integer("llama.block_count", layers)
        self.integer("llama.feed_forward_length", feed_forward)
        self.integer("llama.attention.head_count", heads)
        self.integer("llama.attention.head_count_kv", heads)
        self.real("llama.attention.layer_norm_rms_epsilon", 1e-5)
        self.integer("llama.rope.dimension_count", width // heads)

    def tokenizer(self, tokens, types, merges, *, bos, eos):
        self.text("tokenizer.ggml.model", "gpt2")
        self.text("tokenizer.ggml.pre", "gpt-2")
        self.texts("tokenizer.ggml.tokens", tokens)
        self.integers("tokenizer.ggml.token_type", types)
        self.texts("tokenizer.ggml.merges", merges)
        self.integer("tokenizer.ggml.bos_token_id", bos)
        self.integer("tokenizer.ggml.eos_token_id", eos)
        self.boolean("tokenizer.ggml.add_bos_token", False)
        self.text("tokenizer.chat_template", CHATML)

    def write(self, path):
        infos, offset = b"", 0
        for name, shape, data in self.tensors:
            infos += _string(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<IQ", 0, offset)
            offset += len(data) + -len(data) % ALIGN
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.metadata)) + b"".join(self.metadata) + infos
        with open(path, "wb") as f:
            f.write(_padded(head))
            for _, _, data in self.tensors:
                f.write(_padded(data))


def _string(s):
    b = s.encode()
    return struct.pack("<Q", len(b)) + b


def _padded(b):
    return b + b"\0" * (-len(b) % ALIGN)
