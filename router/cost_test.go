package router

import (
	"context"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

func TestWhatAnAttemptCosts(t *testing.T) {
	priced := providers.Target{Price: contracts.Price{Input: 1_000_000, Output: 2_000_000, AsOf: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}}
	plain := &contracts.Contract{Sampling: contracts.Sampling{MaxTokens: 10}}
	used := contracts.Usage{InputTokens: 3, OutputTokens: 4, Reported: true}
	ended := &contracts.Failure{Class: contracts.BadResponse, Effect: contracts.Ended}
	for _, row := range []struct {
		name   string
		target providers.Target
		a      answer
		want   *jobstore.Cost
	}{
		{"an answer with usage is certain", priced, answer{usage: used}, &jobstore.Cost{MicroUSD: 11}},
		{"so is one that broke its contract", priced, answer{usage: used, failure: ended}, &jobstore.Cost{MicroUSD: 11}},
		{"where nothing ran, nothing was paid", priced, answer{failure: &refusal}, &jobstore.Cost{}},
		{"without a price nobody knows", providers.Target{}, answer{usage: used}, nil},
		{"without a bound on the answer nobody knows the most", priced, answer{failure: ended}, nil},
	} {
		c := plain
		if row.want == nil {
			c = &contracts.Contract{}
		}
		got := costOf(row.target, c, []byte(`{"input":{}}`), row.a)
		if (got == nil) != (row.want == nil) || got != nil && *got != *row.want {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

func TestALateAnswerReplacesWhatItsAttemptCanHaveCost(t *testing.T) {
	inWorld(t, func(w *world) {
		target := w.router.Targets["a"]
		target.Price = contracts.Price{Input: 1_000_000, Output: 1_000_000, AsOf: time.Unix(1, 0)}
		w.router.Targets["a"] = target
		counted := okay
		counted.Usage = contracts.Usage{InputTokens: 30, OutputTokens: 12, Reported: true}
		w.a.answer = after(time.Minute, func(_ context.Context, _ providers.Request) (contracts.Completion, error) { return counted, nil })
		j := w.infer(w.router, "ticket-triage", "k", 30*time.Second)
		w.expect(j, "unknown: a unknown")
		certain, possible := j.Cost()
		if stored := w.stored(j.ID); certain != 0 || possible <= 42 || *stored.Attempts[0].Cost != *j.Attempts[0].Cost {
			t.Errorf("while it is unknown: certain %d, possible %d, stored %+v", certain, possible, stored.Attempts[0].Cost)
		}
		time.Sleep(time.Minute)
		j = w.stored(j.ID)
		w.expect(j, "succeeded by 1: a succeeded")
		if certain, possible := j.Cost(); certain != 42 || possible != 0 {
			t.Errorf("once it is known: certain %d, possible %d", certain, possible)
		}
		var spent int64
		for _, o := range w.seen.list {
			spent += o.Spent
		}
		if spent != 42 {
			t.Errorf("observed %d", spent)
		}
	})
}

func TestNoFurtherAttemptBeginsThatCouldBringAJobOverItsCap(t *testing.T) {
	tried := func(cost *jobstore.Cost) []jobstore.Attempt {
		return []jobstore.Attempt{{Number: 1, Target: "a", State: jobstore.AttemptFailed, Cost: cost,
			Failure: &contracts.Failure{Class: contracts.ProviderError, Effect: contracts.Ended}}}
	}
	for _, row := range []struct {
		name     string
		attempts []jobstore.Attempt
		mostly   map[string]int64
		want     string // target or code
	}{
		{"what is left is enough for the most it can cost", tried(&jobstore.Cost{MicroUSD: 40}), map[string]int64{"a": 60, "b": 60}, "b"},
		{"a millionth more is not", tried(&jobstore.Cost{MicroUSD: 41}), map[string]int64{"a": 60, "b": 60}, "spend_cap"},
		{"an estimate counts like a certain cost", tried(&jobstore.Cost{MicroUSD: 41, Estimated: true}), map[string]int64{"a": 60, "b": 60}, "spend_cap"},
		{"an attempt of unknown cost counts at its most", tried(nil), map[string]int64{"a": 60, "b": 60}, "spend_cap"},
		{"a target without a bound is too much", tried(&jobstore.Cost{}), map[string]int64{"a": 60}, "spend_cap"},
		{"the first attempt is not held against it", nil, map[string]int64{"a": 1000}, "a"},
	} {
		route := &Route{Primary: "a", Fallbacks: []string{"b"}, Attempts: 3, MaxCost: 100}
		got := next(situation{route: route, effects: contracts.EffectsNone, attempts: row.attempts, left: time.Minute, mostly: row.mostly})
		what := got.target
		if got.fail != nil {
			what = got.fail.Code
		}
		if what != row.want {
			t.Errorf("%s: %s, want %s", row.name, what, row.want)
		}
	}
}
