package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// tools reads what is offered. Parameters that are left out take no argument.
func (r *chatReader) tools(w chatWire) {
	for i, t := range w.Tools {
		at := fmt.Sprintf("/tools/%d/function", i)
		if r.q.tool(t.Function.Name) != nil {
			r.refuse(at+"/name", "unique", "is the name of another tool")
		}
		raw := bytes.TrimSpace(t.Function.Parameters)
		if len(raw) == 0 || raw[0] == 'n' {
			raw = []byte(`{"type":"object","properties":{}}`)
		}
		if s := r.schema(at+"/parameters", raw); s != nil {
			r.q.Tools = append(r.q.Tools, Tool{t.Function.Name, t.Function.Description, s})
		}
	}
	if len(w.Tools) > 0 {
		r.q.ToolChoice = ToolAuto
	}
	r.choice(w.ToolChoice)
}

func (r *chatReader) choice(raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var word string
	if json.Unmarshal(raw, &word) != nil {
		var named chatFunction
		_ = json.Unmarshal(raw, &named) // chatInput has read it
		word, r.q.ToolName = ChatToolNamed, named.Function.Name
	}
	switch word {
	case ToolAuto, ToolRequired, ChatToolNone, ChatToolNamed:
	default:
		r.refuse("/tool_choice", "enum", `must be "auto", "none", "required" or a function that is named`)
		return
	}
	switch {
	case word == ChatToolNamed && len(r.broken) == 0 && r.q.tool(r.q.ToolName) == nil:
		r.refuse("/tool_choice/function/name", "enum", "must be one of the tools")
	case r.q.ToolChoice == "" && word != ChatToolNone && word != ToolAuto:
		r.refuse("/tool_choice", "tools", "needs tools")
	case r.q.ToolChoice != "":
		r.q.ToolChoice = word
	}
}

func (r *chatReader) format(w chatWire) {
	f := &r.q.Format
	switch {
	case w.Format.Type == "json_schema" && w.Format.Schema == nil:
		r.refuse("/response_format/json_schema", "required", "must be there")
	case w.Format.Type != "json_schema" && w.Format.Schema != nil:
		r.refuse("/response_format/json_schema", "conflict", "belongs to the type json_schema")
	case w.Format.Type == "json_schema":
		f.JSON, f.Name, f.Strict = true, w.Format.Schema.Name, w.Format.Schema.Strict
		f.schema = r.schema("/response_format/json_schema/schema", r.described(w.Format.Schema.Schema, w.Format.Schema.Description))
	case w.Format.Type == "json_object":
		f.JSON = true
	}
}

// described puts what the format says of itself into the schema, where every API
// has a place for it.
func (r *chatReader) described(raw json.RawMessage, text string) []byte {
	raw = bytes.TrimSpace(raw)
	var root map[string]json.RawMessage
	if text == "" || json.Unmarshal(raw, &root) != nil {
		return raw
	}
	if root["description"] != nil {
		r.refuse("/response_format/json_schema/description", "conflict", "must not stand beside the schema's own description")
		return raw
	}
	rest := bytes.TrimSpace(raw[1:])
	comma := ","
	if rest[0] == '}' {
		comma = ""
	}
	return fmt.Appendf(nil, `{"description":%s%s%s`, quoteJSON(text), comma, rest)
}

// schema compiles a schema of the request, which anybody may have written.
func (r *chatReader) schema(at string, raw []byte) *schema {
	s, fault := r.c.schemas.get(raw)
	if fault != nil {
		r.refuse(at, "schema", fault.message+"; "+fault.fix)
	}
	return s
}
