package contracts

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const twoCities = `cases:
  - id: two
    input: {text: "Oslo in celsius, Rome"}
    calls:
      - {name: get_weather, arguments: {city: [Oslo, Christiania], unit: [c], days: [1]}, optional: [days]}
      - {name: get_weather, arguments: {city: [Rome, Oslo]}}
`

func TestCallsOfACase(t *testing.T) {
	oslo, rome := `{"name":"get_weather","arguments":{"city":"Oslo","unit":"c"}}`, `{"name":"get_weather","arguments":{"city":"Rome"}}`
	for name, row := range map[string]struct {
		calls []string
		rule  string
		at    string
	}{
		"the right calls":                                 {[]string{oslo, rome}, "", ""},
		"the right calls in the other order":              {[]string{rome, oslo}, "", ""},
		"an optional argument that is there":              {[]string{rome, strings.Replace(oslo, `"c"`, `"c","days":1`, 1)}, "", ""},
		"a number in another spelling":                    {[]string{rome, strings.Replace(oslo, `"c"`, `"c","days":1.0`, 1)}, "", ""},
		"a call that fits both, where the other fits one": {[]string{strings.Replace(rome, "Rome", "Oslo", 1), strings.Replace(oslo, "Oslo", "Christiania", 1)}, "", ""},
		"one call is missing":                             {[]string{oslo}, RuleCalls, "/calls"},
		"one call too many":                               {[]string{oslo, rome, rome}, RuleCalls, "/calls"},
		"another tool":                                    {[]string{oslo, `{"name":"stop","arguments":{}}`}, RuleCalls, "/calls"},
		"an optional argument with another value":         {[]string{rome, strings.Replace(oslo, `"c"`, `"c","days":2`, 1)}, RuleArguments, "/calls"},
		"the same call twice":                             {[]string{oslo, oslo}, RuleArguments, "/calls"},
		"an argument that the case does not want":         {[]string{oslo, strings.Replace(rome, `"Rome"`, `"Rome","unit":"c"`, 1)}, RuleArguments, "/calls"},
		"a value in another case":                         {[]string{oslo, strings.Replace(rome, "Rome", "rome", 1)}, RuleArguments, "/calls"},
	} {
		c := toolContract(t, toolHead+toolList+twoCities)
		broken := c.CheckCase(c.Cases[0], json.RawMessage(`{"calls":[`+strings.Join(row.calls, ",")+`]}`))
		if row.rule == "" && broken != nil || row.rule != "" && (len(broken) != 1 || broken[0].Rule != row.rule || broken[0].Pointer != row.at) {
			t.Errorf("%s: %+v; want %q", name, broken, row.rule)
		}
	}
}

func TestOneWrongCallIsToldByItsArgument(t *testing.T) {
	c := toolContract(t, toolHead+toolList+"cases: [{id: a, input: {text: x}, calls: [{name: get_weather, arguments: {city: [Oslo]}}]}]\n")
	broken := c.CheckCase(c.Cases[0], json.RawMessage(`{"calls":[{"name":"get_weather","arguments":{"city":"secret","unit":"c"}}]}`))
	if len(broken) != 2 || broken[0].Pointer != "/calls/0/arguments/city" || broken[1].Pointer != "/calls/0/arguments/unit" ||
		!strings.Contains(broken[0].Message, `"Oslo"`) || strings.Contains(broken[0].Message, "secret") {
		t.Errorf("%+v", broken)
	}
}

func TestNoCallFitsIsNotTheSameAsNothingSaid(t *testing.T) {
	c := toolContract(t, toolHead+toolList+"cases: [{id: none, input: {text: x}, calls: []}, {id: any, input: {text: x}, assertions: ['true']}]\n")
	called := json.RawMessage(`{"calls":[{"name":"stop","arguments":{}}]}`)
	if broken := c.CheckCase(c.Cases[0], called); len(broken) != 1 || broken[0].Rule != RuleCalls {
		t.Errorf("none: %+v", broken)
	}
	if broken := c.CheckCase(c.Cases[1], called); broken != nil {
		t.Errorf("any: %+v", broken)
	}
	if broken := c.CheckCase(c.Cases[0], json.RawMessage(`{"calls":[]}`)); broken != nil {
		t.Errorf("empty: %+v", broken)
	}
}

func TestLintOfCalls(t *testing.T) {
	for name, row := range map[string]struct{ kase, id, says string }{
		"sound cases":                        {"{id: a, input: {text: x}, calls: [{name: get_weather, arguments: {city: [Oslo], unit: [c]}}]}", "", ""},
		"no tool fits":                       {"{id: a, input: {text: x}, calls: []}", "", ""},
		"a tool that is not there":           {"{id: a, input: {text: x}, calls: [{name: go, arguments: {}}]}", LintCases, `"go"`},
		"an argument that is not there":      {"{id: a, input: {text: x}, calls: [{name: stop, arguments: {now: [true]}}]}", LintCases, "now of stop is not declared"},
		"a second value outside the enum":    {"{id: a, input: {text: x}, calls: [{name: get_weather, arguments: {city: [Oslo], unit: [c, k]}}]}", LintCases, "unit of get_weather must be one of"},
		"a required argument that is absent": {"{id: a, input: {text: x}, calls: [{name: get_weather, arguments: {unit: [c]}}]}", LintCases, `lacks the member "city"`},
		"values instead of calls":            {"{id: a, input: {text: x}, expected: {calls: []}}", LintCases, "write calls"},
		"a swapped label that passes":        {"{id: a, input: {text: x}, assertions: ['true'], calls: [{name: get_weather, arguments: {city: [Oslo], unit: [c, f]}}]}", "", ""},
	} {
		found := Lint(toolContract(t, toolHead+toolList+"cases:\n  - "+row.kase+"\n"))
		if row.id == "" && found != nil || row.id != "" && !slices.ContainsFunc(found, func(f Finding) bool {
			return f.ID == row.id && strings.Contains(f.Message+f.Fix, row.says) && f.Line > 0 && f.Fix != ""
		}) {
			t.Errorf("%s: %+v; want %s %q", name, found, row.id, row.says)
		}
	}
	found := Lint(mustLoad(t, "cases:\n", "cases:\n  - {id: a, input: {account: a, text: t}, calls: []}\n"))
	if len(found) != 1 || !strings.Contains(found[0].Message, "no tools") {
		t.Errorf("calls without tools: %+v", found)
	}
}

func TestMutantsOfCalls(t *testing.T) {
	c := toolContract(t, toolHead+toolList+"cases: [{id: a, input: {text: x}, calls: [{name: get_weather, arguments: {city: [Oslo], unit: [c], days: [2]}, optional: [unit]}]}]\n")
	mutants := c.mutateCalls(c.Cases[0])
	what := map[string]int{}
	l := &linter{c: c}
	for _, m := range mutants {
		what[m.what]++
		if !l.refused(c.Cases[0], m.value) {
			t.Errorf("%s passes", m.says)
		}
	}
	// add: the answer, the call; drop: calls, the call, city, days; null: calls and 3 arguments;
	// repeat: the call; label: the other tool, the other unit; stringify: days; off: city, days, unit
	for name, n := range map[string]int{"add": 2, "drop": 4, "null": 4, "repeat": 1, "label": 2, "stringify": 1, "off": 3} {
		if what[name] != n {
			t.Errorf("%d mutants of kind %s, want %d", what[name], name, n)
		}
	}
	blind := Case{ID: "blind"}
	passed := map[string]int{}
	for _, m := range mutants {
		if !l.refused(blind, m.value) {
			passed[m.what]++
		}
	}
	if passed["label"] != 1 || passed["off"] != 2 || passed["repeat"] != 1 { // the schema alone can't tell these
		t.Errorf("a case that expects nothing lets %v pass", passed)
	}
}
