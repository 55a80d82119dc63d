package conformance_test

import (
	"bytes"
	"slices"
	"testing"

	"inferonce/contracts"
)

// The sample chat is certified by answers that are right for its cases, and each
// kind of wrong answer fails the check that is about it.
func TestAChatRouteIsCertifiedByWhatItsCasesAsk(t *testing.T) {
	right := answersOf(t, "chat")
	if r := certify(t, "chat", right); r.Verdict != contracts.Pass || len(weighing(r)) > 0 {
		t.Errorf("right answers: %s %v %v", r.Verdict, failed(r), r.Reasons)
	}
	for name, row := range map[string]struct{ from, to, check string }{
		"a value that the request's schema does not list": {`"EUR"`, `"euro"`, "STR-10"},
		"a tool that the request does not offer":          {`"get_temperature"`, `"get_weather"`, "STR-10"},
		"an argument that the tool does not list":         {`"celsius"}`, `"kelvin"}`, "STR-10"},
		"the right form and the wrong facts":              {`"output": "`, `"output": "not `, "SEM-01"},
		"the right tools and the wrong city":              {`{"city": "`, `{"city": "New `, "SEM-01"},
		"calls where none is wanted":                      {`{"calls": []}`, `{"calls": [{"name": "get_temperature", "arguments": {"city": "Lisbon", "unit": "celsius"}}]}`, "SEM-01"},
	} {
		wrong := bytes.ReplaceAll(right, []byte(row.from), []byte(row.to))
		if r := certify(t, "chat", wrong); r.Verdict != contracts.Fail || !slices.Contains(failed(r), row.check) {
			t.Errorf("%s: %s %v", name, r.Verdict, failed(r))
		}
	}
}
