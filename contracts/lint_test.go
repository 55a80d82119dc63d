package contracts

import (
	"slices"
	"strings"
	"testing"
)

func TestLint(t *testing.T) {
	const kase = "  - id: one\n    input: {account: a1, text: hello}\n    expected: {status: open}\n"
	for name, row := range map[string]struct {
		new  string
		id   string
		says string
	}{
		"a sound case":                            {kase, "", ""},
		"an input that breaks its schema":         {"  - {id: a, input: {account: 1, text: t}, expected: {status: open}}\n", LintCases, `"/account"`},
		"an input with an undeclared member":      {"  - {id: a, input: {account: a, text: t, x: 1}, expected: {status: open}}\n", LintCases, `"/x"`},
		"an expected value outside the enum":      {"  - {id: a, input: {account: a, text: t}, expected: {status: opne}}\n", LintCases, "status must be one of"},
		"an expected field that is not declared":  {"  - {id: a, input: {account: a, text: t}, expected: {state: open}}\n", LintCases, "state is not declared"},
		"an accepted value of another type":       {"  - {id: a, input: {account: a, text: t}, expected: {status: open}, accepted: {total: [1, '2']}}\n", LintCases, "total must be of type"},
		"a case that says nothing":                {"  - {id: a, input: {account: a, text: t}}\n", LintCases, "says nothing"},
		"a right answer that fails its assertion": {"  - {id: a, input: {account: a, text: t}, expected: {status: open}, assertions: ['output.status == \"closed\"']}\n", LintCases, "does not hold"},
		"an assertion that can't be evaluated":    {"  - {id: a, input: {account: a, text: t}, expected: {status: open}, assertions: ['output.gone == 1']}\n", LintAssertions, "not there"},
		"a field that nobody expects":             {"  - {id: a, input: {account: a, text: t}, assertions: ['true']}\n", "", ""},
		"a neighbour's answer that passes":        {"  - {id: a, input: {account: a, text: t}, expected: {status: open}}\n  - {id: b, input: {account: a, text: t}, expected: {status: open, total: 1}}\n", LintMutants, "13 of 14"},
	} {
		found := Lint(mustLoad(t, kase, row.new))
		if row.id == "" && len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
		if row.id != "" && !slices.ContainsFunc(found, func(f Finding) bool {
			return f.ID == row.id && strings.Contains(f.Message, row.says) && f.Line == 34 && f.File == "dir/demo.yaml" && f.Fix != ""
		}) {
			t.Errorf("%s: %+v; want %s %q on line 34", name, found, row.id, row.says)
		}
	}
}

func TestMutantsThatPassAreFound(t *testing.T) {
	c := sample(t, "ticket-triage")
	golden := map[string]any{"category": "card", "urgent": true}
	mutants := mutate([]map[string]any{golden}, 0, c.output)
	labels := 0
	for _, m := range mutants {
		if m.what == "label" {
			labels++
		}
	}
	// add; per field: drop, null; urgent as text; 6 other teams; the other boolean
	if want := 1 + 2*2 + 1 + 6 + 1; len(mutants) != want || labels != 7 {
		t.Errorf("%d mutants, %d labels; want %d, 7", len(mutants), labels, want)
	}
	l := &linter{c: c}
	blind := Case{ID: "blind"}
	passed := 0
	for _, m := range mutants {
		if !l.refused(blind, m.value) {
			passed++
		}
	}
	if passed != labels {
		t.Errorf("%d mutants pass a case that expects nothing; want the %d swapped labels, as the schema refuses the others", passed, labels)
	}
	for _, m := range mutants {
		if !l.refused(c.Cases[0], m.value) {
			t.Errorf("case %s lets %s pass", c.Cases[0].ID, m.says)
		}
	}
}

func TestAnAssertionThatAlwaysCostsTooMuchIsFound(t *testing.T) {
	const list = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]"
	c := mustLoad(t, `output.status != "lost"`, "'"+list+".map(a, "+list+".map(b, "+list+".map(c, a+b+c))).size() == 30'")
	found := Lint(c)
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.ID == LintAssertions && strings.Contains(f.Message, "always") }) {
		t.Fatalf("%+v", found)
	}
}
