package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// ExpectedCall is one call that a case wants. Each argument has the values
// that are right for it; an argument that is not named must not be there.
type ExpectedCall struct {
	Name      string
	Arguments map[string][]json.RawMessage
	Optional  []string // arguments that may be left out
}

// The rules of a Violation from CheckCase for a case that expects calls.
const (
	RuleCalls     = "calls"     // how many calls there are, and of which tools
	RuleArguments = "arguments" // the arguments of a call of the right tool
)

// checkCalls compares an answer's calls with those that the case wants, in any
// order: a model may ask for parallel calls in the order it likes.
func (k *Case) checkCalls(output any) []Violation {
	if k.Calls == nil {
		return nil
	}
	got := callsIn(output)
	if len(got) != len(k.Calls) {
		return []Violation{{"/calls", RuleCalls, fmt.Sprintf("must have %d calls", len(k.Calls))}}
	}
	for _, want := range k.Calls {
		if tally(got, want.Name) != tallyWanted(k.Calls, want.Name) {
			return []Violation{{"/calls", RuleCalls, fmt.Sprintf("must call %s %d times", want.Name, tallyWanted(k.Calls, want.Name))}}
		}
	}
	if k.matchable(got) {
		return nil
	}
	if len(got) == 1 {
		return k.Calls[0].wrongArguments(got[0].arguments)
	}
	return []Violation{{"/calls", RuleArguments, "the calls' arguments are not the right ones"}}
}

func tally(calls []callIn, name string) (n int) {
	for _, c := range calls {
		if c.name == name {
			n++
		}
	}
	return n
}

func tallyWanted(calls []ExpectedCall, name string) (n int) {
	for _, c := range calls {
		if c.Name == name {
			n++
		}
	}
	return n
}

// matchable says whether every wanted call can be given a call of its own: a
// perfect matching, found by augmenting paths.
func (k *Case) matchable(got []callIn) bool {
	owner := make([]int, len(got)) // the wanted call that has it, from 1
	for i := range k.Calls {
		if !k.assign(i, got, owner, make([]bool, len(got))) {
			return false
		}
	}
	return true
}

func (k *Case) assign(i int, got []callIn, owner []int, tried []bool) bool {
	for j := range got {
		if tried[j] || got[j].name != k.Calls[i].Name || k.Calls[i].wrongArguments(got[j].arguments) != nil {
			continue
		}
		tried[j] = true
		if owner[j] == 0 || k.assign(owner[j]-1, got, owner, tried) {
			owner[j] = i + 1
			return true
		}
	}
	return false
}

// wrongArguments lists what is wrong with the arguments of the first call.
// Messages name what the case wants, never what came.
func (e *ExpectedCall) wrongArguments(got map[string]any) []Violation {
	var wrong []Violation
	for _, name := range slices.Sorted(maps.Keys(e.Arguments)) {
		value, there := got[name]
		if !there && slices.Contains(e.Optional, name) || there && e.accepts(name, value) {
			continue
		}
		wrong = append(wrong, Violation{fieldPointer("calls.0.arguments." + name), RuleArguments, "must be one of " + joinRaw(e.Arguments[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := e.Arguments[name]; !wanted {
			wrong = append(wrong, Violation{clipPointer(PointerTo("/calls/0/arguments", name)), RuleArguments, "must not be there"})
		}
	}
	return wrong
}

func (e *ExpectedCall) accepts(argument string, value any) bool {
	return slices.ContainsFunc(e.Arguments[argument], func(raw json.RawMessage) bool {
		want, err := decodeJSON(raw)
		return err == nil && sameValue(value, want)
	})
}

// golden is the call with the first value of each argument.
func (e *ExpectedCall) golden() map[string]any {
	arguments := map[string]any{}
	for name, values := range e.Arguments {
		arguments[name], _ = decodeJSON(values[0])
	}
	return map[string]any{"name": e.Name, "arguments": arguments}
}

// goldenCalls is the right answer to a case that expects calls.
func (k *Case) goldenCalls() map[string]any {
	list := make([]any, len(k.Calls))
	for i := range k.Calls {
		list[i] = k.Calls[i].golden()
	}
	return map[string]any{"calls": list}
}
