package sim

import (
	"fmt"
	"strings"
	"testing"
)

func TestInstanceFitsItsSchema(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"a schema that allows anything", `true`, `"text"`},
		{"a string", `{"type":"string"}`, `"text"`},
		{"a string no longer than allowed", `{"type":"string","maxLength":2}`, `"te"`},
		{"a string as long as asked", `{"type":"string","minLength":6}`, `"textxx"`},
		{"a date", `{"type":"string","format":"date"}`, `"2026-01-15"`},
		{"a date with time", `{"type":"string","format":"date-time"}`, `"2026-01-15T09:30:00Z"`},
		{"an address", `{"type":"string","format":"email"}`, `"someone@example.org"`},
		{"a uuid", `{"type":"string","format":"uuid"}`, `"00000000-0000-4000-8000-000000000001"`},
		{"zero where zero is allowed", `{"type":"number","minimum":-1,"maximum":1}`, `0`},
		{"the smallest integer above a fraction", `{"type":"integer","minimum":1.5}`, `2`},
		{"the largest integer below a bound", `{"type":"integer","exclusiveMaximum":0}`, `-1`},
		{"a number between close bounds", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`, `0.5`},
		{"a multiple", `{"type":"integer","minimum":5,"multipleOf":4}`, `8`},
		{"a boolean", `{"type":"boolean"}`, `false`},
		{"null", `{"type":"null"}`, `null`},
		{"the first of several types", `{"type":["integer","null"]}`, `0`},
		{"a constant", `{"const":{"a":[1,2]}}`, `{"a":[1,2]}`},
		{"the first of an enum", `{"enum":["b","a"]}`, `"b"`},
		{"an example before all else", `{"type":"string","pattern":"^x","examples":["xy"]}`, `"xy"`},
		{"the first branch", `{"anyOf":[{"type":"null"},{"type":"string"}]}`, `null`},
		{"the first branch that has an instance", `{"oneOf":[false,{"type":"integer"}]}`, `0`},
		{"an empty array", `{"type":"array","items":{"type":"string"}}`, `[]`},
		{"as many items as asked", `{"type":"array","items":{"type":"integer"},"minItems":2}`, `[0,0]`},
		{"items by their place", `{"type":"array","prefixItems":[{"type":"null"}],"items":{"type":"integer"},"minItems":2}`, `[null,0]`},
		{"properties in the schema's order", `{"type":"object","properties":{"z":{"type":"null"},"a":{"type":"boolean"}},"required":["a"]}`, `{"z":null,"a":false}`},
		{"what is required and not declared", `{"type":"object","required":["x"],"additionalProperties":{"type":"integer"}}`, `{"x":0}`},
		{"an object told by its properties", `{"properties":{"a":{"type":"null"}}}`, `{"a":null}`},
		{"a local reference", `{"$defs":{"d/e":{"type":"null"}},"$ref":"#/$defs/d~1e"}`, `null`},
		{"one allOf is its member", `{"allOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"type":"integer"}}}`, `0`},
		{"recursion ends where it may", `{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]},"v":{"type":"integer"}},"required":["next","v"]}`, `{"next":{"next":null,"v":0},"v":0}`},
		{"an optional member without an instance is left out", `{"type":"object","properties":{"a":false,"b":{"type":"null"}}}`, `{"b":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := newFormat([]byte(tt.schema)).answer(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.value.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSchemaWithoutAnInstanceIsRefused(t *testing.T) {
	doubling := `{"$ref":"#/$defs/d39","$defs":{"d0":{"type":"string"}`
	for i := range 39 {
		doubling += fmt.Sprintf(`,"d%d":{"type":"array","minItems":2,"items":{"$ref":"#/$defs/d%d"}}`, i+1, i)
	}
	doubling += `}}`
	failing := `{"$ref":"#/$defs/d39","$defs":{"d0":false`
	for i := range 39 {
		failing += fmt.Sprintf(`,"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]}`, i+1, i)
	}
	failing += `}}`
	for _, tt := range []struct{ name, schema, says string }{
		{"nothing is allowed", `false`, "false"},
		{"a schema that is a number", `7`, "object or a boolean"},
		{"a pattern", `{"type":"string","pattern":"^x"}`, "pattern"},
		{"bounds that exclude each other", `{"type":"integer","minimum":2,"maximum":1}`, "bounds"},
		{"lengths that exclude each other", `{"type":"string","minLength":2,"maxLength":1}`, "maxLength"},
		{"a required member that cannot be", `{"type":"object","properties":{"a":false},"required":["a"]}`, "false"},
		{"a required undeclared member of a closed object", `{"type":"object","required":["a"],"additionalProperties":false}`, "false"},
		{"an object that must contain itself", `{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`, "finite"},
		{"a reference elsewhere", `{"$ref":"file:///etc/passwd"}`, "#/$defs"},
		{"a reference to nothing", `{"$ref":"#/$defs/x"}`, "#/$defs"},
		{"a type that is unknown", `{"type":"text"}`, "text"},
		{"more items than can be", `{"type":"array","minItems":1000000000}`, "minItems"},
		{"references that multiply", doubling, "larger"},
		{"alternatives that multiply and all fail", failing, "larger"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newFormat([]byte(tt.schema)).answer(nil)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
}

func TestSpoiledAnswers(t *testing.T) {
	for _, tt := range []struct{ name, act, schema, want string }{
		{"an optional type is broken by what is neither", "wrong_schema", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"a":12.5}`},
		{"all branches of a choice are broken", "wrong_schema", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`, `{"a":true}`},
		{"a nested value is broken before its parent", "wrong_schema", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"boolean"}}}}}`, `{"a":{"b":"not_declared"}}`},
		{"a free object is replaced", "wrong_schema", `{"type":"object"}`, `"not_declared"`},
		{"a schema that allows anything cannot be broken", "wrong_schema", `{}`, ""},
		{"a schema made of itself is not followed for ever", "wrong_schema", `{"examples":["a"],"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, ""},
		{"an integer is broken", "wrong_schema", `{"type":"integer"}`, `"not_declared"`},
		{"only objects have keys", "extra_key", `{"type":"array"}`, ""},
		{"the invented key is one that nobody declared", "extra_key", `{"type":"object","properties":{"invented_by_provider":{"type":"null"}}}`, `{"invented_by_provider":null,"invented_by_provider_":true}`},
		{"an enum comes before a boolean", "wrong_answer", `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"enum":[1,2]}}}`, `{"a":false,"b":2}`},
		{"a boolean is turned", "wrong_answer", `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"const":1}}}`, `{"a":true,"b":1}`},
		{"a free string is changed", "wrong_answer", `{"type":"string"}`, `"text not"`},
		{"an open number is raised", "wrong_answer", `{"type":"integer"}`, `1`},
		{"a constant has no other value", "wrong_answer", `{"const":1}`, ""},
		{"an enum of one has no other value", "wrong_answer", `{"enum":["a"]}`, ""},
		{"the bomb takes a number's place", "number_bomb", `{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}}}`, `{"a":"text","n":1e20000000}`},
		{"without members the bomb is all", "number_bomb", `{"type":"array"}`, `1e20000000`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFormat([]byte(tt.schema))
			before := f.made.value.String()
			got, err := spoil(tt.act, f.made, f.root)
			switch {
			case tt.want == "" && err != errImpossible:
				t.Errorf("error %v, want %v", err, errImpossible)
			case tt.want != "" && (err != nil || got.value.String() != tt.want):
				t.Errorf("got %+v, %v, want %s", got, err, tt.want)
			}
			if f.made.value.String() != before {
				t.Errorf("the good answer became %s", f.made.value)
			}
		})
	}
}
