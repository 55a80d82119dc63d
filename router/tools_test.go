package router

import (
	"context"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// calls answers with one call of a tool.
func calls(c contracts.ToolCall) reply {
	return func(context.Context, providers.Request) (contracts.Completion, error) {
		return contracts.Completion{ToolCalls: []contracts.ToolCall{c}, Model: "m", FinishReason: "tool_calls"}, nil
	}
}

var gcd = contracts.ToolCall{ID: "1", Name: "math_gcd", Arguments: `{"num1": 36, "num2": 48}`}

func TestStoriesWithTools(t *testing.T) {
	const ref = "assistant-tools"
	for _, story := range []struct {
		name string
		tell func(w *world)
	}{
		{"the result of a contract with tools is the calls", func(w *world) {
			w.a.answer = calls(gcd)
			j := w.infer(w.router, ref, "k", time.Minute)
			w.expect(j, "succeeded by 1: a succeeded")
			if got := string(j.Result.Output); got != `{"calls":[{"name":"math_gcd","arguments":{"num1":36,"num2":48}}]}` {
				w.t.Errorf("output %s", got)
			}
		}},
		{"the request offers the tools and no schema", func(w *world) {
			w.a.answer = func(_ context.Context, r providers.Request) (contracts.Completion, error) {
				if len(r.Tools) != 13 || r.ToolChoice != contracts.ToolAuto || r.Schema != nil {
					return contracts.Completion{}, &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None}
				}
				return contracts.Completion{Content: "No tool does that."}, nil
			}
			j := w.infer(w.router, ref, "k", time.Minute)
			w.expect(j, "succeeded by 1: a succeeded")
			if string(j.Result.Output) != `{"calls":[]}` {
				w.t.Errorf("output %s", j.Result.Output)
			}
		}},
		{"arguments that came as an object fall over (R26)", func(w *world) {
			w.prove()
			bad := gcd
			bad.Raw = true
			w.a.answer, w.b.answer = calls(bad), calls(gcd)
			j := w.infer(w.router, ref, "k", time.Minute)
			w.expect(j, "succeeded by 2: a failed, b succeeded")
			if f := j.Attempts[0].Failure; f.Class != contracts.BadResponse || f.Code != contracts.CodeArguments {
				w.t.Errorf("failure %+v", f)
			}
		}},
		{"a tool that nobody offered falls over (R26)", func(w *world) {
			w.prove()
			bad := gcd
			bad.Name = "math_lcm"
			w.a.answer, w.b.answer = calls(bad), calls(gcd)
			w.expect(w.infer(w.router, ref, "k", time.Minute), "succeeded by 2: a failed, b succeeded")
		}},
		{"a fallback that has not proved the tools may not take over, and is told so (R24)", func(w *world) {
			w.a.answer = fails(contracts.Failure{Class: contracts.Auth, Effect: contracts.None})
			j := w.infer(w.router, ref, "k", time.Minute)
			w.expect(j, "failed no_eligible_fallback: a failed")
			if why := j.Error.Excluded[0].Reason; !strings.Contains(why, "it has not proved the contract's 13 tools") {
				w.t.Errorf("reason %q", why)
			}
		}},
	} {
		t.Run(story.name, func(t *testing.T) { inWorld(t, story.tell) })
	}
}
