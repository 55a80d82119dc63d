package failover

import (
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

func TestBreaches(t *testing.T) {
	att := func(n int, state string, f *contracts.Failure) Attempt {
		return Attempt{Number: n, State: state, Failure: f}
	}
	settled := func(a Attempt) Attempt {
		a.Settlement = &Settlement{As: "not_executed", By: "ops", Reason: "looked"}
		return a
	}
	effect := func(e contracts.Effect) *contracts.Failure { return &contracts.Failure{Effect: e} }
	ran := func(attempts ...int) (all []sim.Execution) {
		for _, n := range attempts {
			all = append(all, sim.Execution{Job: "job_1", Attempt: n, Executed: true})
		}
		return all
	}
	won := att(2, succeeded, nil)
	for _, tt := range []struct {
		name     string
		attempts []Attempt
		ran      []sim.Execution
		races    bool
		want     []string // a part of each sentence
	}{
		{"nothing ran", []Attempt{att(1, failed, effect(contracts.None))}, nil, false, nil},
		{"one attempt, one execution", []Attempt{att(1, succeeded, nil)}, ran(1), false, nil},
		{"one attempt, two executions", []Attempt{att(1, succeeded, nil)}, ran(1, 1), false, []string{"attempt 1 was executed 2 times"}},
		{"one attempt, two executions, though the contract races", []Attempt{att(1, succeeded, nil)}, ran(1, 1), true, []string{"attempt 1 was executed 2 times"}},
		{"an execution without a record", []Attempt{att(1, succeeded, nil)}, ran(3), false, []string{"attempt 3 was executed and has no record"}},
		{"a bad answer is over, so another may run", []Attempt{att(1, failed, effect(contracts.Ended)), won}, ran(1, 2), false, nil},
		{"a refusal that ran all the same was the provider's lie", []Attempt{att(1, failed, effect(contracts.None)), won}, ran(1, 2), false, nil},
		{"an unknown attempt forbids another", []Attempt{att(1, unknown, effect(contracts.Open)), won}, ran(1, 2), false, []string{"attempt 2 was executed although attempt 1"}},
		{"so does one that failed with effect open", []Attempt{att(1, failed, effect(contracts.Open)), won}, ran(1, 2), false, []string{"attempt 2 was executed although attempt 1"}},
		{"so does one that failed without a reason", []Attempt{att(1, failed, nil), won}, ran(1, 2), false, []string{"attempt 2 was executed although attempt 1"}},
		{"so does one that succeeded", []Attempt{att(1, succeeded, nil), won}, ran(1, 2), false, []string{"attempt 2 was executed although attempt 1"}},
		{"so does one that was discarded", []Attempt{att(1, discarded, nil), won}, ran(1, 2), false, []string{"attempt 2 was executed although attempt 1"}},
		{"so does one that was cancelled without a settlement", []Attempt{att(1, cancelled, nil), won}, ran(1, 2), false, []string{"attempt 2 was executed although attempt 1"}},
		{"a settlement from outside allows it", []Attempt{settled(att(1, failed, effect(contracts.None))), won}, ran(1, 2), false, nil},
		{"a race allows it", []Attempt{att(1, discarded, nil), won}, ran(1, 2), true, nil},
		{"an unknown attempt that never ran is followed by nothing", []Attempt{att(1, unknown, effect(contracts.Open)), won}, ran(2), false, nil},
		{"the ledger's order does not matter", []Attempt{att(1, unknown, effect(contracts.Open)), won}, ran(2, 1), false, []string{"attempt 2 was executed although attempt 1"}},
		{"each pair of neighbours counts", []Attempt{att(1, failed, effect(contracts.Ended)), att(2, unknown, nil), att(3, succeeded, nil)}, ran(1, 2, 3), false,
			[]string{"attempt 3 was executed although attempt 2"}},
		{"a call that executed nothing is none", []Attempt{att(1, unknown, nil), won}, []sim.Execution{{Job: "job_1", Attempt: 1}, {Job: "job_1", Attempt: 2, Executed: true}}, false, nil},
		{"another job's executions are another's", []Attempt{att(1, succeeded, nil)}, []sim.Execution{{Job: "job_2", Attempt: 1, Executed: true}, {Job: "job_2", Attempt: 1, Executed: true}}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Breaches(Job{ID: "job_1", Attempts: tt.attempts}, tt.ran, tt.races)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %d", got, len(tt.want))
			}
			for i, part := range tt.want {
				if !strings.Contains(got[i], part) {
					t.Errorf("got %q, want %q in it", got[i], part)
				}
			}
		})
	}
}
