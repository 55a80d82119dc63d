package conformance

import (
	"encoding/json"
	"strings"
)

// view is the part of an answer under the fields, as comparable text.
func view(output json.RawMessage, fields []string) string {
	if len(fields) == 0 {
		return plain(withoutIDs(output))
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = field(output, f)
	}
	return strings.Join(parts, "\n")
}

// withoutIDs leaves out what a provider calls the calls of a chat's answer: a new
// name each time, which says nothing.
func withoutIDs(output json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	var calls []map[string]json.RawMessage
	if json.Unmarshal(output, &members) != nil || json.Unmarshal(members["calls"], &calls) != nil {
		return output
	}
	for _, call := range calls {
		delete(call, "id")
	}
	members["calls"], _ = json.Marshal(calls) // it was read from JSON
	raw, _ := json.Marshal(members)
	return raw
}

// field is the value under a dotted path; "" if nothing is there.
func field(output json.RawMessage, path string) string {
	var v any
	if json.Unmarshal(output, &v) != nil {
		return ""
	}
	for _, name := range strings.Split(path, ".") {
		next, ok := object(v)[name]
		if !ok {
			return ""
		}
		v = next
	}
	return encode(v)
}

// plain spells a value the one way in which encoding/json does.
func plain(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return encode(v)
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// unquote reads a JSON string.
func unquote(raw string) (string, bool) {
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil {
		return "", false
	}
	s, ok := v.(string)
	return s, ok
}
