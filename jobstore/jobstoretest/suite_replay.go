package jobstoretest

import (
	"slices"
	"testing"
	"time"

	"inferonce/jobstore"
)

// replays sends the bytes of every call that did something again: at once, and
// after everything else. A delayed copy on the wire must be harmless.
func replays(t *testing.T, open func(testing.TB) *Place) {
	for _, s := range append(situations(), renewals()) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			w := newWork(p)
			var done []Call
			for _, op := range s.ops {
				p.Faults.Forget()
				w.must(t, w.fill(op))
				call := p.Faults.Of(op.Kind)[0]
				w.again(t, "at once", call)
				done = append(done, call)
			}
			for _, call := range slices.Concat(done, done) {
				w.again(t, "later", call)
			}
			w.same(t, Op{Kind: "replay of everything"})
		})
	}
	t.Run("a repeat finds the job, and its replay finds it too", func(t *testing.T) {
		t.Parallel()
		p := open(t)
		w := built(t, p, []Op{{Kind: "submit", First: true}, {Kind: "submit"}, {Kind: "submit", Fingerprint: "g"}, {Kind: "cancel"}})
		for _, call := range p.Faults.Of("submit") {
			w.again(t, "later", call)
		}
	})
	t.Run("drift", func(t *testing.T) { noted(t, open) })
	t.Run("eligibility", func(t *testing.T) {
		t.Parallel()
		w := newWork(open(t))
		for version := range int64(2) {
			rec := jobstore.Eligibility{Version: version, Target: "t", Digest: "d"}
			if _, err := w.Store.SetEligibility(Context(t), rec, jobstore.AuditEntry{}, true); err != nil {
				t.Fatal(err)
			}
		}
		for _, call := range w.place.Faults.Of("eligibility") {
			w.again(t, "later", call)
		}
	})
}

// noted sends copies of what live answers were worth: each counts once.
func noted(t *testing.T, open func(testing.TB) *Place) {
	w := newWork(open(t))
	for _, checks := range [][]string{{"", "STR-01"}, {"STR-04"}} {
		if _, err := w.Store.Note(Context(t), jobstore.Pair{Target: "t", Digest: "d"}, checks); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range w.place.Faults.Of("drift") {
		w.again(t, "later", call)
	}
}

// renewals are known by their beat, also when the claim and the job have gone.
func renewals() situation {
	return situation{"renewed, moved on, taken over, and ended", []Op{{Kind: "submit", First: true, Long: true}, {Kind: "renew", Long: true},
		{Kind: "renew"}, {Kind: "accept", N: 1}, {Kind: "claim"}, {Kind: "renew", Beat: 1}, {Kind: "renew", Beat: 2}, {Kind: "cancel"}}}
}

// again sends a call's bytes: the reply must be the first one's, and the data as
// it was.
func (w *work) again(t *testing.T, when string, call Call) {
	t.Helper()
	before := w.place.Dump(t)
	if got := w.raw(t, call); got != string(call.Reply) {
		t.Errorf("%s, %s answers %q; the first time %q", when, call.Script, got, call.Reply)
	}
	if d := Difference(before, w.place.Dump(t)); d != "" {
		t.Errorf("%s, %s changed\n%s", when, call.Script, d)
	}
}

// cutShort breaks connections in the middle of submits: a key without its job,
// or a job without its key, would block or double an intent for ever.
func cutShort(t *testing.T, open func(testing.TB) *Place) {
	const submits = 350
	p := open(t)
	p.Faults.Random(7, 0.5)
	for range submits {
		w := newWork(p)
		_ = w.Do(Context(t), w.fill(Op{Kind: "submit", First: true, Long: true}), 0)
	}
	p.Faults.Random(0, 0)
	keys, jobs, attempts := 0, 0, 0
	for key := range p.Dump(t) {
		switch kindOf(key) {
		case "idem":
			keys++
		case "job":
			jobs++
		case "att":
			attempts++
		}
	}
	if keys == 0 || keys == submits || jobs != keys || attempts != keys {
		t.Errorf("%d keys, %d jobs, %d attempts of %d submits: want as many of each, and some lost", keys, jobs, attempts, submits)
	}
	counts, err := p.Store.Count(Context(t))
	if err != nil || counts != (jobstore.Counts{Live: int64(keys), OldestUnknown: time.Duration(0)}) {
		t.Errorf("counts %+v, %v; want %d live", counts, err, keys)
	}
}
