package conformance

import (
	"encoding/json"
	"slices"
	"testing"

	"inferonce/contracts"
)

const toolContract = contractHead + `tools:
  - name: pay
    parameters: '{"type":"object","properties":{"to":{"type":"string"},"cents":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["to","cents"],"additionalProperties":false}'
  - name: balance
    parameters: '{"type":"object","properties":{},"additionalProperties":false}'
cases:
  - {id: one, input: {text: "pay Ada 5"}, calls: [{name: pay, arguments: {to: [Ada, ada], cents: [500]}}], critical: true, tags: ["pair:who"]}
  - {id: other, input: {text: "pay Bob 5"}, calls: [{name: pay, arguments: {to: [Bob], cents: [500]}}], tags: ["pair:who"]}
  - {id: two, input: {text: "pay both 5"}, calls: [{name: pay, arguments: {to: [Ada], cents: [500]}}, {name: pay, arguments: {to: [Bob], cents: [500]}}]}
  - {id: left, input: {text: "what is left?"}, calls: [{name: balance, arguments: {}}]}
  - {id: joke, input: {text: "tell a joke"}, calls: [], tags: [negative]}
`

// called is a sound completion with these calls, as name and arguments in turn.
func called(calls ...string) contracts.Completion {
	c := said("")
	for i := 0; i < len(calls); i += 2 {
		c.FinishReason = "tool_calls"
		c.ToolCalls = append(c.ToolCalls, contracts.ToolCall{ID: "call_" + string(rune('a'+i)), Name: calls[i], Arguments: calls[i+1]})
	}
	return c
}

// rightCalls is the right answer to a case.
func rightCalls(k contracts.Case) contracts.Completion {
	var all []string
	for _, e := range k.Calls {
		first := map[string]json.RawMessage{}
		for name, values := range e.Arguments {
			first[name] = values[0]
		}
		b, err := json.Marshal(first)
		if err != nil {
			panic(err)
		}
		all = append(all, e.Name, string(b))
	}
	c := called(all...)
	if len(all) == 0 {
		c.Content = "I have no tool for that."
	}
	return c
}

func TestEveryLieAboutACallIsFoundByItsCheck(t *testing.T) {
	c := load(t, toolContract)
	j := NewJudge(c, "m")
	ada, bob := `{"to":"Ada","cents":500}`, `{"to":"Bob","cents":500}`
	shared, unnamed, finish := called("pay", ada, "pay", bob), called("pay", ada, "pay", bob), called("pay", ada)
	shared.ToolCalls[1].ID = shared.ToolCalls[0].ID
	unnamed.ToolCalls[0].ID = ""
	finish.FinishReason = "stop"
	asObject := called("pay", ada)
	asObject.ToolCalls[0].Raw = true
	inText, noCalls, unknownFinish := said(`<tool_call>{"name":"pay","arguments":`+ada+`}</tool_call>`), said("Sure."), called("pay", ada)
	noCalls.FinishReason = "tool_calls"
	unknownFinish.FinishReason = "function"
	for name, row := range map[string]struct {
		kase string
		got  contracts.Completion
		want string
	}{
		"the right call":                          {"one", called("pay", ada), ""},
		"another accepted value":                  {"one", called("pay", `{"cents":500.0,"to":"ada"}`), ""},
		"a call in words beside a call":           {"one", func() contracts.Completion { c := called("pay", ada); c.Content = "Paying."; return c }(), ""},
		"parallel calls in another order":         {"two", called("pay", bob, "pay", ada), ""},
		"a tool without arguments":                {"left", called("balance", "{}"), ""},
		"no call where none fits":                 {"joke", said("A joke: …"), ""},
		"a tool that is not there":                {"one", called("pay_v2", ada), "TOOL-01"},
		"arguments as an object":                  {"one", asObject, "TOOL-02"},
		"arguments encoded twice":                 {"one", called("pay", `"{\"to\":\"Ada\",\"cents\":500}"`), "TOOL-02"},
		"two calls merged into one":               {"two", called("pay", ada+bob), "TOOL-02"},
		"an argument twice":                       {"one", called("pay", `{"to":"Bob","to":"Ada","cents":500}`), "TOOL-02"},
		"a list as text":                          {"one", called("pay", `{"to":"Ada","cents":500,"tags":"[\"a\"]"}`), "TOOL-03"},
		"a number as text":                        {"one", called("pay", `{"to":"Ada","cents":"500"}`), "TOOL-03"},
		"an invented argument":                    {"one", called("pay", `{"to":"Ada","cents":500,"note":"x"}`), "TOOL-03"},
		"a missing argument":                      {"one", called("pay", `{"to":"Ada"}`), "TOOL-03"},
		"wrong arguments":                         {"one", called("pay", `{"to":"Ada","cents":5}`), "TOOL-04"},
		"wrong arguments in one of two":           {"two", called("pay", ada, "pay", `{"to":"Bob","cents":5}`), "TOOL-04"},
		"a call where none fits":                  {"joke", called("balance", "{}"), "TOOL-05"},
		"two calls under one id":                  {"two", shared, "TOOL-06"},
		"a call without an id beside another":     {"two", unnamed, "TOOL-06"},
		"one of two calls repeated for the other": {"two", called("pay", ada, "pay", ada), "TOOL-06"},
		"a finish reason that hides the call":     {"one", finish, "TOOL-08"},
		"a finish reason without a call":          {"one", noCalls, "TOOL-08"},
		"a finish reason of nobody's":             {"one", unknownFinish, "ENV-03"},
		"a call in the text":                      {"one", inText, "ENV-04"},
		"nothing at all":                          {"one", said(""), "ENV-04"},
		"a control token in an argument":          {"one", called("pay", `{"to":"Ada<|im_end|>","cents":500}`), "STR-08"},
		"a known tool that is the wrong one":      {"one", called("balance", "{}"), "SEM-01"},
		"no call where one was wanted":            {"one", said("I can't."), "SEM-01"},
		"one call where two were wanted":          {"two", called("pay", ada), "SEM-01"},
	} {
		if r := j.Classify(caseNamed(t, c, row.kase), row.got, nil); r.Check != row.want {
			t.Errorf("%s: %q %s, want %q", name, r.Check, r.Message, row.want)
		}
	}
}

// Row 35 of the reports about providers: some say "stop" where others say
// "tool_calls". The profile excuses that, and nothing beside it.
func TestAProfileMayLetCallsEndByStop(t *testing.T) {
	c := load(t, toolContract)
	stop, none, cut := called("pay", `{"to":"Ada","cents":500}`), said("Sure."), called("pay", `{"to":"Ada","cents":500}`)
	stop.FinishReason, none.FinishReason, cut.FinishReason = "stop", "tool_calls", "length"
	for name, l := range map[string]struct {
		got           contracts.Completion
		strict, eased string
	}{
		"calls that end by stop":       {stop, "TOOL-08", ""},
		"calls that end by tool_calls": {called("pay", `{"to":"Ada","cents":500}`), "", ""},
		"words that end by tool_calls": {none, "TOOL-08", "TOOL-08"},
		"calls that were cut":          {cut, "ENV-07", "ENV-07"},
	} {
		j, k := NewJudge(c, "m"), caseNamed(t, c, "one")
		if got := j.Classify(k, l.got, nil).Check; got != l.strict {
			t.Errorf("%s: %q, want %q", name, got, l.strict)
		}
		if got := j.With(CallProfile{UnderStop: true}).Classify(k, l.got, nil).Check; got != l.eased {
			t.Errorf("%s, eased: %q, want %q", name, got, l.eased)
		}
	}
	o := options(c, func(k contracts.Case, _, _ int) (contracts.Completion, error) {
		got := rightCalls(k)
		got.FinishReason = "stop"
		return got, nil
	})
	if r := run(t, o); !slices.Equal(failed(r), []string{"TOOL-08"}) {
		t.Errorf("without the profile: %v", failed(r))
	}
	o.Calls.UnderStop = true
	if r := run(t, o); r.Verdict != contracts.Pass {
		t.Errorf("with it: %s %v", r.Verdict, r.Reasons)
	}
}

func TestCallsThatAreRightPass(t *testing.T) {
	c := load(t, toolContract)
	r := run(t, options(c, func(k contracts.Case, _, _ int) (contracts.Completion, error) { return rightCalls(k), nil }))
	if r.Verdict != contracts.Pass {
		t.Fatalf("%s %v", r.Verdict, r.Reasons)
	}
	for id, n := range map[string]int{"TOOL-01": 15, "TOOL-02": 15, "TOOL-03": 15, "TOOL-04": 12, "TOOL-05": 3, "TOOL-06": 15, "TOOL-08": 15, "SEM-01": 15, "SEM-07": 1} {
		if got := check(t, r, id); got.N != n || got.OK != n || got.Verdict != contracts.Pass {
			t.Errorf("%s: %d of %d, %s; want %d", id, got.OK, got.N, got.Verdict, n)
		}
	}
	if got := check(t, r, "STR-04"); got.Verdict != contracts.NotApplicable || got.Detail != "the contract is answered in calls" {
		t.Errorf("STR-04: %+v", got)
	}
}

func TestAContractWithoutToolsSaysSoOfTheirChecks(t *testing.T) {
	r := run(t, options(tickets(t), honest))
	if got := check(t, r, "TOOL-02"); got.Verdict != contracts.NotApplicable || got.N != 0 || got.Detail != "the contract offers no tools" {
		t.Errorf("%+v", got)
	}
}

func TestWrongArgumentsFailTheirCheckAndTheRightAnswer(t *testing.T) {
	c := load(t, toolContract)
	r := run(t, options(c, func(k contracts.Case, _, _ int) (contracts.Completion, error) {
		if len(k.Calls) == 1 && k.Calls[0].Name == "pay" {
			return called("pay", `{"to":"Eve","cents":500}`), nil
		}
		return rightCalls(k), nil
	}))
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"TOOL-04", "SEM-01", "SEM-07"}) {
		t.Errorf("%s %v", r.Verdict, failed(r))
	}
	if got := check(t, r, "TOOL-04"); got.N != 12 || got.OK != 6 {
		t.Errorf("%+v", got)
	}
}

func TestOneCallWhereNoneFitsFailsThePair(t *testing.T) {
	c := load(t, toolContract)
	o := options(c, func(k contracts.Case, asked, _ int) (contracts.Completion, error) {
		if k.ID == "joke" && asked == 2 {
			return called("balance", "{}"), nil
		}
		return rightCalls(k), nil
	})
	if r := run(t, o); r.Verdict != contracts.Fail || !slices.Contains(failed(r), "TOOL-05") {
		t.Errorf("%s %v", r.Verdict, failed(r))
	}
}
