package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestAContractThatIsNotSoundCostsNoCall(t *testing.T) {
	for _, l := range []struct {
		name, cases, output string
		profile             SchemaProfile
		want                string
	}{
		{"an input that its own schema refuses", `  - {id: a, input: {text: 7}, expected: {category: none, priority: 1, order_id: null}}`, closedOutput, SchemaProfile{}, "LINT-04"},
		{"a case that says nothing", `  - {id: a, input: {text: x}}`, closedOutput, SchemaProfile{}, "LINT-04"},
		{"cases that let an invented member pass", "  - {id: a, input: {text: x}, expected: {category: none}}", openOutput, SchemaProfile{}, "LINT-05"},
		{"an assertion about what is not there", `  - {id: a, input: {text: x}, expected: {category: none, priority: 1, order_id: null}, assertions: ["output.due == null"]}`, closedOutput, SchemaProfile{}, "LINT-06"},
		{"a provider that would have values invented", `  - {id: a, input: {text: x}, expected: {category: none, priority: 1, order_id: null}}`, closedOutput, OpenAIStrict(), "LINT-03"},
	} {
		c := load(t, contractHead+l.output+"cases:\n"+l.cases+"\n")
		o := options(c, honest)
		o.Profile, o.KeepGoing = l.profile, true
		r := run(t, o)
		if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{l.want}) || r.Totals.Runs != 0 || len(r.Reasons) == 0 {
			t.Errorf("%s: %s after %d calls, failed %v, %v", l.name, r.Verdict, r.Totals.Runs, failed(r), r.Reasons)
		}
		if got := check(t, r, "STR-01"); got.Verdict != contracts.Inconclusive {
			t.Errorf("%s: STR-01 is %s though nothing was asked", l.name, got.Verdict)
		}
	}
}

func TestAHardProbeThatFailsEndsTheSuite(t *testing.T) {
	o := deskOptions(t, &model{there: func(turns []providers.Message) []providers.Message { return turns[len(turns)-1:] }}, "")
	o.KeepGoing = false
	r := run(t, o)
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"REN-02"}) || r.Stopped == "" || r.Totals.Runs-r.Totals.Probes != 1 {
		t.Errorf("%s, failed %v, stopped %q, %+v", r.Verdict, failed(r), r.Stopped, r.Totals)
	}
}

func TestProbesKeepTheSuitesBounds(t *testing.T) {
	whole := run(t, deskOptions(t, &model{}, "")).Totals.Runs
	for _, most := range []int{1, 2, 10, 30, whole - 1} {
		o := deskOptions(t, &model{}, "")
		o.MaxRequests = most
		r := run(t, o)
		if r.Verdict != contracts.Inconclusive || r.Totals.Runs != most || o.Provider.(*model).calls != most || failed(r) != nil {
			t.Errorf("%d calls: %s after %d, failed %v, %v", most, r.Verdict, r.Totals.Runs, failed(r), r.Reasons)
		}
	}
	o := deskOptions(t, &model{}, "")
	if o.MaxRequests = whole; run(t, o).Verdict != contracts.Pass {
		t.Error("as many calls as are needed are not enough")
	}
}

// slow answers after a second.
type slow struct{ *model }

func (s slow) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	select {
	case <-time.After(time.Second):
		return s.model.Complete(ctx, r)
	case <-ctx.Done():
		return contracts.Completion{}, &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open}
	}
}

func TestADeadlineEndsProbesInconclusively(t *testing.T) {
	for _, after := range []time.Duration{500 * time.Millisecond, 7500 * time.Millisecond, 40500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			o := deskOptions(t, &model{}, "")
			o.Provider, o.Deadline = slow{o.Provider.(*model)}, time.Now().Add(after)
			started := time.Now()
			r := run(t, o)
			if r.Verdict != contracts.Inconclusive || failed(r) != nil || time.Since(started) != after || !strings.Contains(strings.Join(r.Reasons, " "), "time for the suite was over") {
				t.Errorf("after %s: %s in %s, failed %v, %v", after, r.Verdict, time.Since(started), failed(r), r.Reasons)
			}
		})
	}
}

// blocking refuses by rate every call of probes to a number.
type blocking struct {
	*model
	mu      sync.Mutex
	refused int
	most    int
}

func (b *blocking) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	b.mu.Lock()
	refuse := r.SchemaName == probeName && b.refused < b.most
	if refuse {
		b.refused++
	}
	b.mu.Unlock()
	if refuse {
		return contracts.Completion{}, &contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, Status: 429}
	}
	return b.model.Complete(ctx, r)
}

func TestBlockedProbesAreAskedAgainAndProveNothing(t *testing.T) {
	for most, want := range map[int]contracts.Verdict{2: contracts.Pass, 3: contracts.Inconclusive, 1000: contracts.Inconclusive} {
		synctest.Test(t, func(t *testing.T) {
			o := deskOptions(t, &model{}, "")
			o.Provider = &blocking{model: o.Provider.(*model), most: most}
			if r := run(t, o); r.Verdict != want || failed(r) != nil {
				t.Errorf("%d blocked: %s, failed %v, %v", most, r.Verdict, failed(r), r.Reasons)
			}
		})
	}
}

func TestNoTwoProbesUseTheSameCode(t *testing.T) {
	seen := map[string]int{}
	for range 2 {
		m := &model{}
		perRun := map[string]bool{}
		m.there = func(turns []providers.Message) []providers.Message {
			for _, f := range entry.FindAllStringSubmatch(textOf(turns), -1) {
				perRun[f[2]] = true
			}
			return turns
		}
		run(t, deskOptions(t, m, ""))
		for c := range perRun {
			seen[c]++
		}
	}
	if len(seen) < 80 {
		t.Fatalf("only %d codes", len(seen))
	}
	for c, n := range seen {
		if n > 1 {
			t.Errorf("the code %s was used in two suites", c)
		}
	}
}

func TestQuickAsksNothingBesideItsCases(t *testing.T) {
	o := deskOptions(t, &model{}, "")
	o.Mode = Quick
	r := run(t, o)
	if r.Verdict != contracts.Pass || r.Totals.Probes != 0 || r.Totals.Runs != 60 || check(t, r, "REN-01").Verdict != contracts.NotApplicable {
		t.Errorf("%s, %+v, %s", r.Verdict, r.Totals, check(t, r, "REN-01").Verdict)
	}
}

func TestAContractWithoutASystemPromptHasNoneToProve(t *testing.T) {
	r := run(t, certify(many(t, 20), honest))
	if r.Verdict != contracts.Pass || check(t, r, "REN-02").Verdict != contracts.NotApplicable || check(t, r, "REN-01").Verdict != contracts.Pass {
		t.Errorf("%s %v, REN-02 %+v", r.Verdict, r.Reasons, check(t, r, "REN-02"))
	}
}

func TestTheDeepTextIsExactlyAsLongAsTheInputMayBe(t *testing.T) {
	codes := map[string]string{}
	for _, d := range depths {
		codes[fmt.Sprintf("at%d", d)] = "ABCDEFGHIJ"
	}
	for _, size := range []int{minDepth, 401, 1000, 4000} {
		text := deepText(size, codes, common)
		if len(text) != size || len(codesIn("at5", text)) != 1 || len(codesIn("at95", text)) != 1 {
			t.Errorf("%d: %d characters", size, len(text))
		}
	}
}

func TestACertificationIsReplayedWithoutItsProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live, tape := recorded(t, deskOptions(t, &model{}, ""))
		again := replayed(t, deskOptions(t, &model{}, ""), tape)
		if live.Verdict != contracts.Pass || again.Verdict != contracts.Pass || !again.Replayed || again.Totals.Probes != 0 ||
			check(t, again, "REN-01").Verdict != contracts.NotApplicable || check(t, again, "SEM-01").N != 100 {
			t.Errorf("live %s, again %s %v, %+v", live.Verdict, again.Verdict, again.Reasons, again.Totals)
		}
	})
}
