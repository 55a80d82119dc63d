package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// caseCalls checks the calls of a case: a right answer that the tools refuse
// can never come.
func (l *linter) caseCalls(k Case) {
	switch {
	case len(l.c.Tools) == 0:
		l.find(k.place, LintCases, fmt.Sprintf("case %q expects calls, and the contract has no tools", k.ID), "add tools, or expect values")
		return
	case len(k.Expected)+len(k.Accepted) > 0:
		l.find(k.place, LintCases, fmt.Sprintf("case %q expects values of a contract that is answered in calls", k.ID), "write calls")
		return
	case k.Calls != nil:
		l.callsFit(k)
	}
}

// callsFit holds every accepted value against its tool's parameters, and the
// right answer as a whole, which must not lack an argument either.
func (l *linter) callsFit(k Case) {
	for _, call := range k.Calls {
		t := l.c.tool(call.Name)
		if t == nil {
			l.find(k.place, LintCases, fmt.Sprintf("case %q expects a call of %q, which is no tool of the contract", k.ID, call.Name), "correct the name")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(call.Arguments)) {
			for _, value := range call.Arguments[name] {
				l.argumentFits(k, t, name, value)
			}
		}
	}
	raw, err := json.Marshal(k.goldenCalls())
	if err != nil {
		return
	}
	for _, v := range l.c.validateOutput(raw) {
		if v.Rule == "required" || v.Rule == "minItems" {
			l.find(k.place, LintCases, fmt.Sprintf("case %q: the right answer %s at %q", k.ID, v.Message, v.Pointer), "correct the calls, or the tools")
		}
	}
}

func (l *linter) argumentFits(k Case, t *Tool, name string, value json.RawMessage) {
	for _, v := range t.parameters.validate(nest([]string{name}, value)) {
		if v.Rule != "required" {
			l.find(k.place, LintCases, fmt.Sprintf("case %q: the argument %s of %s %s", k.ID, name, t.Name, v.Message), "correct it, or the tool's parameters")
		}
	}
}
