// Node's SDKs for chat completions against `inferonce dev`, with their own
// retries on. What ran is counted by the simulated providers' ledger. Only this
// machine is called.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, isStepCount, jsonSchema, Output, tool } from 'ai'
import OpenAI from 'openai'

const program = fileURLToPath(new URL('../../../bin/inferonce', import.meta.url))
const capital = 'What is the capital of Portugal? Answer with its name alone, without a full stop.'
const order = 'Hello, I am Anna Keller and my order 8841 over 59.80 EUR has not arrived yet.'
const orderSchema = {
  type: 'object',
  properties: { order_id: { type: 'string' }, customer: { type: 'string' }, amount: { type: 'number' }, currency: { type: 'string' } },
  required: ['order_id', 'customer', 'amount', 'currency'],
  additionalProperties: false,
}
const weather = 'What is the temperature in Lisbon right now, in celsius?'
const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
}

let router // http://127.0.0.1:port
let dev
let way

before(async () => {
  dev = spawn(program, ['dev', '--listen', '127.0.0.1:0', '--quiet'], { stdio: ['ignore', 'ignore', 'pipe'] })
  dev.on('error', (err) => { throw new Error(`${program} does not start; run make build: ${err.message}`) })
  let said = ''
  for await (const chunk of dev.stderr) {
    said += chunk
    const found = said.match(/http:\/\/127\.0\.0\.1:\d+(?=\/v1\/infer)/)
    if (found) { router = found[0]; break }
  }
  assert.ok(router, `inferonce dev did not come up:\n${said}`)
  way = await newDropper(Number(new URL(router).port))
})

after(async () => {
  way?.server.close()
  if (dev?.exitCode === null) {
    dev.kill('SIGINT')
    await once(dev, 'exit')
  }
})

beforeEach(async () => {
  way.drops = way.lost = 0
  await fetch(`${router}/sim/ledger`, { method: 'DELETE' })
})

// newDropper is a way to the router that closes the client's connection instead
// of handing over the first so many answers.
async function newDropper(port) {
  const way = { drops: 0, lost: 0 }
  way.server = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1')
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.pipe(upstream)
    upstream.on('data', (bytes) => {
      if (way.drops > 0) {
        way.drops--
        way.lost++
        client.destroy()
        upstream.destroy()
        return
      }
      client.write(bytes)
    })
    upstream.on('end', () => client.end())
  })
  way.server.listen(0, '127.0.0.1')
  await once(way.server, 'listening')
  way.url = `http://127.0.0.1:${way.server.address().port}`
  return way
}

async function ran() {
  const ledger = await (await fetch(`${router}/sim/ledger`)).json()
  return ledger.data.filter((e) => e.executed).length
}

const openai = (base) => new OpenAI({ baseURL: `${base}/v1`, apiKey: 'dev' })
const vercel = (base) => createOpenAICompatible({ name: 'inferonce', baseURL: `${base}/v1`, apiKey: 'dev', supportsStructuredOutputs: true })('chat')
const keyed = (key) => ({ headers: { 'Idempotency-Key': key } })
const asking = (text) => ({ model: 'chat', messages: [{ role: 'user', content: text }] })

test('openai: an intent runs once, however often its answer is lost', async () => {
  way.drops = 2
  const got = await openai(way.url).chat.completions.create(asking(capital), keyed('openai-lost'))
  assert.equal(got.choices[0].message.content, 'Lisbon')
  assert.equal(way.lost, 2)
  assert.equal(await ran(), 1)
})

test('openai: a repeat under the same key gets the same bytes and runs nothing', async () => {
  const first = await openai(router).chat.completions.create(asking(capital), keyed('openai-repeat'))
  const { data, response } = await openai(router).chat.completions.create(asking(capital), keyed('openai-repeat')).withResponse()
  assert.deepEqual(data, first)
  assert.equal(response.headers.get('idempotent-replayed'), 'true')
  assert.match(response.headers.get('inferonce-job-id'), /^job_/)
  assert.equal(await ran(), 1)
})

test('openai: errors are its own, and no final one is sent again', async () => {
  let sent = 0
  const counting = new OpenAI({ baseURL: `${router}/v1`, apiKey: 'dev', fetch: (...a) => { sent++; return fetch(...a) } })
  const create = (params, options) => { sent = 0; return counting.chat.completions.create(params, options) }
  await create(asking(capital), keyed('openai-taken'))
  for (const [params, options, kind, code] of [
    [asking(capital), undefined, OpenAI.BadRequestError, 'idempotency_key_required'],
    [asking(capital), { idempotencyKey: 'order-8841' }, OpenAI.BadRequestError, 'idempotency_key_required'],
    [asking('Something else.'), keyed('openai-taken'), OpenAI.BadRequestError, 'idempotency_key_reused'],
    [{ ...asking(capital), n: 2 }, keyed('openai-n'), OpenAI.BadRequestError, 'unsupported_parameter'],
    [{ ...asking(capital), stream: true }, keyed('openai-stream'), OpenAI.BadRequestError, 'unsupported_parameter'],
    [{ ...asking(capital), model: 'gpt-x' }, keyed('openai-model'), OpenAI.NotFoundError, 'model_not_found'],
  ]) {
    await assert.rejects(create(params, options), (err) => err instanceof kind && err.code === code && sent === 1, code)
  }
  const nobody = new OpenAI({ baseURL: `${router}/v1`, apiKey: 'nobody' })
  await assert.rejects(nobody.models.list(), OpenAI.AuthenticationError)
})

test('openai: it comes back by itself for a job that is under way', async () => {
  await fetch(`${router}/sim/sim-a/faults`, { method: 'PUT', body: JSON.stringify([{ until: 'openai' }]) })
  const pending = openai(router).chat.completions.create(asking(capital), { headers: { 'Idempotency-Key': 'openai-back', Prefer: 'respond-async' } })
  await fetch(`${router}/sim/gates/openai?wait=1`)
  await fetch(`${router}/sim/gates/openai`, { method: 'POST' })
  assert.equal((await pending).choices[0].message.content, 'Lisbon')
  assert.equal(await ran(), 1)
})

test('openai: structured output, tools and models', async () => {
  const c = openai(router)
  const got = await c.chat.completions.parse({ ...asking(order), response_format: { type: 'json_schema', json_schema: { name: 'order', strict: true, schema: orderSchema } } }, keyed('openai-order'))
  assert.deepEqual(JSON.parse(got.choices[0].message.content), { order_id: '8841', customer: 'Anna Keller', amount: 59.8, currency: 'EUR' })
  const called = await c.chat.completions.create({ ...asking(weather), tools: [{ type: 'function', function: { name: 'get_temperature', parameters: weatherSchema } }] }, keyed('openai-weather'))
  assert.equal(called.choices[0].finish_reason, 'tool_calls')
  const [call] = called.choices[0].message.tool_calls
  assert.equal(call.function.name, 'get_temperature')
  assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Lisbon', unit: 'celsius' })
  const told = await c.chat.completions.create({
    ...asking(weather), tools: [{ type: 'function', function: { name: 'get_temperature', parameters: weatherSchema } }],
    messages: [{ role: 'user', content: weather }, called.choices[0].message, { role: 'tool', tool_call_id: call.id, content: '18 degrees' }],
  }, keyed('openai-weather-result'))
  assert.equal(told.choices[0].message.content, '18 degrees')
  const ids = []
  for await (const m of c.models.list()) ids.push(m.id)
  assert.deepEqual(ids, ['chat'])
  assert.equal((await c.models.retrieve('chat')).id, 'chat')
})

test('ai: an intent runs once, however often its answer is lost', async () => {
  way.drops = 2
  const got = await generateText({ model: vercel(way.url), prompt: capital, ...keyed('ai-lost') })
  assert.equal(got.text, 'Lisbon')
  assert.equal(way.lost, 2)
  assert.equal(await ran(), 1)
})

test('ai: errors are its own, and no final one is sent again', async () => {
  await assert.rejects(generateText({ model: vercel(router), prompt: capital }),
    (err) => APICallError.isInstance(err) && err.statusCode === 400 && !err.isRetryable && err.message.includes('Idempotency-Key'))
  await generateText({ model: vercel(router), prompt: capital, ...keyed('ai-taken') })
  await assert.rejects(generateText({ model: vercel(router), prompt: 'Something else.', ...keyed('ai-taken') }),
    (err) => APICallError.isInstance(err) && err.statusCode === 400 && err.data.error.code === 'idempotency_key_reused')
  assert.equal(await ran(), 1)
})

test('ai: it comes back by itself for a job that is under way', async () => {
  await fetch(`${router}/sim/sim-a/faults`, { method: 'PUT', body: JSON.stringify([{ until: 'ai' }]) })
  const pending = generateText({ model: vercel(router), prompt: capital, headers: { 'Idempotency-Key': 'ai-back', Prefer: 'respond-async' } })
  await fetch(`${router}/sim/gates/ai?wait=1`)
  await fetch(`${router}/sim/gates/ai`, { method: 'POST' })
  assert.equal((await pending).text, 'Lisbon')
  assert.equal(await ran(), 1)
})

test('ai: structured output and tools', async () => {
  const got = await generateText({ model: vercel(router), prompt: order, output: Output.object({ schema: jsonSchema(orderSchema) }), ...keyed('ai-order') })
  assert.deepEqual(got.output, { order_id: '8841', customer: 'Anna Keller', amount: 59.8, currency: 'EUR' })
  const called = await generateText({ model: vercel(router), prompt: weather, tools: { get_temperature: tool({ inputSchema: jsonSchema(weatherSchema) }) }, ...keyed('ai-weather') })
  assert.equal(called.finishReason, 'tool-calls')
  assert.deepEqual(called.toolCalls.map((c) => [c.toolName, c.input]), [['get_temperature', { city: 'Lisbon', unit: 'celsius' }]])
})

test('ai: several steps under one key are several intents, and the second is refused', async () => {
  const execute = async () => '18'
  await assert.rejects(generateText({ model: vercel(router), prompt: weather, tools: { get_temperature: tool({ inputSchema: jsonSchema(weatherSchema), execute }) }, stopWhen: isStepCount(2), ...keyed('ai-steps') }),
    (err) => APICallError.isInstance(err) && err.data.error.code === 'idempotency_key_reused')
  assert.equal(await ran(), 1)
})
