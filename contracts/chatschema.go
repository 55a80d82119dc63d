package contracts

// chatInput is what a chat contract takes: a request of OpenAI's chat
// completions (platform.openai.com/docs/api-reference/chat/create) without the
// model, as far as a route can carry it. What it leaves out is refused.
const chatInput = `{
  "type": "object",
  "properties": {
    "messages": {"type": "array", "minItems": 1, "maxItems": 2000, "items": {"$ref": "#/$defs/message"}},
    "tools": {"type": "array", "minItems": 1, "maxItems": 128, "items": {"$ref": "#/$defs/tool"}},
    "tool_choice": {"type": ["string", "object"], "properties": {"type": {"const": "function"}, "function": {"$ref": "#/$defs/named"}},
      "required": ["type", "function"], "additionalProperties": false},
    "parallel_tool_calls": {"type": "boolean"},
    "response_format": {"type": "object", "properties": {
      "type": {"enum": ["text", "json_object", "json_schema"]},
      "json_schema": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 64}, "description": {"type": "string"},
        "schema": {"type": "object"}, "strict": {"type": ["boolean", "null"]}}, "required": ["name", "schema"], "additionalProperties": false}},
      "required": ["type"], "additionalProperties": false},
    "temperature": {"type": "number", "minimum": 0, "maximum": 2},
    "top_p": {"type": "number", "minimum": 0, "maximum": 1},
    "max_tokens": {"type": "integer", "minimum": 1, "maximum": 1000000},
    "max_completion_tokens": {"type": "integer", "minimum": 1, "maximum": 1000000},
    "stop": {"type": ["string", "array"], "minLength": 1, "minItems": 1, "maxItems": 4, "items": {"type": "string", "minLength": 1}},
    "seed": {"type": "integer"}
  },
  "required": ["messages"],
  "additionalProperties": false,
  "$defs": {
    "message": {"type": "object", "properties": {
      "role": {"enum": ["system", "developer", "user", "assistant", "tool"]},
      "content": {"type": ["string", "array", "null"], "minItems": 1, "items": {"$ref": "#/$defs/part"}},
      "tool_calls": {"type": ["array", "null"], "minItems": 1, "maxItems": 64, "items": {"$ref": "#/$defs/call"}},
      "tool_call_id": {"type": "string", "minLength": 1},
      "refusal": {"type": "null"},
      "annotations": {"type": "array", "maxItems": 0}},
      "required": ["role"], "additionalProperties": false},
    "part": {"type": "object", "properties": {
      "type": {"enum": ["text", "image_url"]},
      "text": {"type": "string"},
      "image_url": {"type": "object", "properties": {"url": {"type": "string", "minLength": 1}, "detail": {"enum": ["auto", "low", "high"]}},
        "required": ["url"], "additionalProperties": false}},
      "required": ["type"], "additionalProperties": false},
    "call": {"type": "object", "properties": {"id": {"type": "string", "minLength": 1}, "type": {"const": "function"},
      "function": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}, "arguments": {"type": "string"}},
        "required": ["name", "arguments"], "additionalProperties": false}},
      "required": ["id", "function"], "additionalProperties": false},
    "tool": {"type": "object", "properties": {"type": {"const": "function"},
      "function": {"type": "object", "properties": {"name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"}, "description": {"type": "string"},
        "parameters": {"type": ["object", "null"]}, "strict": {"type": ["boolean", "null"]}}, "required": ["name"], "additionalProperties": false}},
      "required": ["type", "function"], "additionalProperties": false},
    "named": {"type": "object", "properties": {"name": {"type": "string", "minLength": 1}}, "required": ["name"], "additionalProperties": false}
  }
}`

// chatOutput is the form of every answer to a chat: text, the JSON value that
// was asked for, or calls. What the request asks of them is checked beside it.
const chatOutput = `{
  "type": "object",
  "properties": {
    "content": {"description": "the text; where the request asks for JSON, the JSON value itself"},
    "calls": {"type": "array", "maxItems": 64, "items": {"type": "object",
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "arguments": {"type": "object"}},
      "required": ["name", "arguments"], "additionalProperties": false}}
  },
  "minProperties": 1,
  "additionalProperties": false
}`
