package contracts

import (
	"encoding/json"
	"strings"
	"testing"
)

func compiled(t *testing.T, text string) *schema {
	t.Helper()
	s, faults := compileSchema("inferonce:///test/1/output", []byte(text))
	if faults != nil {
		t.Fatal(faults)
	}
	return s
}

func TestViolations(t *testing.T) {
	for name, row := range map[string]struct {
		schema, value string
		want          []Violation
	}{
		"a value that holds": {`{"type":"integer","minimum":1}`, `1`, nil},
		"1.0 is an integer":  {`{"type":"integer"}`, `1.0`, nil},
		"a format is asserted without $schema": {`{"format":"date"}`, `"2026-02-30"`,
			[]Violation{{"", "format", `must be a valid "date"`}}},
		"a format is asserted with $schema": {`{"$schema":"https://json-schema.org/draft/2020-12/schema","format":"date"}`, `"2026-02-30"`,
			[]Violation{{"", "format", `must be a valid "date"`}}},
		"numbers": {`{"properties":{"a":{"minimum":3},"b":{"maximum":3},"c":{"multipleOf":2}}}`, `{"a":1,"b":4,"c":3}`, []Violation{
			{"/a", "minimum", "must be at least 3"}, {"/b", "maximum", "must be at most 3"}, {"/c", "multipleOf", "must be a multiple of 2"}}},
		"text": {`{"properties":{"a":{"minLength":2},"b":{"pattern":"^x$"},"c":{"const":"y"}}}`, `{"a":"","b":"z","c":"z"}`, []Violation{
			{"/a", "minLength", "must have at least 2 characters"}, {"/b", "pattern", `must match "^x$"`}, {"/c", "const", `must be "y"`}}},
		"several missing members": {`{"required":["a","b","c"]}`, `{"b":1}`, []Violation{
			{"", "required", `lacks the member "a"`}, {"", "required", `lacks the member "c"`}}},
		"a member below an item": {`{"items":{"properties":{"a":{"type":"string"}},"additionalProperties":false}}`, `[{"a":"x"},{"a":1,"b":2}]`, []Violation{
			{"/1/a", "type", `must be of type "string", not number`}, {"/1/b", "additionalProperties", "is not declared in the schema"}}},
		"a member of a name with / and ~ and %": {`{"properties":{"a/b~c%":{"type":"string"}}}`, `{"a/b~c%":1}`, []Violation{
			{"/a~1b~0c%", "type", `must be of type "string", not number`}}},
		"a declared pattern is no extra": {`{"patternProperties":{"^x-":{}},"additionalProperties":false}`, `{"x-a":1,"y":1}`, []Violation{
			{"/y", "additionalProperties", "is not declared in the schema"}}},
		"unevaluated members": {`{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, []Violation{
			{"/b", "unevaluatedProperties", "is not declared in the schema"}}},
		"a forbidden member": {`{"properties":{"items":false}}`, `{"items":1}`, []Violation{
			{"/items", "false", "is not declared in the schema"}}},
		"too many items": {`{"prefixItems":[true],"items":false}`, `[1,2]`, []Violation{
			{"/1", "items", "is not declared in the schema"}}},
		"behind a reference": {`{"$ref":"#/$defs/x y","$defs":{"x y":{"maxLength":2}}}`, `"long"`, []Violation{
			{"", "maxLength", "must have at most 2 characters"}}},
		"alternatives are one violation": {`{"properties":{"o":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"o":1}`, []Violation{
			{"/o", "anyOf", "must match one of the schema's alternatives"}}},
		"two of oneOf": {`{"oneOf":[{"type":"integer"},{"minimum":0}]}`, `1`, []Violation{
			{"", "oneOf", "must match exactly one of the schema's alternatives"}}},
		"dependent members": {`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []Violation{
			{"", "dependentRequired", `breaks the schema's rule "dependentRequired"`}}},
		"a condition": {`{"if":true,"then":{"const":4}}`, `5`, []Violation{{"", "const", "must be 4"}}},
		"a number bomb never reaches the validator": {`{"type":"integer"}`, `1e20000000`, []Violation{
			{"", ReasonNumber, "holds a number with an exponent beyond ±308"}}},
		"a member twice": {`{}`, `{"a":1,"a":2}`, []Violation{
			{"/a", ReasonDuplicateKey, "holds one member twice, and nobody can say which one counts"}}},
		"a second value": {`{}`, `{} 1`, []Violation{{"", ReasonTrailing, "goes on after the JSON value"}}},
	} {
		got := compiled(t, row.schema).validate([]byte(row.value))
		if !equalViolations(got, row.want) {
			t.Errorf("%s: %+v; want %+v", name, got, row.want)
		}
	}
}

func TestNoViolationTellsTheValue(t *testing.T) {
	s := compiled(t, `{"properties":{"a":{"enum":["x"]},"b":{"format":"date"},"c":{"pattern":"^y$"},"d":{"maximum":1},"e":{"type":"null"},
		"f":{"uniqueItems":true},"g":{"not":{"type":"string"}},"h":{"contains":{"type":"null"}},"i":{"anyOf":[{"const":1}]}}}`)
	const secret = "hunter2"
	for _, v := range s.validate([]byte(`{"a":"hunter2","b":"hunter2","c":"hunter2","d":7777777,"e":"hunter2","f":["hunter2","hunter2"],"g":"hunter2","h":["hunter2"],"i":"hunter2"}`)) {
		if strings.Contains(v.Message, secret) || strings.Contains(v.Message, "7777777") {
			t.Errorf("%+v", v)
		}
	}
}

func TestAPanicOfTheValidatorIsAViolation(t *testing.T) {
	got := compiled(t, `{"minimum":1}`).validateValue(json.Number("1e20000000")) // past the scan, on purpose
	if len(got) != 1 || got[0].Rule != ruleValidatorFailed {
		t.Fatalf("%+v", got)
	}
}

func TestClosedSchemas(t *testing.T) {
	for name, row := range map[string]struct {
		schema string
		open   []string
		faults int
	}{
		"closed":                               {`{"type":"object","additionalProperties":false}`, nil, 0},
		"open":                                 {`{"type":"object"}`, nil, 1},
		"open on purpose":                      {`{"type":"object"}`, []string{""}, 0},
		"additional members of a kind":         {`{"type":"object","additionalProperties":{"type":"string"}}`, nil, 1},
		"members of a kind, on purpose":        {`{"type":"object","additionalProperties":{"type":"string"}}`, []string{""}, 0},
		"members of an open kind":              {`{"type":"object","additionalProperties":{"type":"object"}}`, []string{""}, 1},
		"closed by unevaluatedProperties":      {`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}`, nil, 0},
		"a reference to a closed one":          {`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","additionalProperties":false}}}`, nil, 0},
		"a reference to an open one":           {`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`, nil, 1},
		"a definition that nobody uses":        {`{"type":"string","$defs":{"a":{"type":"object"}}}`, nil, 0},
		"every alternative closed":             {`{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":false}]}`, nil, 0},
		"one alternative open":                 {`{"anyOf":[{"type":"null"},{"type":"object"}]}`, nil, 1},
		"an open object within an alternative": {`{"anyOf":[{"type":"object","properties":{"a":{"type":"object"}},"additionalProperties":false}]}`, nil, 1},
		"a list of types with object":          {`{"type":["object","null"]}`, nil, 1},
		"a constant":                           {`{"const":{"a":1}}`, nil, 0},
		"a tree that refers to itself, closed": {`{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false}`, nil, 0},
		"an open object in a tuple":            {`{"type":"array","prefixItems":[{"type":"object"}],"items":false}`, nil, 1},
		"open items, on purpose":               {`{"type":"array","items":{"type":"object"}}`, []string{"/*"}, 0},
		"an open path that is not there":       {`{"type":"string"}`, []string{"/a"}, 1},
	} {
		if got := checkClosed(compiled(t, row.schema), row.open); len(got) != row.faults {
			t.Errorf("%s: %+v; want %d faults", name, got, row.faults)
		}
	}
}
