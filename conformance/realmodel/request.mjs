// What a request may hold. A parameter that this server would have to ignore
// is refused: a 200 that dropped something proves nothing to a test.

import { invalid, unsupported } from "./errors.mjs";
import { toGrammar } from "./grammar.mjs";

const known = new Set(["model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop",
  "response_format", "n", "stream", "user", "metadata", "store"]);
const roles = new Set(["system", "developer", "user", "assistant"]);
const maxStops = 4; // OpenAI's own bound

/**
 * parseRequest checks the body of a chat completion and names what is wrong
 * with it in an ApiError. maxTokens is undefined where the request leaves it
 * open; temperature is 1 and topP is 1 where it says nothing, as at OpenAI.
 */
export function parseRequest(body) {
  if (!isObject(body)) throw invalid(null, "The body must be a JSON object.");
  for (const name of Object.keys(body)) {
    if (!known.has(name)) throw invalid(name, `Unrecognized request argument supplied: ${name}`, "unknown_parameter");
  }
  if (typeof body.model !== "string") throw invalid("model", "you must provide a model parameter");
  if (body.stream) throw unsupported("stream", "This server does not stream.");
  if ((body.n ?? 1) !== 1) throw unsupported("n", "This server makes one choice.");
  return {
    model: body.model,
    messages: messages(body.messages),
    maxTokens: integer(body, "max_completion_tokens", 1, 2 ** 31) ?? integer(body, "max_tokens", 1, 2 ** 31),
    temperature: number(body, "temperature", 2) ?? 1,
    topP: number(body, "top_p", 1) ?? 1,
    seed: integer(body, "seed", -(2 ** 53), 2 ** 53),
    stop: stops(body.stop),
    grammar: format(body.response_format),
  };
}

/** messages checks a list of messages and returns it as {role, content} with content as text. */
export function messages(list) {
  if (!Array.isArray(list) || list.length === 0) throw invalid("messages", "messages must be a list with at least one message.");
  return list.map((m, i) => {
    const at = `messages[${i}]`;
    if (!isObject(m) || !roles.has(m.role)) throw invalid(`${at}.role`, "A role is one of system, developer, user, assistant.");
    return { role: m.role === "developer" ? "system" : m.role, content: content(m.content, at) };
  });
}

function content(c, at) {
  if (typeof c === "string") return c;
  if (!Array.isArray(c)) throw invalid(`${at}.content`, "The content must be text or a list of text parts.");
  return c.map((part) => {
    if (part?.type !== "text" || typeof part.text !== "string") throw unsupported(`${at}.content`, "This server reads text only.");
    return part.text;
  }).join("");
}

function stops(stop) {
  if (stop === undefined || stop === null) return [];
  const list = Array.isArray(stop) ? stop : [stop];
  if (list.length > maxStops || list.some((s) => typeof s !== "string" || s === "")) {
    throw invalid("stop", `stop must be a text, or up to ${maxStops} of them.`);
  }
  return list;
}

function format(f) {
  if (f === undefined || f === null || f.type === "text") return undefined;
  if (f.type !== "json_schema") throw unsupported("response_format.type", "This server knows the formats text and json_schema.");
  if (!isObject(f.json_schema?.schema)) throw invalid("response_format.json_schema.schema", "The schema is missing.");
  return toGrammar(f.json_schema.schema, "response_format.json_schema.schema");
}

function integer(body, name, low, high) {
  const v = body[name] ?? undefined;
  if (v !== undefined && !(Number.isInteger(v) && v >= low && v <= high)) throw invalid(name, `${name} must be an integer from ${low} to ${high}.`);
  return v;
}

function number(body, name, high) {
  const v = body[name] ?? undefined;
  if (v !== undefined && !(typeof v === "number" && v >= 0 && v <= high)) throw invalid(name, `${name} must be a number from 0 to ${high}.`);
  return v;
}

const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
