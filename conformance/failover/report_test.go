package failover

import (
	"encoding/json"
	"strings"
	"testing"

	"inferonce/providers/sim"
)

func TestResultReadsAsABlock(t *testing.T) {
	ledger := []sim.Execution{{Provider: "sim-a", Attempt: 1, Executed: true, Fault: "late"}, {Provider: "sim-b", Attempt: 2}}
	for _, tt := range []struct {
		name string
		in   Result
		want string
	}{
		{"a pass says what was asked and what ran",
			Result{ID: "a/b", Title: "it holds", Proves: []string{"R1", "R2"}, Asks: "a thing", Verdict: Passed, Ledger: ledger, Transcript: []string{"GET"}},
			"passed   a/b  it holds (R1 R2)\n" +
				"         asked   a thing\n" +
				"         ledger  1 execution: sim-a attempt 1 executed [late]; sim-b attempt 2 ran nothing\n"},
		{"a failure says where, and what led to it",
			Result{ID: "a", Title: "t", Proves: []string{"R1"}, Asks: "x", Verdict: Failed, Reason: "one; two", Transcript: []string{"POST: 500"}},
			"failed   a  t (R1)\n" +
				"         asked   x\n" +
				"         ledger  nothing ran\n" +
				"         wrong   one\n" +
				"         wrong   two\n" +
				"         then    POST: 500\n"},
		{"what was not run says why, and nothing of a ledger",
			Result{ID: "a", Title: "t", Proves: []string{"R1"}, Asks: "x", Verdict: NotRun, Reason: "needs a thing"},
			"not run  a  t (R1)\n" +
				"         asked   x\n" +
				"         why     needs a thing\n"},
		{"a gateway's story says what was paid",
			Result{ID: "g", Title: "t", Proves: []string{"R28"}, Asks: "x", Verdict: Passed, Count: &Count{Paid: "paid once"}},
			"passed   g  t (R28)\n" +
				"         asked   x\n" +
				"         ledger  nothing ran\n" +
				"         count   paid once\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			n, err := tt.in.WriteTo(&b)
			if err != nil || b.String() != tt.want || n != int64(len(tt.want)) {
				t.Errorf("%v\n%s\nwant\n%s", err, b.String(), tt.want)
			}
		})
	}
}

func TestSummarySaysWhatWasNotShown(t *testing.T) {
	for _, tt := range []struct {
		name string
		sum  Summary
		want string
	}{
		{"all told", Summary{Target: "http://x", Passed: 2}, "2 passed, 0 failed, 0 not run, at http://x\n"},
		{"some not", Summary{Target: "http://x", Passed: 2, NotRun: 1}, "2 passed, 0 failed, 1 not run, at http://x\nwhat was not run was not shown to hold\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if _, err := tt.sum.WriteTo(&b); err != nil || b.String() != tt.want {
				t.Errorf("%v %q", err, b.String())
			}
		})
	}
}

// Nothing that a run writes down holds a key, an input or an output.
func TestReportsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	f := newFake(t, "takes any settlement") // so that a failure's transcript is there too
	d := f.deployment()
	sum, err := Run(t.Context(), d, Options{Only: []string{"order/*", "unknown/*", "request/*", "intent/*"}})
	if err != nil || sum.Failed != 1 {
		t.Fatalf("%v, %d failed", err, sum.Failed)
	}
	b, err := json.Marshal(sum)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"Bearer", "My card", `"payment"`, `\"payment\"`} {
		if strings.Contains(string(b), secret) {
			t.Errorf("the report holds %q", secret)
		}
	}
	if !strings.Contains(string(b), `"verdict":"failed"`) || !strings.Contains(string(b), "order/reverse") {
		t.Error("the report does not hold the results")
	}
}

func TestConclude(t *testing.T) {
	held, broke := Check{"a", true}, Check{"b", false}
	for _, tt := range []struct {
		name    string
		checks  []Check
		stopped string
		want    Verdict
		reason  string
	}{
		{"every check held", []Check{held}, "", Passed, ""},
		{"one did not", []Check{held, broke}, "", Failed, "b"},
		{"it ended early", []Check{held}, "no answer", Failed, "no answer"},
		{"it ended early by a check, named once", []Check{broke}, "b", Failed, "b"},
		{"it checked nothing", nil, "", Failed, "the story checked nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Result{Checks: tt.checks}
			r.conclude(tt.stopped)
			if r.Verdict != tt.want || r.Reason != tt.reason {
				t.Errorf("%s %q", r.Verdict, r.Reason)
			}
		})
	}
}
