package jobstoretest

import (
	"slices"
	"testing"

	"inferonce/jobstore"
)

// dueAndCounts checks that each live job has one alarm, or is unknown and in
// the operator's queue, and that an ended one has neither.
func dueAndCounts(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	for _, s := range situations() {
		if s.ops == nil {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			w := built(t, p, s.ops)
			w.indexed(t)
			if w.m.Job != jobstore.JobUnknown {
				return
			}
			for range jobstore.MaxClaims + 1 { // until the alarm is taken away
				w.must(t, w.fill(Op{Kind: "renew"}))
				w.must(t, w.fill(Op{Kind: "claim"}))
			}
			w.indexed(t)
			for _, out := range []Op{{Kind: "settle", Outcome: "failed"}, {Kind: "resolve", As: jobstore.Cancelled}} {
				w.leave(t, out)
				p.empty(t)
				w = built(t, p, s.ops)
			}
		})
	}
}

// leave takes one open attempt after the other out of the way.
func (w *work) leave(t *testing.T, out Op) {
	t.Helper()
	for w.m.Open() > 0 {
		out.N = open1(w.m)
		w.must(t, w.fill(out))
		w.indexed(t)
	}
}

// open1 is the number of the first open attempt.
func open1(m Model) int {
	return 1 + slices.IndexFunc(m.Attempts[:m.N], func(a ModelAttempt) bool { return a.State.Open() })
}

// indexed compares the indexes with the model. A lapsed job is due at once.
func (w *work) indexed(t *testing.T) {
	t.Helper()
	ctx := Context(t)
	counts, err := w.Store.Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	unknown := w.m.Job == jobstore.JobUnknown
	if got := counts.Unknown == 1; got != unknown || counts.Unknown > 1 || counts.OldestUnknown < 0 {
		t.Errorf("%s job: %d in the unknown queue", w.m.Job, counts.Unknown)
	}
	alarm := counts.Live == 1
	if needs := w.m.Job.Live() && !unknown; needs && !alarm || !w.m.Job.Live() && counts.Live != 0 || counts.Live > 1 {
		t.Errorf("%s job: %d alarms", w.m.Job, counts.Live)
	}
	due, err := w.Store.Due(ctx, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Equal(due, []string{w.m.ID}); got != (alarm && !w.m.Held) {
		t.Errorf("%s job, held %t, alarm %t: due are %v", w.m.Job, w.m.Held, alarm, due)
	}
}
