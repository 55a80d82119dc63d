package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// clerk is a provider in memory that answers in calls and knows what a second
// turn has to look like. The hooks are the ways in which a server gets it wrong.
type clerk struct {
	contract *contracts.Contract
	words    model // answers what is no errand

	id     func(n int) string                                              // of a call; nil: call_<n>
	second func(results []string) (contracts.Completion, error)            // the answer to results; nil: words that repeat them
	first  func(contracts.Case, contracts.Completion) contracts.Completion // what becomes of the first answer
	turns  int                                                             // second turns that came, whole
}

func (c *clerk) Traits() providers.Traits { return providers.Traits{} }

func refusedTurn() *contracts.Failure {
	return &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None, Status: 400}
}

func (c *clerk) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	if last := r.Messages[len(r.Messages)-1]; last.Role == "tool" {
		return c.answer(r)
	}
	if r.SchemaName == probeName || r.Tools == nil {
		return c.words.Complete(ctx, r)
	}
	text := folded(textOf(r.Messages))
	for _, k := range c.contract.Cases {
		if strings.Contains(text, folded(inputText(k))) {
			got := rightCalls(k)
			for i := range got.ToolCalls {
				got.ToolCalls[i].ID = fmt.Sprintf("call_%d", i)
				if c.id != nil {
					got.ToolCalls[i].ID = c.id(i)
				}
			}
			if c.first != nil {
				got = c.first(k, got)
			}
			return got, nil
		}
	}
	return said("I have no tool for that."), nil
}

// answer takes a second turn as OpenAI documents it: the assistant's turn with
// its calls, and then a result for each of them, under its id.
func (c *clerk) answer(r providers.Request) (contracts.Completion, error) {
	at := slices.IndexFunc(r.Messages, func(m providers.Message) bool { return m.Role == "assistant" })
	if at < 0 || r.ToolChoice != contracts.ToolAuto || len(r.Tools) == 0 {
		return contracts.Completion{}, refusedTurn()
	}
	calls, rest := r.Messages[at].ToolCalls, r.Messages[at+1:]
	if len(calls) == 0 || len(calls) != len(rest) {
		return contracts.Completion{}, refusedTurn()
	}
	var results []string
	for i, m := range rest {
		if m.Role != "tool" || m.ToolCallID != calls[i].ID || m.Content == "" {
			return contracts.Completion{}, refusedTurn()
		}
		results = append(results, m.Content)
	}
	c.turns++
	if c.second != nil {
		return c.second(results)
	}
	return said("Done: " + strings.Join(results, ", ")), nil
}

// errands are twenty cases that want one call, two, or none.
func errands(t *testing.T) *contracts.Contract {
	var b strings.Builder
	b.WriteString(strings.Split(toolContract, "cases:")[0] + "cases:\n")
	for i := range 20 {
		calls := fmt.Sprintf(`{name: pay, arguments: {to: ["p%d"], cents: [%d]}}`, i, 100+i)
		switch i % 5 {
		case 3:
			calls += fmt.Sprintf(`, {name: pay, arguments: {to: ["q%d"], cents: [%d]}}`, i, 100+i)
		case 4:
			calls = ""
		}
		fmt.Fprintf(&b, "  - {id: c%02d, input: {text: \"errand number %02d\"}, calls: [%s]%s}\n", i, i, calls, map[bool]string{true: ", tags: [negative]"}[calls == ""])
	}
	return load(t, b.String())
}

func clerkOptions(t *testing.T, c *clerk) Options {
	c.contract = errands(t)
	c.words.contract = c.contract
	return Options{Contract: c.contract, Provider: c, Mode: Certify, Seed: 1, KeepGoing: true, Backoff: time.Millisecond,
		Target: providers.Target{Name: "t", Provider: "p", Model: "m"}}
}

func TestResultsOfCallsGoBackThreeTimes(t *testing.T) {
	c := &clerk{}
	r := run(t, clerkOptions(t, c))
	got := check(t, r, idSecond)
	if r.Verdict != contracts.Pass || got.N != 3 || got.OK != 3 || got.Values["results_used"] != "3 of 3" || c.turns != 3 {
		t.Errorf("%s %v, %+v, %d turns", r.Verdict, r.Reasons, got, c.turns)
	}
}

func TestASecondTurnThatDoesNotWorkFailsThePair(t *testing.T) {
	for _, l := range []struct {
		name, says string
		clerk      *clerk
	}{
		{"results are refused", "not answered (invalid_request", &clerk{second: func([]string) (contracts.Completion, error) { return contracts.Completion{}, refusedTurn() }}},
		{"the answer is empty", "is empty", &clerk{second: func([]string) (contracts.Completion, error) { return said("  "), nil }}},
		{"the adapter finds the answer empty", "not answered (bad_response", &clerk{second: func([]string) (contracts.Completion, error) {
			return contracts.Completion{}, &contracts.Failure{Class: contracts.BadResponse, Effect: contracts.Ended, Code: "empty", Status: 200}
		}}},
		{"a call has no id", "has no id", &clerk{first: func(_ contracts.Case, got contracts.Completion) contracts.Completion {
			if len(got.ToolCalls) == 1 {
				got.ToolCalls[0].ID = ""
			}
			return got
		}}},
	} {
		r := run(t, clerkOptions(t, l.clerk))
		if got := check(t, r, idSecond); r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{idSecond}) || !strings.Contains(got.Detail, l.says) {
			t.Errorf("%s: %s, failed %v, %+v", l.name, r.Verdict, failed(r), got)
		}
	}
}

// Words that use nothing of the result are an answer; so are further calls, and
// ids of another form.
func TestOddButLegalSecondTurnsPass(t *testing.T) {
	for name, c := range map[string]*clerk{
		"words that use no result": {second: func([]string) (contracts.Completion, error) { return said("Done."), nil }},
		"another call":             {second: func([]string) (contracts.Completion, error) { return called("balance", "{}"), nil }},
		"ids of nine letters":      {id: func(n int) string { return fmt.Sprintf("aB3dE6gH%d", n) }},
	} {
		if r := run(t, clerkOptions(t, c)); r.Verdict != contracts.Pass || check(t, r, idSecond).OK != 3 {
			t.Errorf("%s: %s %v", name, r.Verdict, r.Reasons)
		}
	}
}

func TestWithoutACallNothingIsShownOfASecondTurn(t *testing.T) {
	r := run(t, clerkOptions(t, &clerk{first: func(contracts.Case, contracts.Completion) contracts.Completion { return said("No.") }}))
	if got := check(t, r, idSecond); got.Verdict != contracts.Inconclusive || got.Detail != errNoCall.Error() {
		t.Errorf("%+v", got)
	}
	if got := check(t, run(t, deskOptions(t, &model{}, "")), idSecond); got.Verdict != contracts.NotApplicable || got.Detail != "the contract offers no tools" {
		t.Errorf("a contract without tools: %+v", got)
	}
}
