"""Writes random.gguf: random weights under a byte-level tokenizer. Under a grammar its answers are always in form and
never mean anything. The same file each time.

usage: python3 make_random.py OUT.gguf
"""

import random
import sys
from array import array

from gguf import Writer, byte_tokens

WIDTH, LAYERS, HEADS, CONTEXT = 64, 2, 4, 4096
FEED_FORWARD = 2 * WIDTH
NORMAL, SPECIAL = 1, 3  # llama.cpp's token types

random.seed(7)
tokens, table = byte_tokens()
merges = []
space = table[32]
for a, b in ((space, "t"), ("h", "e"), ("i", "n"), (space, "a")):
    merges.append(f"{a} {b}")
    tokens.append(a + b)
types = [NORMAL] * len(tokens)
for mark in ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"):
    tokens.append(mark)
    types.append(SPECIAL)

w = Writer()
w.llama(name="tiny-random", licence="CC0-1.0", vocabulary=len(tokens), context=CONTEXT, width=WIDTH, layers=LAYERS, heads=HEADS, feed_forward=FEED_FORWARD)
w.tokenizer(tokens, types, merges, bos=tokens.index("<|endoftext|>"), eos=tokens.index("<|im_end|>"))


def noise(name, *shape, spread):
    size = 1
    for n in shape:
        size *= n
    w.tensor(name, shape, array("f", (random.gauss(0, spread) for _ in range(size))))


def ones(name):
    w.tensor(name, [WIDTH], array("f", [1.0] * WIDTH))


noise("token_embd.weight", WIDTH, len(tokens), spread=0.5)
for i in range(LAYERS):
    block = f"blk.{i}."
    ones(block + "attn_norm.weight")
    ones(block + "ffn_norm.weight")
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        noise(f"{block}{part}.weight", WIDTH, WIDTH, spread=0.12)
    noise(block + "ffn_gate.weight", WIDTH, FEED_FORWARD, spread=0.12)
    noise(block + "ffn_up.weight", WIDTH, FEED_FORWARD, spread=0.12)
    noise(block + "ffn_down.weight", FEED_FORWARD, WIDTH, spread=0.12)
ones("output_norm.weight")
noise("output.weight", WIDTH, len(tokens), spread=0.3)
w.write(sys.argv[1])
