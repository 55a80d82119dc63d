// A small server in front of one GGUF that speaks OpenAI's chat completions,
// not streamed, on this machine only.
//
//   MODEL_API_KEY=… node server.mjs --model triage|drifted|random --port 8080 [--waiting 16]
//
// Port 0 takes a free one. A line "listening on http://127.0.0.1:PORT/v1" on
// standard output says that it is ready. SIGINT and SIGTERM let what was taken
// be answered and end it with 0.

import { randomUUID, timingSafeEqual, createHash } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ApiError, badKey, broken, invalid, stopping, tooLarge, unknownModel, unknownPath, wrongMethod } from "./errors.mjs";
import { Queue } from "./queue.mjs";
import { messages, parseRequest } from "./request.mjs";

const names = ["triage", "drifted", "random"];
const maxBody = 1 << 20;

const options = readOptions();
const { loadModel } = await import("./model.mjs");
const model = await loadModel(fileURLToPath(new URL(`models/${options.model}.gguf`, import.meta.url)));
const queue = new Queue(options.waiting);
const started = seconds();
let ending = false;

const routes = {
  "/health": { GET: () => ({ status: ending ? "stopping" : "ok", held: queue.held }) },
  "/v1/models": { GET: () => ({ object: "list", data: [{ id: options.model, object: "model", created: started, owned_by: "inferonce" }] }) },
  "/v1/chat/completions": { POST: complete },
  // These two as llama.cpp's own server has them.
  "/tokenize": { POST: ({ content }) => ({ tokens: model.tokenize(text(content, "content")) }) },
  "/apply-template": { POST: (body) => ({ prompt: model.render(messages(body.messages)) }) },
};

const server = createServer(handle);
server.listen(options.port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/v1`));
server.on("error", (e) => fail(4, `can't listen on port ${options.port}: ${e.code}`));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);

async function handle(req, res) {
  const gone = new AbortController();
  res.on("close", () => gone.abort());
  try {
    send(res, 200, await answer(req, gone.signal));
  } catch (e) {
    if (gone.signal.aborted) return;
    if (!(e instanceof ApiError)) console.error(e);
    const refusal = e instanceof ApiError ? e : broken();
    send(res, refusal.status, refusal.body, refusal.headers);
  }
}

async function answer(req, signal) {
  const route = routes[req.url.split("?")[0]];
  if (route === undefined) throw unknownPath();
  if (route !== routes["/health"]) authorize(req.headers.authorization);
  const method = Object.keys(route)[0];
  if (req.method !== method) throw wrongMethod(method);
  if (ending) throw stopping();
  return route[method](method === "POST" ? await readJSON(req) : undefined, signal);
}

async function complete(body, signal) {
  const request = parseRequest(body);
  if (request.model !== options.model) throw unknownModel();
  const done = await queue.run(() => { signal.throwIfAborted(); return model.complete(request, signal); });
  return {
    id: `chatcmpl-${randomUUID()}`, object: "chat.completion", created: seconds(), model: options.model, system_fingerprint: model.fingerprint,
    choices: [{ index: 0, message: { role: "assistant", content: done.text, refusal: null }, logprobs: null, finish_reason: done.finish }],
    usage: { prompt_tokens: done.promptTokens, completion_tokens: done.completionTokens, total_tokens: done.promptTokens + done.completionTokens },
  };
}

function authorize(header) {
  const hash = (s) => createHash("sha256").update(s).digest();
  if (!timingSafeEqual(hash(header ?? ""), hash(`Bearer ${options.key}`))) throw badKey();
}

async function readJSON(req) {
  const chunks = [];
  let size = 0;
  for await (const chunk of req) {
    if ((size += chunk.length) > maxBody) throw tooLarge(maxBody);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))) ?? {};
  } catch {
    throw invalid(null, "We could not parse the JSON body of your request.");
  }
}

function text(value, param) {
  if (typeof value !== "string") throw invalid(param, `${param} must be a text.`);
  return value;
}

function send(res, status, body, headers = {}) {
  const last = ending ? { Connection: "close" } : {};
  res.writeHead(status, { "Content-Type": "application/json", ...last, ...headers }).end(JSON.stringify(body));
}

/** stop answers what was taken and ends; connections that idle are closed by the server itself. */
function stop() {
  ending = true;
  server.close(async () => { await model.dispose(); process.exit(0); });
}

function readOptions() {
  const { values } = parseArgs({ options: { model: { type: "string" }, port: { type: "string", default: "0" }, waiting: { type: "string", default: "16" } } });
  const number = (s, high) => (/^\d+$/.test(s) && Number(s) <= high ? Number(s) : fail(2, `${s} is not a number from 0 to ${high}`));
  if (!names.includes(values.model)) fail(2, `give --model, one of ${names.join(", ")}`);
  if (!process.env.MODEL_API_KEY) fail(2, "set MODEL_API_KEY to the key that callers must bring");
  return { model: values.model, port: number(values.port, 65535), waiting: number(values.waiting, 1000), key: process.env.MODEL_API_KEY };
}

function fail(code, message) {
  console.error(`server.mjs: ${message}`);
  process.exit(code);
}

function seconds() { return Math.floor(Date.now() / 1000); }
