package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inferonce/contracts"
)

// shape answers two questions about an output schema: which top-level members
// it names, and which values it lists at a place.
type shape struct {
	doc      any
	names    map[string]bool
	patterns []*regexp.Regexp
}

func newShape(schema json.RawMessage) shape {
	s := shape{names: map[string]bool{}}
	// Load has read the schema; a schema that can't be decoded declares nothing.
	_ = json.Unmarshal(schema, &s.doc)
	for _, sub := range s.branches(s.doc, 0) {
		for name := range object(sub["properties"]) {
			s.names[name] = true
		}
		for _, source := range sortedKeys(object(sub["patternProperties"])) {
			if p, err := regexp.Compile(source); err == nil {
				s.patterns = append(s.patterns, p)
			}
		}
	}
	return s
}

// declares says whether the schema names the top-level member. A schema that
// names none at all describes a map, whose keys are data.
func (s shape) declares(key string) bool {
	return len(s.names)+len(s.patterns) == 0 || s.names[key] ||
		slices.ContainsFunc(s.patterns, func(p *regexp.Regexp) bool { return p.MatchString(key) })
}

// listed returns the texts that enum and const allow at a place of the output.
func (s shape) listed(pointer string) []string {
	level := s.branches(s.doc, 0)
	for _, token := range contracts.PointerTokens(pointer) {
		var next []map[string]any
		for _, sub := range level {
			next = append(next, s.branches(member(sub, token), 0)...)
		}
		level = next
	}
	var all []string
	for _, sub := range level {
		values, _ := sub["enum"].([]any)
		for _, v := range append(slices.Clone(values), sub["const"]) {
			if text, ok := v.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// member is the schema of a member or item that a token of a pointer names.
func member(sub map[string]any, token string) any {
	if p, ok := object(sub["properties"])[token]; ok {
		return p
	}
	if _, err := strconv.Atoi(token); err == nil {
		return sub["items"]
	}
	return sub["additionalProperties"]
}

// maxBranches ends a schema that refers to itself.
const maxBranches = 16

// branches is sub and everything that speaks about the same place.
func (s shape) branches(sub any, depth int) []map[string]any {
	m := object(sub)
	if m == nil || depth > maxBranches {
		return nil
	}
	all := []map[string]any{m}
	if ref, ok := m["$ref"].(string); ok {
		target, _ := at(s.doc, strings.TrimPrefix(ref, "#"))
		all = append(all, s.branches(target, depth+1)...)
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := m[k].([]any)
		for _, b := range list {
			all = append(all, s.branches(b, depth+1)...)
		}
	}
	for _, k := range []string{"then", "else"} {
		all = append(all, s.branches(m[k], depth+1)...)
	}
	for _, k := range sortedKeys(object(m["dependentSchemas"])) {
		all = append(all, s.branches(object(m["dependentSchemas"])[k], depth+1)...)
	}
	return all
}
