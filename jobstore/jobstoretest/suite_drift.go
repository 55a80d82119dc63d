package jobstoretest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inferonce/jobstore"
)

// auditChain changes many pairs at once: every change is in the chain once, and
// what somebody does to the log behind our back shows.
func auditChain(t *testing.T, open func(testing.TB) *Place) {
	p := open(t)
	ctx := Context(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			rec := jobstore.Eligibility{Target: string(rune('a' + i)), Digest: "d"}
			if _, err := p.Store.SetEligibility(ctx, rec, jobstore.AuditEntry{Target: rec.Target, Reason: "r", At: time.Now()}, false); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	log, head, err := p.Store.Audit(ctx, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	if span, err := jobstore.CheckChain(log, head); err != nil || span.Entries != 20 || span.From != 1 {
		t.Fatalf("20 changes at once: %+v, %v", span, err)
	}
	stream := p.Prefix + "{eligibility}:audit"
	p.Raw.XDel(ctx, stream, log[7].ID)
	log, head, _ = p.Store.Audit(ctx, "", 100)
	if _, err := jobstore.CheckChain(log, head); err == nil || !strings.Contains(err.Error(), log[6].ID) {
		t.Errorf("an entry taken out: %v, want the one after it named, %s", err, log[6].ID)
	}
	p.Raw.XTrimMaxLen(ctx, stream, 0)
	log, head, err = p.Store.Audit(ctx, "", 100)
	if err != nil || len(log) != 0 || head.Seq != 20 {
		t.Fatalf("an emptied log: %d entries, head %+v, %v; the head stays", len(log), head, err)
	}
	if _, err := jobstore.CheckChain(log, head); err == nil {
		t.Error("an emptied log holds")
	}
}

// drift keeps the newest 200 answers of a pair, each once, and forgets them when
// the record says so.
func drift(t *testing.T, open func(testing.TB) *Place) {
	p := open(t)
	ctx := Context(t)
	pair := jobstore.Pair{Target: "mini", Digest: "d"}
	note := func(checks ...string) jobstore.Evidence {
		t.Helper()
		e, err := p.Store.Note(ctx, pair, checks)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	p.Faults.Next("drift", DropReply)
	e := note("STR-01", "", "STR-04", "STR-04")
	if e.Calls != 4 || e.Failed != 3 || e.Row != 2 || e.Checks["STR-04"] != 2 || e.Checks["STR-01"] != 1 {
		t.Errorf("four answers, their reply lost once: %+v", e)
	}
	if e = note(slices.Repeat([]string{""}, 198)...); e.Calls != 200 || e.Failed != 2 || e.Row != 0 || e.Checks["STR-01"] != 0 {
		t.Errorf("the two oldest of 202 are still there: %+v", e)
	}
	if e = note(slices.Repeat([]string{"ENV-01"}, 300)...); e.Calls != 200 || e.Failed != 200 || e.Row != 200 {
		t.Errorf("more than a window at once: %+v", e)
	}
	other, err := p.Store.Note(ctx, jobstore.Pair{Target: "mini", Digest: "d2"}, []string{""})
	if err != nil || other.Calls != 1 {
		t.Errorf("another state of the contract: %+v, %v", other, err)
	}
	set := func(version int64, fresh bool) {
		t.Helper()
		rec := jobstore.Eligibility{Version: version, Target: pair.Target, Digest: pair.Digest}
		if _, err := p.Store.SetEligibility(ctx, rec, jobstore.AuditEntry{}, fresh); err != nil {
			t.Fatal(err)
		}
	}
	set(0, false)
	if e = note(""); e.Calls != 200 {
		t.Errorf("after a change that keeps it: %+v", e)
	}
	set(1, true)
	if e = note(""); e.Calls != 1 || e.Failed != 0 {
		t.Errorf("after a change that forgets it: %+v", e)
	}
	if p.Store.Notes() != int64(len(p.Faults.Of("drift"))) || p.Store.Calls() != int64(len(p.Faults.Of("eligibility"))) {
		t.Errorf("%d notes and %d calls are counted", p.Store.Notes(), p.Store.Calls())
	}
}

// canary is a run that one of all routers makes.
func canary(t *testing.T, open func(testing.TB) *Place) {
	p := open(t)
	ctx := Context(t)
	pair := jobstore.Pair{Target: "mini", Digest: "d"}
	var wg sync.WaitGroup
	got := make([]bool, 20)
	for i := range got {
		wg.Go(func() { got[i], _ = p.Store.TakeCanary(ctx, pair, "router", time.Hour) })
	}
	wg.Wait()
	if n := len(slices.DeleteFunc(got, func(b bool) bool { return !b })); n != 1 {
		t.Errorf("%d of 20 routers may make the run", n)
	}
	if c, err := p.Store.CanaryOf(ctx, pair); err != nil || c != (jobstore.Canary{}) {
		t.Errorf("before the first run: %+v, %v", c, err)
	}
	want := jobstore.Canary{Failed: 1, Unclear: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if err := p.Store.SetCanary(ctx, pair, want); err != nil {
		t.Fatal(err)
	}
	if c, err := p.Store.CanaryOf(ctx, pair); err != nil || c != want {
		t.Errorf("read back %+v, %v", c, err)
	}
}
