package jobstoretest

import (
	"strings"
	"testing"

	"inferonce/jobstore"
)

// sample is one script's ordinary call: where the job must stand, the call, and
// which of its arguments are numbers.
type sample struct {
	script  string
	before  []Op
	op      Op
	numbers []int
	empty   int // the number that may be left empty; 0 for none
}

// samples has every script that moves something.
func samples() []sample {
	begun := []Op{{Kind: "submit", First: true, Long: true}}
	abandoned := []Op{{Kind: "submit", First: true}}
	claimed := []Op{{Kind: "submit"}, {Kind: "claim", Long: true}}
	unknown := then(begun, Op{Kind: "settle", N: 1, Outcome: "unknown"})
	return []sample{
		{"submit", nil, Op{Kind: "submit", First: true, Long: true}, []int{3, 4, 5}, 5},
		{"claim", abandoned, Op{Kind: "claim", Long: true}, []int{3, 4, 6, 9}, 0},
		{"renew", begun, Op{Kind: "renew", Long: true}, []int{3, 4}, 0},
		{"release", claimed, Op{Kind: "release"}, []int{4}, 4},
		{"begin", claimed, Op{Kind: "begin", N: 1, Long: true}, []int{4, 6, 7, 11}, 0},
		{"accept", begun, Op{Kind: "accept", N: 1}, nil, 0},
		{"settle", begun, Op{Kind: "settle", N: 1, Outcome: "succeeded", Result: "r"}, []int{3, 4, 12}, 0},
		{"fail", claimed, Op{Kind: "fail"}, []int{3, 6}, 0},
		{"resolve", unknown, Op{Kind: "resolve", N: 1, As: jobstore.Cancelled}, []int{3, 4, 12, 13}, 12},
		{"cancel", begun, Op{Kind: "cancel"}, []int{3, 5}, 0},
	}
}

// eachSample runs test on every script, each in a corner of its own.
func eachSample(t *testing.T, open func(testing.TB) *Place, test func(*testing.T, *work, sample)) {
	for _, s := range samples() {
		t.Run(s.script, func(t *testing.T) {
			t.Parallel()
			test(t, built(t, open(t), s.before), s)
		})
	}
}

// unsent gives the bytes of a call that the server has not seen.
func (w *work) unsent(t *testing.T, s sample) (Op, Call) {
	t.Helper()
	w.place.Faults.Next(s.script, DropRequest, DropRequest)
	op := w.fill(s.op)
	if got := w.Do(Context(t), op, w.m.N); got.Word != Lost {
		t.Fatalf("a call that never left: %+v, want %s", got, Lost)
	}
	calls := w.place.Faults.Of(s.script)
	return op, calls[len(calls)-1]
}

// raw sends a recorded call.
func (w *work) raw(t *testing.T, c Call) string {
	t.Helper()
	reply, err := w.place.Faults.Replay(Context(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

// unchanged runs act, which must be answered with an error and change nothing.
func (p *Place) unchanged(t *testing.T, what string, act func() string) {
	t.Helper()
	before := p.Dump(t)
	if reply := act(); !strings.HasPrefix(reply, "-") {
		t.Errorf("%s was answered %q, want an error", what, reply)
	}
	if d := Difference(before, p.Dump(t)); d != "" {
		t.Errorf("%s changed\n%s", what, d)
	}
}
