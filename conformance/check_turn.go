package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// errNoCall says that there is no first turn to answer.
var errNoCall = errors.New("no answer to a case that wants a call has one, so there is no result to send back")

// secondTurn sends results back under the ids that the target itself gave: some
// take only ids of their own form, and some refuse the turns altogether. How
// often the results were used is recorded; whether the words fit is a question of
// what the app does with them.
func secondTurn(ctx context.Context, p *Probe) finding {
	cases := slices.DeleteFunc(slices.Clone(p.Contract.Cases), func(k contracts.Case) bool { return !wantsCalls(k) })
	if len(cases) == 0 {
		return unused("no case wants a call")
	}
	used := 0
	f := p.trials(3, func(i int) (string, error) {
		first, calls, err := p.firstTurn(ctx, cases[i%len(cases):])
		if err != nil {
			return "", err
		}
		result := p.Nonce()
		next, missed := withResults(first, calls, result)
		if missed != "" {
			return missed, nil
		}
		got, failure, err := p.Ask(ctx, next)
		switch {
		case err != nil:
			return "", err
		case failure != nil:
			return "the results of calls were not answered (" + causeOf(failure) + ")", nil
		case strings.TrimSpace(got.Content) == "" && len(got.ToolCalls) == 0:
			return "the answer to the results of calls is empty", nil
		case strings.Contains(got.Content, result):
			used++
		}
		return "", nil
	})
	return f.with(map[string]string{"results_used": fmt.Sprintf("%d of %d", used, f.n)})
}

// maxFirst bounds the cases that are tried for an answer with calls.
const maxFirst = 3

// firstTurn asks cases until one is answered in calls.
func (p *Probe) firstTurn(ctx context.Context, cases []contracts.Case) (providers.Request, contracts.Completion, error) {
	for _, k := range cases[:min(len(cases), maxFirst)] {
		r, err := providers.BuildRequest(p.Contract, k.Input, p.Target)
		if err != nil {
			return r, contracts.Completion{}, err
		}
		got, failure, err := p.Ask(ctx, r)
		if err != nil {
			return r, got, err
		}
		if failure == nil && len(got.ToolCalls) > 0 {
			return r, got, nil
		}
	}
	return providers.Request{}, contracts.Completion{}, errNoCall
}

// withResults is the request for the second turn: what was asked, the calls as
// they came, and a result for each. A choice that forces a call would ask for
// calls forever, so the second turn is left to the model.
func withResults(r providers.Request, got contracts.Completion, result string) (providers.Request, string) {
	r.Messages = append(slices.Clone(r.Messages), providers.Message{Role: "assistant", Content: got.Content, ToolCalls: got.ToolCalls})
	for _, call := range got.ToolCalls {
		if call.ID == "" {
			return r, "a call has no id under which its result could go back"
		}
		content, _ := json.Marshal(map[string]string{"result": result}) // a string always encodes
		r.Messages = append(r.Messages, providers.Message{Role: "tool", ToolCallID: call.ID, Content: string(content)})
	}
	r.ToolChoice = contracts.ToolAuto
	return r, ""
}
