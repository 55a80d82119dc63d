package contracts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxViolations is how many places of one value are listed; the first ones
// explain the rest, and a list must not grow with what a model sends.
const maxViolations = 32

// violations turns the validator's error into ours, in order of pointer and
// rule. Messages come from the schema's own words, never from the value or
// from the library's text, which holds the value.
func (s *schema) violations(v any, e *jsonschema.ValidationError) []Violation {
	var all []Violation
	s.leaves(v, e, &all)
	slices.SortFunc(all, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	all = slices.Compact(all)
	return all[:min(len(all), maxViolations)]
}

// leaves descends to the keywords that broke. Alternatives (anyOf, oneOf) are
// one violation, since which branch was meant is not known.
func (s *schema) leaves(v any, e *jsonschema.ValidationError, all *[]Violation) {
	keyword, value := s.keywordAt(e.AbsoluteKeywordLocation)
	if len(e.Causes) > 0 && !slices.Contains([]string{"anyOf", "oneOf", "contains", "minContains"}, keyword) {
		for _, cause := range e.Causes {
			s.leaves(v, cause, all)
		}
		return
	}
	pointer := unescapeFragment(e.InstanceLocation)
	at, _ := LookUp(v, PointerTokens(pointer))
	switch keyword {
	case "required":
		*all = append(*all, missing(pointer, value, at)...)
	case "additionalProperties":
		*all = append(*all, s.extras(pointer, e.AbsoluteKeywordLocation, at)...)
	default:
		*all = append(*all, Violation{clipPointer(pointer), keyword, message(keyword, value, at)})
	}
}

// keywordAt names the keyword at a location such as "uri#/properties/a/type"
// and returns its value in the schema.
func (s *schema) keywordAt(location string) (keyword string, value any) {
	_, fragment, _ := strings.Cut(location, "#")
	tokens := PointerTokens(unescapeFragment(fragment))
	if n := len(tokens); n >= 3 && slices.Contains([]string{"dependentRequired", "dependencies"}, tokens[n-3]) {
		tokens = tokens[:n-2]
	}
	value, _ = LookUp(s.doc, tokens)
	if len(tokens) == 0 {
		return "schema", value
	}
	keyword = tokens[len(tokens)-1]
	if _, known := keywords[keyword]; !known || len(tokens) > 1 && keywords[tokens[len(tokens)-2]] == mapSchema {
		return "false", value // a member whose schema is false
	}
	return keyword, value
}

func missing(pointer string, required, at any) []Violation {
	var all []Violation
	names, _ := required.([]any)
	object, _ := at.(map[string]any)
	for _, n := range names {
		name, _ := n.(string)
		if _, ok := object[name]; !ok {
			all = append(all, Violation{clipPointer(pointer), "required", fmt.Sprintf("lacks the member %q", name)})
		}
	}
	return all
}

// extras finds the undeclared members by the schema: the library names them in
// a text that can't be taken apart again.
func (s *schema) extras(pointer, location string, at any) []Violation {
	_, fragment, _ := strings.Cut(strings.TrimSuffix(location, "/additionalProperties"), "#")
	parent, _ := LookUp(s.doc, PointerTokens(unescapeFragment(fragment)))
	declared, _ := parent.(map[string]any)
	names, _ := declared["properties"].(map[string]any)
	patterns, _ := declared["patternProperties"].(map[string]any)
	object, _ := at.(map[string]any)
	var all []Violation
	for key := range object {
		if _, ok := names[key]; !ok && !matchesAny(patterns, key) {
			all = append(all, Violation{clipPointer(PointerTo(pointer, key)), "additionalProperties", "is not declared in the schema"})
		}
	}
	return all
}

func matchesAny(patterns map[string]any, key string) bool {
	for p := range patterns {
		if ok, err := regexp.MatchString(p, key); ok && err == nil {
			return true
		}
	}
	return false
}

var ruleWords = map[string]string{
	"enum": "must be one of %s", "const": "must be %s", "format": "must be a valid %s", "pattern": "must match %s",
	"minimum": "must be at least %s", "maximum": "must be at most %s",
	"exclusiveMinimum": "must be more than %s", "exclusiveMaximum": "must be less than %s", "multipleOf": "must be a multiple of %s",
	"minLength": "must have at least %s characters", "maxLength": "must have at most %s characters",
	"minItems": "must have at least %s items", "maxItems": "must have at most %s items",
	"minProperties": "must have at least %s members", "maxProperties": "must have at most %s members",
	"type": "must be of type %s",
}

func message(keyword string, value, at any) string {
	switch keyword {
	case "anyOf":
		return "must match one of the schema's alternatives"
	case "oneOf":
		return "must match exactly one of the schema's alternatives"
	case "false", "unevaluatedProperties", "items", "unevaluatedItems":
		return "is not declared in the schema"
	case "uniqueItems":
		return "must not hold the same item twice"
	}
	if words, ok := ruleWords[keyword]; ok {
		text := fmt.Sprintf(words, compactJSON(value))
		if keyword == "type" {
			text += ", not " + typeName(at)
		}
		return text
	}
	return fmt.Sprintf("breaks the schema's rule %q", keyword)
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// unescapeFragment undoes the URI escapes that jsonschema puts into pointers.
func unescapeFragment(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
