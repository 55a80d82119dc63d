package conformance

import (
	"slices"
	"testing"
)

func TestShapeFindsListedValuesWhereverTheyStand(t *testing.T) {
	s := newShape([]byte(`{"type":"object",
		"properties":{"a":{"enum":["x","y",1,null]},"b":{"$ref":"#/$defs/b"},"list":{"type":"array","items":{"const":"only"}},
			"deep":{"type":"object","properties":{"in/side":{"enum":["z"]}}},
			"either":{"anyOf":[{"const":"p"},{"enum":["q"]}]},"map":{"type":"object","additionalProperties":{"enum":["m"]}}},
		"$defs":{"b":{"enum":["k"]}}}`))
	for pointer, want := range map[string][]string{
		"/a": {"x", "y"}, "/b": {"k"}, "/list/3": {"only"}, "/deep/in~1side": {"z"}, "/either": {"p", "q"}, "/map/any": {"m"},
		"/nowhere": nil, "": nil,
	} {
		if got := s.listed(pointer); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", pointer, got, want)
		}
	}
}

func TestShapeDeclares(t *testing.T) {
	for _, l := range []struct {
		name, schema, key string
		want              bool
	}{
		{"a property", `{"properties":{"a":{}}}`, "a", true},
		{"another key", `{"properties":{"a":{}}}`, "b", false},
		{"another key of an open schema", `{"properties":{"a":{}},"additionalProperties":true}`, "b", false},
		{"a pattern", `{"properties":{"a":{}},"patternProperties":{"^x-":{}}}`, "x-1", true},
		{"a branch", `{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, "b", true},
		{"a reference", `{"$ref":"#/$defs/o","$defs":{"o":{"properties":{"a":{}}}}}`, "a", true},
		{"a condition", `{"properties":{"a":{}},"then":{"properties":{"b":{}}}}`, "b", true},
		{"a dependent schema", `{"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}}}`, "b", true},
		{"a map, whose keys are data", `{"type":"object","additionalProperties":{"type":"integer"}}`, "anything", true},
		{"a schema that refers to itself", `{"$ref":"#","properties":{"a":{}}}`, "b", false},
	} {
		if got := newShape([]byte(l.schema)).declares(l.key); got != l.want {
			t.Errorf("%s: %v", l.name, got)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, l := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"überfall", "uberfall", 1}} {
		if got := edits(l.a, l.b); got != l.want {
			t.Errorf("%q, %q: %d, want %d", l.a, l.b, got, l.want)
		}
	}
}
