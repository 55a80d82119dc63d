package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"inferonce/contracts"
)

func TestAConstantAnswerIsFoundForWhatItIs(t *testing.T) {
	constant := func(contracts.Case, int, int) (contracts.Completion, error) {
		return said(`{"category":"billing","priority":2,"order_id":null}`), nil
	}
	o := options(tickets(t), constant)
	o.KeepGoing = true
	r := run(t, o)
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"SEM-05", "SEM-01", "SEM-07", "SEM-08"}) {
		t.Errorf("%s, %v", r.Verdict, failed(r))
	}
}

// A model with random weights under a grammar: every answer has the right form.
func TestRandomAnswersInTheRightFormFail(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	random := func(contracts.Case, int, int) (contracts.Completion, error) {
		return said(fmt.Sprintf(`{"category":%q,"priority":%d,"order_id":null}`,
			[]string{"billing", "bug_report", "account", "none"}[rng.IntN(4)], 1+rng.IntN(4))), nil
	}
	o := options(tickets(t), random)
	o.KeepGoing = true
	r := run(t, o)
	if got := failed(r); r.Verdict != contracts.Fail || !slices.Contains(got, "SEM-01") || slices.ContainsFunc(got, func(id string) bool { return id[:3] == "STR" }) {
		t.Errorf("%s, %v", r.Verdict, got)
	}
}

func TestAPairMustDifferInTheDecidingFactInMostRepeats(t *testing.T) {
	c := tickets(t)
	// The other fields may differ without any merit.
	same := `{"category":"account","priority":3,"order_id":null,"tags":["other"]}`
	for repeats, held := range map[int]bool{1: true, 2: false, 3: false} {
		r := run(t, options(c, lapse(same, func(id string, asked int) bool { return id == "login-paid" && asked < repeats })))
		if got := check(t, r, "SEM-07"); (got.Verdict == contracts.Pass) != held || got.N != 1 {
			t.Errorf("the same in %d of 3: %+v", repeats, got)
		}
	}
}

func TestAWrongAnswerToANegativeCaseEndsTheSuite(t *testing.T) {
	invented := `{"category":"none","priority":4,"order_id":"12345"}`
	r := run(t, options(tickets(t), lapse(invented, func(id string, asked int) bool { return id == "thanks" && asked == 0 })))
	if r.Verdict != contracts.Fail || !slices.Contains(failed(r), "SEM-05") || r.Stopped == "" {
		t.Errorf("%s, %v, %q", r.Verdict, failed(r), r.Stopped)
	}
}

func TestConstantLooksAtWhatIsRight(t *testing.T) {
	for _, l := range []struct {
		name      string
		got, want map[string]int
		constant  bool
	}{
		{"as it should be", map[string]int{"a": 50, "b": 50}, map[string]int{"a": 50, "b": 50}, false},
		{"one value only", map[string]int{"a": 100}, map[string]int{"a": 50, "b": 50}, true},
		{"nearly one value", map[string]int{"a": 96, "b": 4}, map[string]int{"a": 50, "b": 50}, true},
		{"just not nearly", map[string]int{"a": 95, "b": 5}, map[string]int{"a": 50, "b": 50}, false},
		{"a rare value, answered rightly", map[string]int{"a": 117, "b": 3}, map[string]int{"a": 117, "b": 3}, false},
		{"a rare value, missed once", map[string]int{"a": 118, "b": 2}, map[string]int{"a": 117, "b": 3}, false},
		{"a rare value, never answered", map[string]int{"a": 120}, map[string]int{"a": 117, "b": 3}, true},
		{"no answers", map[string]int{}, map[string]int{"a": 1, "b": 1}, true},
	} {
		if constant(l.got, l.want) != l.constant {
			t.Errorf("%s: %v", l.name, !l.constant)
		}
	}
}

func TestSetChecksWithNothingToCompareDoNotApply(t *testing.T) {
	c := load(t, contractHead+closedOutput+"cases:\n  - {id: a, input: {text: x}, expected: {category: none, priority: 1, order_id: null}}\n")
	r := run(t, options(c, honest))
	for _, id := range []string{"SEM-05", "SEM-07", "SEM-08"} {
		if got := check(t, r, id); got.Verdict != contracts.NotApplicable || got.Detail == "" {
			t.Errorf("%s: %+v", id, got)
		}
	}
	if r.Verdict != contracts.Pass {
		t.Errorf("%s %v", r.Verdict, r.Reasons)
	}
}

func TestDecidingFields(t *testing.T) {
	c := tickets(t)
	if got := decidingFields(caseNamed(t, c, "login"), caseNamed(t, c, "login-paid")); !slices.Equal(got, []string{"category"}) {
		t.Errorf("%v, want category alone", got)
	}
	if got := decidingFields(contracts.Case{}, contracts.Case{}); len(got) != 0 {
		t.Errorf("%v, want the whole answer", got)
	}
}
