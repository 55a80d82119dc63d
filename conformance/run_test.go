package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
)

type answer = func(contracts.Case, int, int) (contracts.Completion, error)

// failing answers every call as f says and every other rightly.
func failing(f contracts.Failure, when func(asked, calls int) bool) answer {
	return func(k contracts.Case, asked, calls int) (contracts.Completion, error) {
		if when(asked, calls) {
			return contracts.Completion{}, &f
		}
		return honest(k, asked, calls)
	}
}

var always = func(int, int) bool { return true }

func TestAnHonestTargetPassesQuickWithThreeRunsOfEachCase(t *testing.T) {
	c := tickets(t)
	o := options(c, honest)
	r := run(t, o)
	if r.Verdict != contracts.Pass || r.Reasons != nil || r.Stopped != "" {
		t.Fatalf("%s %v %s", r.Verdict, r.Reasons, r.Stopped)
	}
	if r.Totals.Runs != 24 || r.Totals.Infra != 0 || r.Totals.Usage.InputTokens != 24*5 || r.Totals.Usage.OutputTokens != 24*7 {
		t.Errorf("totals %+v", r.Totals)
	}
	for _, k := range r.Cases {
		if len(k.Runs) != 3 {
			t.Errorf("case %s has %d runs", k.ID, len(k.Runs))
		}
	}
	for id, n := range map[string]int{"STR-01": 24, "SEM-01": 24, "SEM-05": 6, "SEM-07": 1, "SEM-08": 3} {
		if got := check(t, r, id); got.N != n || got.OK != n || got.Verdict != contracts.Pass {
			t.Errorf("%s: %+v, want %d of %d", id, got, n, n)
		}
	}
	if r.SuiteVersion != "3" || r.Mode != "quick" || r.Contract.Digest != c.Digest || !slices.Equal(r.Model.Served, []string{"m"}) {
		t.Errorf("head %+v", r)
	}
}

func TestEachCallIsNumberedUnderTheReport(t *testing.T) {
	c := tickets(t)
	f := &fake{contract: c, answer: honest}
	o := options(c, nil)
	o.Provider = f
	r := run(t, o)
	seen := map[string]bool{}
	for _, q := range f.requests {
		if !strings.HasPrefix(q.AttemptID, r.ID+".") || seen[q.AttemptID] || q.Schema == nil || q.Model != "m" {
			t.Fatalf("request %q of report %q", q.AttemptID, r.ID)
		}
		seen[q.AttemptID] = true
	}
}

func TestTheFirstHardFailureEndsTheSuiteUnlessItKeepsGoing(t *testing.T) {
	c := tickets(t)
	fenced := func(k contracts.Case, _, _ int) (contracts.Completion, error) {
		return said("```\n" + right(k) + "\n```"), nil
	}
	o := options(c, fenced)
	r := run(t, o)
	if r.Verdict != contracts.Fail || r.Totals.Runs != 1 || r.Stopped == "" || !slices.Equal(failed(r), []string{"STR-01"}) {
		t.Errorf("%s after %d calls, stopped %q, failed %v", r.Verdict, r.Totals.Runs, r.Stopped, failed(r))
	}
	o.KeepGoing = true
	r = run(t, o)
	if r.Verdict != contracts.Fail || r.Totals.Runs != 24 || r.Stopped != "" || check(t, r, "STR-01").N != 24 {
		t.Errorf("keeping going: %s after %d calls, stopped %q", r.Verdict, r.Totals.Runs, r.Stopped)
	}
}

// Of 24 runs, two blocked calls are 2 of 26 and three are 3 of 27: above a tenth.
func TestBlockedCallsAreMadeAgainAndCounted(t *testing.T) {
	c := tickets(t)
	for blocked, want := range map[int]contracts.Verdict{1: contracts.Pass, 2: contracts.Pass, 3: contracts.Inconclusive} {
		synctest.Test(t, func(t *testing.T) {
			r := run(t, options(c, failing(contracts.Failure{Class: contracts.Overloaded, Status: 503}, func(_, calls int) bool { return calls%2 == 0 && calls < 2*blocked })))
			if r.Verdict != want || r.Totals.Infra != blocked {
				t.Errorf("%d blocked: %s, %v, infra %d", blocked, r.Verdict, r.Reasons, r.Totals.Infra)
			}
			if want == contracts.Pass && (r.Totals.Runs != 24+blocked || check(t, r, "SEM-01").N != 24) {
				t.Errorf("%d blocked: %d calls, %d judged", blocked, r.Totals.Runs, check(t, r, "SEM-01").N)
			}
		})
	}
}

func TestTheWaitThatAProviderAsksForIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		f := contracts.Failure{Class: contracts.RateLimited, Status: 429, RetryAfter: 20 * time.Second}
		r := run(t, options(tickets(t), failing(f, func(_, calls int) bool { return calls == 0 })))
		if took := time.Since(started); r.Verdict != contracts.Pass || took != 20*time.Second {
			t.Errorf("%s after %s", r.Verdict, took)
		}
	})
}

func TestAWaitThatIsTooLongLeavesTheRunUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := contracts.Failure{Class: contracts.RateLimited, Status: 429, RetryAfter: time.Hour}
		r := run(t, options(tickets(t), failing(f, func(_, calls int) bool { return calls == 0 })))
		if r.Verdict != contracts.Inconclusive || r.Totals.Runs != 24 || !strings.Contains(strings.Join(r.Reasons, " "), "1 runs stayed blocked") {
			t.Errorf("%s after %d calls: %v", r.Verdict, r.Totals.Runs, r.Reasons)
		}
	})
}

func TestASuiteThatTestedNothingIsInconclusive(t *testing.T) {
	c := tickets(t)
	bare := load(t, contractHead+closedOutput)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, l := range []struct {
		name   string
		ctx    context.Context
		change func(*Options)
		reason string
		calls  int
	}{
		{"no cases", t.Context(), func(o *Options) { o.Contract = bare }, "no cases", 0},
		{"too few cases to certify", t.Context(), func(o *Options) { o.Mode = Certify }, "20 cases", 0},
		{"a key that is refused", t.Context(), func(o *Options) {
			o.Provider = &fake{contract: c, answer: failing(contracts.Failure{Class: contracts.Auth, Status: 401}, always)}
		}, "auth, status 401", 1},
		{"a model that is gone", t.Context(), func(o *Options) {
			o.Provider = &fake{contract: c, answer: failing(contracts.Failure{Class: contracts.NotFound, Status: 404}, always)}
		}, "not_found, status 404", 1},
		{"no way there", t.Context(), func(o *Options) {
			o.Provider = &fake{contract: c, answer: failing(contracts.Failure{Class: contracts.Connection, Code: "refused"}, always)}
		}, "connection: refused (3)", 3},
		{"a bound on requests", t.Context(), func(o *Options) { o.MaxRequests = 5 }, "5 requests", 5},
		{"a deadline that is over", t.Context(), func(o *Options) { o.Deadline = time.Now().Add(-time.Second) }, "time", 0},
		{"a caller that went away", cancelled, func(*Options) {}, "cancelled", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := options(c, honest)
			l.change(&o)
			r, err := Run(l.ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != contracts.Inconclusive || !strings.Contains(strings.Join(r.Reasons, "; "), l.reason) || r.Totals.Runs != l.calls {
				t.Errorf("%s: %s after %d calls: %v", l.name, r.Verdict, r.Totals.Runs, r.Reasons)
			}
		})
	}
}

func TestSomeCasesCanFailAPairAndNeverPassIt(t *testing.T) {
	c := tickets(t)
	o := options(c, honest)
	o.Cases = []string{"refund", "crash"}
	if r := run(t, o); r.Verdict != contracts.Inconclusive || r.Totals.Runs != 6 || failed(r) != nil {
		t.Errorf("honest: %s after %d calls, %v", r.Verdict, r.Totals.Runs, failed(r))
	}
	o.Provider = &fake{contract: c, answer: func(contracts.Case, int, int) (contracts.Completion, error) { return said("no"), nil }}
	if r := run(t, o); r.Verdict != contracts.Fail {
		t.Errorf("lying: %s", r.Verdict)
	}
}

func TestACallThatTakesTooLongIsBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(tickets(t), nil)
		o.Provider, o.CallTime = silent{}, time.Second
		r := run(t, o)
		if r.Verdict != contracts.Inconclusive || r.Totals.Infra != 3 || !strings.Contains(strings.Join(r.Reasons, " "), "timeout") {
			t.Errorf("%s, %+v, %v", r.Verdict, r.Totals, r.Reasons)
		}
	})
}

func TestOptionsThatCanNotBeRunAreRefused(t *testing.T) {
	c := tickets(t)
	for name, change := range map[string]func(*Options){
		"no provider":            func(o *Options) { o.Provider = nil },
		"no contract":            func(o *Options) { o.Contract = nil },
		"no mode":                func(o *Options) { o.Mode = "" },
		"too few repeats":        func(o *Options) { o.Repeats = 2 },
		"certify in part":        func(o *Options) { o.Mode, o.Cases = Certify, []string{"refund"} },
		"an unknown case":        func(o *Options) { o.Cases = []string{"nobody"} },
		"a negative concurrency": func(o *Options) { o.Concurrency = -1 },
		"a seed beyond 2^53":     func(o *Options) { o.Seed = 1<<53 + 1 },
	} {
		o := options(c, honest)
		change(&o)
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestConcurrentRunsComeOutInOrder(t *testing.T) {
	c := tickets(t)
	o := options(c, honest)
	o.Concurrency = 8
	told := 0
	o.Progress = func(p Progress) {
		told++
		if p.Done != told || p.Planned != 24 {
			t.Errorf("progress %+v after %d", p, told)
		}
	}
	if r := run(t, o); r.Verdict != contracts.Pass || told != 24 {
		t.Errorf("%s, told %d times", r.Verdict, told)
	}
}

func TestTheSeedOrdersTheRuns(t *testing.T) {
	c := tickets(t)
	order := func(seed uint64) string {
		var all []string
		o := options(c, honest)
		o.Seed = seed
		o.Progress = func(p Progress) { all = append(all, p.Case) }
		run(t, o)
		return strings.Join(all, " ")
	}
	if order(1) != order(1) || order(1) == order(2) {
		t.Errorf("seed 1: %s\nagain:  %s\nseed 2: %s", order(1), order(1), order(2))
	}
}

func TestAnEndTakesAwayOnlyWhatWasStillToCome(t *testing.T) {
	c := tickets(t)
	for after, want := range map[int]contracts.Verdict{5: contracts.Inconclusive, 24: contracts.Pass} {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(c, honest)
		o.Progress = func(p Progress) {
			if p.Done == after {
				cancel()
			}
		}
		r, err := Run(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != want || r.Totals.Runs != after {
			t.Errorf("cancelled after %d: %s after %d calls, %v", after, r.Verdict, r.Totals.Runs, r.Reasons)
		}
	}
}
