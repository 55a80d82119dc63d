package contracts

import "fmt"

// A schema of ten lines can take a validator for ever: two branches that lead
// to the same definition double the work at each level. Whoever sends requests
// could stop the router with one, so the work is counted before it is done.

// maxAskedWork is how many pairs of a schema and a value may be looked at.
const (
	maxAskedWork  = 2_000_000
	maxAskedDepth = 1_000
	costOfPattern = 1_000 // of holding a member's name against a pattern
)

// work counts, at least as high as a validator, what it takes to hold a value
// against a schema.
type work struct {
	doc  any
	left int
}

// ruleTooCostly marks a value that can't be checked within bounds.
const ruleTooCostly = "too_costly"

// validateAsked is validateValue for a schema that came with a request.
func (s *schema) validateAsked(v any) []Violation {
	w := work{s.doc, maxAskedWork}
	w.visit(s.doc, v, 0)
	if w.left < 0 {
		return []Violation{{"", ruleTooCostly, fmt.Sprintf("can't be checked within %d steps; ask for it with a simpler schema", maxAskedWork)}}
	}
	return s.validateValue(v)
}

func (w *work) visit(s, v any, depth int) {
	if w.left--; depth > maxAskedDepth {
		w.left = -1
	}
	m, ok := s.(map[string]any)
	if w.left < 0 || !ok {
		return
	}
	if ref, ok := m["$ref"]; ok {
		w.visit(refTarget(w.doc, ref), v, depth+1)
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := m[k].([]any)
		for _, sub := range list {
			w.visit(sub, v, depth+1)
		}
	}
	for _, k := range []string{"not", "if", "then", "else"} {
		w.visit(m[k], v, depth+1)
	}
	eachNamed(m["dependentSchemas"], func(_ string, sub any) { w.visit(sub, v, depth+1) })
	if list, ok := m["enum"].([]any); ok {
		w.left -= len(list)
	}
	switch v := v.(type) {
	case map[string]any:
		w.object(m, v, depth+1)
	case []any:
		w.array(m, v, depth+1)
	}
}

func (w *work) object(m map[string]any, v map[string]any, depth int) {
	properties, _ := m["properties"].(map[string]any)
	patterns, _ := m["patternProperties"].(map[string]any)
	for name, sub := range v {
		if p, ok := properties[name]; ok {
			w.visit(p, sub, depth)
		}
		for _, p := range patterns { // whether it fits: a pattern costs more than a look
			w.left -= costOfPattern
			w.visit(p, sub, depth)
		}
		for _, k := range []string{"additionalProperties", "unevaluatedProperties"} {
			w.visit(m[k], sub, depth)
		}
		w.visit(m["propertyNames"], name, depth)
		if w.left < 0 {
			return
		}
	}
}

func (w *work) array(m map[string]any, v []any, depth int) {
	if m["uniqueItems"] == true {
		w.left -= len(v) * len(v) / 2
	}
	prefix, _ := m["prefixItems"].([]any)
	for i, item := range v {
		if i < len(prefix) {
			w.visit(prefix[i], item, depth)
		}
		for _, k := range []string{"items", "contains", "unevaluatedItems"} {
			w.visit(m[k], item, depth)
		}
		if w.left < 0 {
			return
		}
	}
}
