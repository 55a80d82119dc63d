package jobstoretest

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// work is a job under test: the driver that moves it, and what the model says
// of it.
type work struct {
	Driver
	place *Place
	m     Model
	beat  int64
}

var serial atomic.Int64 // keys of one process never meet

// newWork is a key of its own, without a job yet.
func newWork(p *Place) *work {
	return &work{place: p, Driver: Driver{Store: p.Store, Owner: "owner", Key: fmt.Sprint("key ", serial.Add(1))}}
}

// built makes ops one after the other, each of which must answer as the model
// says, and leave what it says at the end.
func built(t testing.TB, p *Place, ops []Op) *work {
	t.Helper()
	w := newWork(p)
	for _, op := range ops {
		op = w.fill(op)
		w.answered(t, op, w.Do(Context(t), op, w.m.N))
	}
	w.same(t, Op{})
	return w
}

// fill completes an op with what the one who drives the job knows.
func (w *work) fill(op Op) Op {
	if op.ID == "" {
		op.ID = w.m.ID
	}
	if op.Kind == "submit" || op.ID == "" {
		op.ID = w.Store.NewID(w.Owner, w.Key)
	}
	if op.Fingerprint == "" {
		op.Fingerprint = "f"
	}
	if op.Epoch == 0 {
		op.Epoch = w.m.Epoch
	}
	if op.Kind == "settle" && op.Version == 0 && op.N >= 1 && op.N <= w.m.N {
		op.Version = w.m.Attempts[op.N-1].Version
	}
	if op.Kind == "renew" && op.Beat == 0 {
		w.beat++
		op.Beat = w.beat
	}
	return op
}

// must makes op and compares the reply and the record with the model.
func (w *work) must(t testing.TB, op Op) Reply {
	t.Helper()
	got := w.Do(Context(t), op, w.m.N)
	w.answered(t, op, got)
	w.same(t, op)
	return got
}

// answered takes op as done, and compares the reply.
func (w *work) answered(t testing.TB, op Op, got Reply) {
	t.Helper()
	next, want := w.m.Step(op)
	if got != want {
		t.Fatalf("%+v\n  on   %s\n  got  %+v\n  want %+v", op, w.m, got, want)
	}
	w.m = next
}

// same compares the record with the model.
func (w *work) same(t testing.TB, op Op) {
	t.Helper()
	if w.m.ID == "" {
		return
	}
	j, err := w.Store.Load(Context(t), w.m.ID)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	if got := Seen(j); got != w.m.String() {
		t.Fatalf("%+v\n  left %s\n  want %s", op, got, w.m)
	}
}
