// One GGUF in llama.cpp: rendering, counting, and drawing one answer at a time.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getLlama, LlamaGrammarEvaluationState, LlamaLogLevel } from "node-llama-cpp";
import { tooLong } from "./errors.mjs";

// The models' own chat template. Another one is refused: a template that is
// guessed makes a model look stupid.
const chatML = "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/** loadModel reads a GGUF and makes it ready, on one thread of the CPU. Nothing is compiled or fetched. */
export async function loadModel(path) {
  const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: LlamaLogLevel.warn, logger: (_, m) => console.error(m) });
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  if (model.fileInfo.metadata.tokenizer.chat_template !== chatML) throw new Error("the model has another chat template than ChatML");
  const context = await model.createContext({ contextSize: model.trainContextSize, sequences: 1, threads: 1 });
  const digest = createHash("sha256").update(await readFile(path)).digest("hex");
  return new Model(llama, model, context, digest);
}

class Model {
  constructor(llama, model, context, digest) {
    Object.assign(this, { llama, model, context, digest });
    this.sequence = context.getSequence();
  }

  /** fingerprint tells these weights from any others. */
  get fingerprint() { return `fp_${this.digest.slice(0, 10)}`; }

  /** render returns the prompt as text, for people to read. */
  render(messages) {
    return messages.map((m) => `<|im_start|>${m.role}\n${m.content}<|im_end|>\n`).join("") + "<|im_start|>assistant\n";
  }

  /** tokenize never reads text as a special token: who writes <|im_end|> in a ticket ends nothing. */
  tokenize(text) { return this.model.tokenize(text, false); }

  prompt(messages) {
    const special = (text) => this.model.tokenize(text, true);
    return [
      ...messages.flatMap((m) => [...special("<|im_start|>"), ...this.tokenize(`${m.role}\n${m.content}`), ...special("<|im_end|>"), ...this.tokenize("\n")]),
      ...special("<|im_start|>"), ...this.tokenize("assistant\n"),
    ];
  }

  /**
   * complete draws one answer. Calls must not overlap. The counts are those of
   * the tokens that went in and that were drawn, the one that ends the answer
   * included. It throws an ApiError, or the signal's reason.
   */
  async complete(request, signal) {
    const prompt = this.prompt(request.messages);
    const room = this.context.contextSize - prompt.length;
    if ((request.maxTokens ?? 1) > room) throw tooLong(this.context.contextSize, prompt.length, request.maxTokens ?? 1);
    const answer = await this.draw(prompt, request, Math.min(request.maxTokens ?? room, room), signal);
    return { ...answer, promptTokens: prompt.length };
  }

  async draw(prompt, request, limit, signal) {
    const options = { ...await this.sampling(request), yieldEogToken: true };
    await this.sequence.clearHistory();
    const drawn = [];
    let text = "";
    for await (const token of this.sequence.evaluate(prompt, options)) {
      signal.throwIfAborted();
      if (this.model.isEogToken(token)) return { text: this.text(drawn), completionTokens: drawn.length + 1, finish: "stop" };
      drawn.push(token);
      if (request.stop.length > 0) {
        const end = firstOf(text = this.text(drawn), request.stop);
        if (end >= 0) return { text: text.slice(0, end), completionTokens: drawn.length, finish: "stop" };
      }
      if (drawn.length >= limit) break;
    }
    return { text: this.text(drawn), completionTokens: drawn.length, finish: "length" };
  }

  text(tokens) { return this.model.detokenize(tokens, false); }

  async sampling({ temperature, topP, seed, grammar }) {
    const options = { temperature, topP, topK: 0, minP: 0, repeatPenalty: false };
    if (seed !== undefined) options.seed = seed;
    if (grammar === undefined) return options;
    const compiled = await this.llama.createGrammar({ grammar });
    return { ...options, grammarEvaluationState: new LlamaGrammarEvaluationState({ model: this.model, grammar: compiled }) };
  }

  async dispose() { await this.llama.dispose(); }
}

/** firstOf returns where the first of the texts begins, -1 if none is there. */
function firstOf(text, stops) {
  const places = stops.map((s) => text.indexOf(s)).filter((i) => i >= 0);
  return places.length > 0 ? Math.min(...places) : -1;
}
