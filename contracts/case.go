package contracts

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Case is one real input and what is known about the right answer to it.
type Case struct {
	ID    string
	Input json.RawMessage
	// Expected holds the one right value of an output field, Accepted the
	// values that may stand there. Names are dotted paths into the output. What
	// neither names may be anything that the schema lets through.
	Expected map[string]json.RawMessage
	Accepted map[string][]json.RawMessage
	// Calls are the calls that a contract with tools must be answered with: nil
	// where the case says nothing of them, empty where no call fits.
	Calls      []ExpectedCall
	Assertions []Assertion // beside the contract's own
	Critical   bool        // must be right in every repeat
	Tags       []string

	place *node
}

// The rules of a Violation from CheckCase, beside the names of assertions.
const (
	RuleExpected = "expected"
	RuleAccepted = "accepted"
)

// CheckCase returns where output, which CheckOutput has accepted, is not the
// right answer to the case: expected values, accepted sets, calls and the case's
// own assertions, in this order. Messages name what the case wants, never what came.
func (c *Contract) CheckCase(k Case, output json.RawMessage) []Violation {
	out, err := decodeJSON(output)
	if err != nil {
		return []Violation{{"", ReasonSyntax, "is not valid JSON"}}
	}
	var broken []Violation
	for _, field := range slices.Sorted(maps.Keys(k.Expected)) {
		want := k.Expected[field]
		if !matches(out, field, want) {
			broken = append(broken, Violation{fieldPointer(field), RuleExpected, "must be " + string(want)})
		}
	}
	for _, field := range slices.Sorted(maps.Keys(k.Accepted)) {
		want := k.Accepted[field]
		if !slices.ContainsFunc(want, func(w json.RawMessage) bool { return matches(out, field, w) }) {
			broken = append(broken, Violation{fieldPointer(field), RuleAccepted, "must be one of " + joinRaw(want)})
		}
	}
	broken = append(broken, k.checkCalls(out)...)
	v := liveVars(k.Input, output)
	v["expected"] = expectedVar(k.Expected)
	return append(broken, checkAll(k.Assertions, v)...)
}

func matches(out any, field string, want json.RawMessage) bool {
	got, ok := LookUp(out, strings.Split(field, "."))
	w, err := decodeJSON(want)
	return ok && err == nil && sameValue(got, w)
}

// sameValue compares decoded JSON: numbers by value, text byte for byte.
func sameValue(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		return ok && decimalOf(string(x)) == decimalOf(string(y))
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, sameValue)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, sameValue)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func fieldPointer(field string) string {
	pointer := ""
	for _, name := range strings.Split(field, ".") {
		pointer = PointerTo(pointer, name)
	}
	return pointer
}

func joinRaw(values []json.RawMessage) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

func expectedVar(expected map[string]json.RawMessage) map[string]any {
	m := make(map[string]any, len(expected))
	for field, raw := range expected {
		v, _ := decodeJSON(raw)
		m[field] = celValue(v)
	}
	return m
}
