package jobstoretest

import (
	"testing"
	"time"

	"inferonce/jobstore"
)

// rests are shared by all routers, keep the later end, and give each call a
// turn of its own.
func rests(t *testing.T, open func(testing.TB) *Place) {
	p := open(t)
	other := p.Open(t, p.Opts)
	ctx := Context(t)
	must := func(r jobstore.Rest, err error) jobstore.Rest {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if s, err := p.Store.Slot(ctx, "mini", time.Minute); err != nil || !s.Free {
		t.Fatalf("a target that was never refused: %+v, %v; want free", s, err)
	}
	long := must(p.Store.Rest(ctx, "mini", 20*time.Minute, 0, true))
	short := must(other.Rest(ctx, "mini", time.Second, 50*time.Minute, true))
	if short.Left <= 19*time.Minute || short.Cut != long.Cut {
		t.Errorf("a shorter rest after a longer one: %+v after %+v; want the later end, and no second cut for a call that began before it", short, long)
	}
	must(p.Store.Rest(ctx, "account/spare", time.Hour, 0, false))
	all, err := other.Rests(ctx)
	if err != nil || len(all) != 2 {
		t.Fatalf("read %+v, %v; want both names", all, err)
	}
	if s, err := p.Store.Slot(ctx, "account/spare", time.Minute); err != nil || !s.Free {
		t.Errorf("a key has no pace: %+v, %v", s, err)
	}
	if s, err := other.Slot(ctx, "mini", time.Minute); err != nil || !s.Full || s.Wait <= 19*time.Minute {
		t.Errorf("a turn during a rest: %+v, %v; want full, and when", s, err)
	}
	first, err := p.Store.Slot(ctx, "mini", time.Hour)
	if err != nil || first.Full || first.Cut != long.Cut {
		t.Fatalf("a turn after the rest: %+v, %v", first, err)
	}
	second, err := other.Slot(ctx, "mini", time.Hour)
	// The pace begins with one call a second; no more than the test's own time lies between the two calls.
	if apart := second.Wait - first.Wait; err != nil || apart > time.Second || apart < time.Second-testTime {
		t.Errorf("turns %s and %s away, %v; want them one second apart", first.Wait, second.Wait, err)
	}
}
