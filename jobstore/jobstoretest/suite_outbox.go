package jobstoretest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"inferonce/jobstore"
)

// outbox shows that each outcome of a job owes exactly one event, in the step
// that makes it so, and that an event is delivered or kept (R23).
func outbox(t *testing.T, open func(testing.TB) *Place) {
	t.Run("every outcome owes one event", func(t *testing.T) {
		for _, s := range situations() {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				owes(t, open(t), s.ops)
			})
		}
	})
	t.Run("a job without a callback owes none", func(t *testing.T) {
		t.Parallel()
		w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}, {Kind: "cancel"}})
		w.owed(t, nil)
	})
	t.Run("an event is taken by one, tried, and ends once", func(t *testing.T) { delivers(t, open) })
	t.Run("a taking that nobody answers for lapses, and its late word changes nothing", func(t *testing.T) { lapses(t, open) })
	t.Run("a dead letter is kept, and delivered again under the same id", func(t *testing.T) { again(t, open) })
	t.Run("a key of the wrong type or a bad number changes nothing", func(t *testing.T) { outboxRefusals(t, open) })
	t.Run("the log holds what happened, in order", func(t *testing.T) { logs(t, open) })
}

// owes makes ops, then cancels what lives, and compares the events with the model's states.
func owes(t *testing.T, p *Place, ops []Op) {
	w := newWork(p)
	w.Callback = "https://app.example/hook"
	var want []string
	for _, op := range append(slices.Clone(ops), Op{Kind: "cancel"}) {
		before := w.m
		w.must(t, w.fill(op))
		want = append(want, debts(before, w.m)...)
		w.owed(t, want)
	}
}

// debts are the events that a step from one model to the next owes.
func debts(a, b Model) (out []string) {
	if b.ID == "" {
		return nil
	}
	for n := range b.N {
		if a.Attempts[n].State != jobstore.AttemptUnknown && b.Attempts[n].State == jobstore.AttemptUnknown && a.Job.Live() {
			out = append(out, fmt.Sprintf("evt_%s_%du%d unknown v%d", b.ID[4:], b.Version, n+1, b.Version))
		}
	}
	if a.Job.Live() && !b.Job.Live() {
		out = append(out, fmt.Sprintf("evt_%s_%d %s v%d", b.ID[4:], b.Version, b.Job, b.Version))
	}
	return out
}

// owed compares the events of the job, and the outbox, with want.
func (w *work) owed(t *testing.T, want []string) {
	t.Helper()
	if w.m.ID == "" {
		return
	}
	ctx := Context(t)
	events, err := w.Store.Events(ctx, w.m.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%s %s v%d", e.ID, e.State, e.Version))
		if e.URL != w.Callback || e.Owner != w.Owner || e.Contract != "c@1" || e.Ended != "" {
			t.Errorf("event %+v", e)
		}
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("the record owes %q, want %q", got, want)
	}
	refs, err := w.Store.DueEvents(ctx, 100)
	if err != nil || len(refs) != len(want) {
		t.Errorf("the outbox names %v, %v; want %d events", refs, err, len(want))
	}
}

// event is a job that owes one event.
func event(t *testing.T, open func(testing.TB) *Place) (*work, jobstore.EventRef) {
	t.Helper()
	w := newWork(open(t))
	w.Callback = "https://app.example/hook"
	w.must(t, w.fill(Op{Kind: "submit"}))
	w.must(t, w.fill(Op{Kind: "cancel"}))
	refs, err := w.Store.DueEvents(Context(t), 10)
	if err != nil || len(refs) != 1 {
		t.Fatalf("%v, %v", refs, err)
	}
	return w, refs[0]
}

func (w *work) take(t *testing.T, ref jobstore.EventRef, hold time.Duration) jobstore.Taken {
	t.Helper()
	taken, err := w.Store.TakeEvent(Context(t), ref, hold)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func delivers(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w, ref := event(t, open)
	ctx := Context(t)
	w.place.Faults.Next("deliver", DropReply)
	first := w.take(t, ref, far)
	if first.Try != 1 || first.Event.State != jobstore.JobCancelled {
		t.Fatalf("taken %+v", first)
	}
	if _, err := w.Store.TakeEvent(ctx, ref, far); !errors.Is(err, jobstore.ErrNotTaken) {
		t.Errorf("a second taking: %v", err)
	}
	for range 2 { // the second is the first, said again
		if err := w.Store.EventRetry(ctx, first, 0, "503"); err != nil {
			t.Fatal(err)
		}
	}
	second := w.take(t, ref, far)
	if second.Try != 2 || len(second.Event.History) != 1 || second.Event.History[0].Note != "503" {
		t.Fatalf("taken again %+v", second)
	}
	if err := w.Store.EventDelivered(ctx, first, "204"); !errors.Is(err, jobstore.ErrStale) {
		t.Errorf("the first taking's late word: %v, want stale", err)
	}
	w.place.Faults.Next("deliver", DropReply)
	for range 2 {
		if err := w.Store.EventDelivered(ctx, second, "204"); err != nil {
			t.Fatal(err)
		}
	}
	e, err := w.Store.Event(ctx, ref)
	if err != nil || e.Ended != jobstore.EventDelivered || e.Tries != 2 || len(e.History) != 2 {
		t.Errorf("%+v, %v", e, err)
	}
	if refs, _ := w.Store.OwedEvents(ctx, 10); len(refs) != 0 {
		t.Errorf("still owed: %v", refs)
	}
}

func lapses(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w, ref := event(t, open)
	ctx := Context(t)
	first := w.take(t, ref, time.Millisecond)
	var second jobstore.Taken
	Until(t, "the taking lapses", func() (ok bool) {
		var err error
		second, err = w.Store.TakeEvent(ctx, ref, far)
		return err == nil
	})
	for _, late := range []error{w.Store.EventDelivered(ctx, first, ""), w.Store.EventRetry(ctx, first, 0, ""), w.Store.EventGivenUp(ctx, first, "")} {
		if !errors.Is(late, jobstore.ErrStale) {
			t.Errorf("a late word: %v, want stale", late)
		}
	}
	if err := w.Store.EventDelivered(ctx, second, "200"); err != nil {
		t.Error(err)
	}
}

func again(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w, ref := event(t, open)
	ctx := Context(t)
	if err := w.Store.Redeliver(ctx, ref); err != nil { // owed already: nothing to do
		t.Fatal(err)
	}
	if err := w.Store.EventGivenUp(ctx, w.take(t, ref, far), "410"); err != nil {
		t.Fatal(err)
	}
	if dead, err := w.Store.DeadEvents(ctx, 10); err != nil || len(dead) != 1 || dead[0] != ref {
		t.Fatalf("dead letters %v, %v", dead, err)
	}
	if ttl := w.place.Raw.PTTL(ctx, w.place.Faults.Of("deliver")[0].Keys()[2]).Val(); ttl <= 0 || ttl > jobstore.KeepEvents {
		t.Errorf("a dead letter is kept for %s", ttl)
	}
	for range 2 {
		if err := w.Store.Redeliver(ctx, ref); err != nil {
			t.Fatal(err)
		}
	}
	if dead, _ := w.Store.DeadEvents(ctx, 10); len(dead) != 0 {
		t.Errorf("still dead: %v", dead)
	}
	if got := w.take(t, ref, far); got.Try != 1 || got.Event.ID != ref.ID || got.Event.Ended != "" {
		t.Errorf("taken %+v", got)
	}
	if ttl := w.place.Raw.PTTL(ctx, w.place.Faults.Of("deliver")[0].Keys()[2]).Val(); ttl > 0 {
		t.Errorf("an event that is owed expires in %s", ttl)
	}
	for _, unknown := range []jobstore.EventRef{{Job: ref.Job, ID: "evt_0"}, {Job: "job_0", ID: ref.ID}, {Job: ref.Job, ID: "url"}} {
		if err := w.Store.Redeliver(ctx, unknown); !errors.Is(err, jobstore.ErrNotFound) {
			t.Errorf("%v: %v, want not found", unknown, err)
		}
	}
}

func outboxRefusals(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w, ref := event(t, open)
	w.place.Faults.Next("deliver", DropRequest, DropRequest)
	if _, err := w.Store.TakeEvent(Context(t), ref, far); err == nil {
		t.Fatal("a call that never left succeeded")
	}
	call := w.place.Faults.Of("deliver")[0]
	eachKeySpoilt(t, w.place, call, func() string { return w.raw(t, call) })
	for arg, values := range map[int][]string{3: {"", "url", "evt_{}"}, 4: {"", "gone"}, 5: {"", "x", "1.5", "inf", "0", "-1", "99999999999999999999"}} {
		for _, v := range values {
			w.place.unchanged(t, fmt.Sprintf("deliver with ARGV %d = %q", arg, v), func() string { return w.raw(t, call.WithArg(arg, v)) })
		}
	}
	if reply := w.raw(t, call); reply[0] != '$' {
		t.Errorf("with everything in order: %q", reply)
	}
}

func logs(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}, {Kind: "accept", N: 1}, {Kind: "settle", N: 1, Outcome: "unknown"},
		{Kind: "begin", N: 2, Race: true, Long: true}, {Kind: "settle", N: 2, Outcome: "succeeded", Result: "r"}, {Kind: "settle", N: 1, Outcome: "succeeded", Result: "late"}})
	ctx := Context(t)
	want := []string{"running v1 1 starting", "running v1 1 running", "unknown v1 1 unknown", "running v1 2 starting", "succeeded v2 2 succeeded", "succeeded v2 1 discarded"}
	var got []string
	after := ""
	for { // two at a time, as a client that was cut off goes on
		entries, err := w.Store.Log(ctx, w.m.ID, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			got = append(got, fmt.Sprintf("%s v%d %d %s", e.Job, e.Version, e.Attempt, e.AttemptIs))
			after = e.ID
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log says %q, want %q", got, want)
	}
	for _, bad := range []string{"x", "1", "1-", "-1-0", "1-0-0", "+"} {
		if _, err := w.Store.Log(ctx, w.m.ID, bad, 2); !errors.Is(err, jobstore.ErrCursor) {
			t.Errorf("after %q: %v, want a refusal of the cursor", bad, err)
		}
	}
}
