package contracts

import (
	"encoding/json"
	"errors"
)

// errNotJSON stands in for the decoder's errors, which quote what they read.
var errNotJSON = errors.New("the input is not a JSON object of the declared shape")

// rawAt follows a path of member names into raw and returns the bytes of the
// value there; nil if there is none.
func rawAt(raw json.RawMessage, path []string) (json.RawMessage, error) {
	for _, name := range path {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, errNotJSON
		}
		next, ok := members[name]
		if !ok {
			return nil, nil
		}
		raw = next
	}
	return raw, nil
}

// properties returns the schemas that the schema declares for the value under
// path: none if no properties keyword names it. References within the schema
// and branches of allOf, anyOf and oneOf are followed.
func (s *schema) properties(path []string) []any {
	level := s.branches(s.doc, 0)
	for _, name := range path {
		var next []any
		for _, sub := range level {
			m, _ := sub.(map[string]any)
			named, _ := m["properties"].(map[string]any)
			if p, ok := named[name]; ok {
				next = append(next, s.branches(p, 0)...)
			}
		}
		level = next
	}
	return level
}

// branches is sub and everything that applies at the same place.
func (s *schema) branches(sub any, depth int) []any {
	m, ok := sub.(map[string]any)
	if !ok || depth > MaxDepth {
		return []any{sub}
	}
	all := []any{sub}
	if ref, ok := m["$ref"]; ok {
		all = append(all, s.branches(refTarget(s.doc, ref), depth+1)...)
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := m[k].([]any)
		for _, b := range list {
			all = append(all, s.branches(b, depth+1)...)
		}
	}
	return all
}
