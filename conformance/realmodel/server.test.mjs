// The parts that need no model. Run with: node --test conformance/realmodel

import assert from "node:assert/strict";
import { test } from "node:test";
import { toGrammar } from "./grammar.mjs";
import { Queue } from "./queue.mjs";
import { parseRequest } from "./request.mjs";

const root = (schema) => toGrammar(schema, "s").split("\n")[0];
const refusal = (status, param, code) => (e) => e.status === status && e.body.error.param === param && e.body.error.code === code;

test("a schema becomes a grammar without white space, in the schema's own order", () => {
  for (const [name, schema, want] of [
    ["a text", { type: "string" }, "root ::= string"],
    ["an enum with quotes and a backslash in it", { enum: ['a"b', "c\\d", 1, null] }, String.raw`root ::= ("\"a\\\"b\"" | "\"c\\\\d\"" | "1" | "null")`],
    ["a constant", { const: true }, 'root ::= "true"'],
    ["two types", { type: ["integer", "null"] }, "root ::= (integer | null)"],
    ["one of two schemas", { anyOf: [{ type: "boolean" }, { const: "x" }] }, String.raw`root ::= (boolean | "\"x\"")`],
    ["a list", { type: "array", items: { type: "number" } }, 'root ::= "[" (number ("," number)*)? "]"'],
    ["an object", { type: "object", properties: { b: { type: "string" }, a: { type: "null" } }, required: ["a", "b"], additionalProperties: false },
      String.raw`root ::= "{" "\"b\":" string "," "\"a\":" null "}"`],
    ["notes are no rules", { type: "string", title: "t", description: "d" }, "root ::= string"],
  ]) assert.equal(root(schema), want, name);
});

test("a schema that the grammar could not enforce is refused, with its place", () => {
  const open = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const deep = Array.from({ length: 40 }).reduce((items) => ({ type: "array", items }), { type: "null" });
  for (const [name, schema, param, code] of [
    ["an open object", open, "s", "invalid_value"],
    ["a property that may be missing", { ...open, additionalProperties: false, required: [] }, "s", "invalid_value"],
    ["a required property that is not there", { ...open, additionalProperties: false, required: ["a", "b"] }, "s", "invalid_value"],
    ["a pattern, deep down", { ...open, additionalProperties: false, properties: { a: { type: "string", pattern: "x" } } }, "s.properties.a", "unsupported_schema"],
    ["a bound of a number", { type: "integer", minimum: 1 }, "s", "unsupported_schema"],
    ["no type", {}, "s", "invalid_value"],
    ["no schema", true, "s", "invalid_value"],
    ["an empty enum", { enum: [] }, "s.enum", "invalid_value"],
    ["a list of anything", { type: "array" }, "s.items", "invalid_value"],
    ["41 levels", deep, "s" + ".items".repeat(33), "invalid_value"],
  ]) assert.throws(() => toGrammar(schema, "s"), refusal(400, param, code), name);
});

const sound = { model: "m", messages: [{ role: "user", content: "hi" }] };

test("a request says nothing: OpenAI's defaults", () => {
  assert.deepEqual(parseRequest(sound), { model: "m", messages: [{ role: "user", content: "hi" }], maxTokens: undefined, temperature: 1, topP: 1,
    seed: undefined, stop: [], grammar: undefined });
});

test("a request says everything", () => {
  const r = parseRequest({ model: "m", messages: [{ role: "developer", content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] }],
    max_tokens: 9, max_completion_tokens: 5, temperature: 0, top_p: 0.5, seed: 7, stop: "x", n: 1, stream: false, user: "u",
    response_format: { type: "json_schema", json_schema: { name: "n", strict: true, schema: { type: "null" } } } });
  assert.equal(r.grammar.split("\n")[0], "root ::= null");
  delete r.grammar;
  assert.deepEqual(r, { model: "m", messages: [{ role: "system", content: "ab" }], maxTokens: 5, temperature: 0, topP: 0.5, seed: 7, stop: ["x"] });
});

test("what the server would have to ignore or guess is refused", () => {
  for (const [name, change, param, code] of [
    ["an unknown parameter", { presence_penalty: 1 }, "presence_penalty", "unknown_parameter"],
    ["tools", { tools: [] }, "tools", "unknown_parameter"],
    ["a stream", { stream: true }, "stream", "unsupported_value"],
    ["two choices", { n: 2 }, "n", "unsupported_value"],
    ["no model", { model: undefined }, "model", "invalid_value"],
    ["no messages", { messages: [] }, "messages", "invalid_value"],
    ["a role that is none", { messages: [{ role: "tool", content: "x" }] }, "messages[0].role", "invalid_value"],
    ["a picture", { messages: [{ role: "user", content: [{ type: "image_url" }] }] }, "messages[0].content", "unsupported_value"],
    ["no content", { messages: [{ role: "user" }] }, "messages[0].content", "invalid_value"],
    ["a temperature above 2", { temperature: 2.1 }, "temperature", "invalid_value"],
    ["a temperature as text", { temperature: "0" }, "temperature", "invalid_value"],
    ["no tokens", { max_tokens: 0 }, "max_tokens", "invalid_value"],
    ["a broken seed", { seed: 1.5 }, "seed", "invalid_value"],
    ["five stops", { stop: ["a", "b", "c", "d", "e"] }, "stop", "invalid_value"],
    ["an empty stop", { stop: "" }, "stop", "invalid_value"],
    ["any JSON", { response_format: { type: "json_object" } }, "response_format.type", "unsupported_value"],
    ["no schema", { response_format: { type: "json_schema" } }, "response_format.json_schema.schema", "invalid_value"],
  ]) assert.throws(() => parseRequest({ ...sound, ...change }), refusal(400, param, code), name);
  for (const body of [null, [], "x", 1]) assert.throws(() => parseRequest(body), refusal(400, null, "invalid_value"));
});

test("jobs run one at a time and in order, and one beyond the bound is refused", async () => {
  const queue = new Queue(1);
  const order = [];
  let open;
  const first = queue.run(() => new Promise((resolve) => { open = resolve; order.push("first begins"); }).then(() => order.push("first ends")));
  const second = queue.run(async () => order.push("second"));
  assert.throws(() => queue.run(async () => order.push("third")), refusal(429, null, "rate_limit_exceeded"));
  assert.equal(queue.held, 2);
  await Promise.resolve();
  open();
  await Promise.all([first, second]);
  assert.deepEqual(order, ["first begins", "first ends", "second"]);
  assert.equal(queue.held, 0);
});

test("a job that fails stops none behind it", async () => {
  const queue = new Queue(1);
  const failed = queue.run(async () => { throw new Error("x"); });
  const next = queue.run(async () => "done");
  await assert.rejects(failed, /x/);
  assert.equal(await next, "done");
});
