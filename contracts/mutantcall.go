package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// mutateCalls makes the mistakes that models make of the right calls of case k.
// What the case accepts beside its first value is no mistake.
func (c *Contract) mutateCalls(k Case) []mutant {
	right := k.goldenCalls()
	calls := right["calls"].([]any)
	all := []mutant{
		{"add", "an undeclared member", with(right, "unexpected_member", "x")},
		{"null", "calls null", with(right, "calls", nil)},
		{"drop", "calls missing", map[string]any{}},
	}
	for i, call := range calls {
		all = append(all, mutant{"drop", fmt.Sprintf("call %d missing", i+1), with(right, "calls", slices.Delete(slices.Clone(calls), i, i+1))},
			mutant{"repeat", fmt.Sprintf("call %d twice", i+1), with(right, "calls", append(slices.Clone(calls), call))})
		for _, m := range c.mutateCall(k.Calls[i], call.(map[string]any)) {
			changed := slices.Clone(calls)
			changed[i] = m.value
			all = append(all, mutant{m.what, fmt.Sprintf("call %d: %s", i+1, m.says), with(right, "calls", changed)})
		}
	}
	return all
}

// mutateCall spoils one call: the tool's name, then each argument.
func (c *Contract) mutateCall(want ExpectedCall, call map[string]any) []mutant {
	arguments := call["arguments"].(map[string]any)
	spoilt := func(changed map[string]any) map[string]any { return with(call, "arguments", changed) }
	all := []mutant{{"add", "an undeclared argument", spoilt(with(arguments, "unexpected_argument", "x"))}}
	for _, t := range c.Tools {
		if t.Name != want.Name {
			all = append(all, mutant{"label", "the tool " + t.Name, with(call, "name", t.Name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !slices.Contains(want.Optional, name) {
			dropped := maps.Clone(arguments)
			delete(dropped, name)
			all = append(all, mutant{"drop", name + " missing", spoilt(dropped)})
		}
		for _, m := range slices.Concat(stringified(arguments, name), shifted(arguments, name), swapped(arguments, name, c.tool(want.Name).parameters)) {
			if !want.accepts(name, m.value[name]) {
				all = append(all, mutant{m.what, m.says, spoilt(m.value)})
			}
		}
	}
	return all
}

// shifted is a number one too large, a text with one letter more, and null.
func shifted(right map[string]any, field string) []mutant {
	all := []mutant{{"null", field + " null", with(right, field, nil)}}
	switch v := right[field].(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			all = append(all, mutant{"off", field + " off by one", with(right, field, json.Number(fmt.Sprint(n+1)))})
		}
	case string:
		all = append(all, mutant{"off", field + " with a letter more", with(right, field, v+"x")})
	}
	return all
}
