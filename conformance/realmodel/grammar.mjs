// From a JSON Schema to a GBNF grammar of llama.cpp
// (github.com/ggml-org/llama.cpp/blob/master/grammars/README.md). Answers come
// without white space, with the properties in the schema's own order. What the
// grammar can't enforce is refused, as OpenAI's strict mode does: every object
// is closed and all its properties are required.

import { invalid } from "./errors.mjs";

const primitives = `
string ::= "\\"" char* "\\""
char ::= [^"\\\\\\x00-\\x1F\\x7F] | "\\\\" ["\\\\nrt]
integer ::= "-"? ("0" | [1-9] [0-9]{0,14})
number ::= integer ("." [0-9]{1,9})?
boolean ::= "true" | "false"
null ::= "null"
`;

const annotations = ["$schema", "title", "description"];
const maxDepth = 32;

/** toGrammar returns the grammar of the schema's answers. The ApiError names the place in param. */
export function toGrammar(schema, param) {
  return `root ::= ${rule(schema, param, 0)}\n${primitives}`;
}

function rule(s, at, depth) {
  if (typeof s !== "object" || s === null || Array.isArray(s)) throw invalid(at, "A schema must be an object.");
  if (depth > maxDepth) throw invalid(at, `The schema has more than ${maxDepth} levels.`);
  if (s.enum !== undefined) return only(s, at, ["enum", "type"]) && choices(s, at);
  if (s.const !== undefined) return only(s, at, ["const", "type"]) && literal(JSON.stringify(s.const));
  if (s.anyOf !== undefined) return only(s, at, ["anyOf"]) && either(list(s.anyOf, `${at}.anyOf`).map((o, i) => rule(o, `${at}.anyOf[${i}]`, depth + 1)));
  if (Array.isArray(s.type)) return either(list(s.type, `${at}.type`).map((type) => rule({ ...s, type }, at, depth + 1)));
  switch (s.type) {
    case "string": case "integer": case "number": case "boolean": case "null":
      return only(s, at, ["type"]) && s.type;
    case "array":
      return only(s, at, ["type", "items"]) && items(rule(s.items, `${at}.items`, depth + 1));
    case "object":
      return only(s, at, ["type", "properties", "required", "additionalProperties"]) && object(s, at, depth);
  }
  throw invalid(at, "The schema needs a type, enum, const or anyOf.");
}

function object(s, at, depth) {
  const names = Object.keys(s.properties ?? {});
  if (s.additionalProperties !== false) throw invalid(at, "additionalProperties must be false.");
  if (names.some((n) => !s.required?.includes(n)) || s.required?.some((n) => !names.includes(n))) {
    throw invalid(at, "required must name every property, and nothing else.");
  }
  const members = names.map((n) => `${literal(JSON.stringify(n) + ":")} ${rule(s.properties[n], `${at}.properties.${n}`, depth + 1)}`);
  return `"{" ${members.join(` "," `)} "}"`;
}

function choices(s, at) {
  return either(list(s.enum, `${at}.enum`).map((v) => literal(JSON.stringify(v))));
}

function list(v, at) {
  if (!Array.isArray(v) || v.length === 0) throw invalid(at, "The list must have an entry.");
  return v;
}

const items = (item) => `"[" (${item} ("," ${item})*)? "]"`;

const either = (options) => `(${options.join(" | ")})`;

// A literal of GBNF escapes as JSON does, as far as this text can hold escapes:
// quotes and backslashes.
const literal = (text) => `"${text.replace(/["\\]/g, "\\$&")}"`;

function only(s, at, names) {
  const other = Object.keys(s).find((n) => !names.includes(n) && !annotations.includes(n));
  if (other !== undefined) throw invalid(at, `This server can't enforce the keyword "${other}".`, "unsupported_schema");
  return true;
}
