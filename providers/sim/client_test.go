package sim

import (
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"
)

func TestClientDoesWhatTheServerDoes(t *testing.T) {
	b := start(t, Options{Providers: []string{"a"}})
	c, ctx := b.client, within(t)
	faults := []Fault{{Late: AtGate, Until: "g"}, {Status: 503}}
	set := Settings{Latency: Duration(time.Millisecond), Always: &Fault{HTML: true}}
	if err := errors.Join(c.SetFaults(ctx, "a", faults...), c.SetSettings(ctx, "a", set)); err != nil {
		t.Fatal(err)
	}
	left, err1 := c.Faults(ctx, "a")
	got, err2 := c.Settings(ctx, "a")
	if err := errors.Join(err1, err2); err != nil || !reflect.DeepEqual(left, faults) || !reflect.DeepEqual(got, set) {
		t.Errorf("%+v %+v %v", left, got, err)
	}
	conn := b.dial(triage("x [ref:r]"), caller("job_1", 2))
	defer conn.Close()
	state, err := c.WaitGate(ctx, "g", 1)
	if err != nil || state != (GateState{Gate: "g", Arrived: 1, Waiting: 1}) {
		t.Errorf("%+v %v", state, err)
	}
	if s, err := c.Summary(ctx); err != nil || s.Total != (Tally{Calls: 1, Executed: 1, Jobs: 1, StillRunning: 1}) {
		t.Errorf("%+v %v", s, err)
	}
	if err := c.OpenGate(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	ended, err := c.Await(ctx, Query{Job: "job_1", Attempt: 2, Provider: "a", Ref: "r"}, Ended, 1)
	if err != nil || !reflect.DeepEqual(ended, b.Ledger(Query{})) {
		t.Errorf("%+v %v", ended, err)
	}
	if err := c.ResetLedger(ctx); err != nil || len(b.Ledger(Query{})) != 0 {
		t.Errorf("%v", err)
	}
}

func TestClientSaysWhyAnOrderWasRefused(t *testing.T) {
	b := start(t, Options{})
	err := b.client.SetFaults(within(t), "a", Fault{Hang: true, Status: 500})
	var refused *ControlError
	if !errors.As(err, &refused) || refused.Status != 400 || refused.Message != "fault 1: hang never answers: leave status out" {
		t.Errorf("%v", err)
	}
	b.client.Base += "/elsewhere"
	if err := b.client.OpenGate(within(t), "g"); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}

func TestClientReadsALedgerOfSeveralPages(t *testing.T) {
	b := start(t, Options{})
	for range pageLimit + 2 {
		b.ledger.begin(Execution{Provider: "a"})
	}
	for want, q := range map[int]Query{pageLimit + 2: {}, pageLimit + 1: {Limit: pageLimit + 1}, 1: {Since: pageLimit + 1}} {
		got, err := b.client.Ledger(within(t), q)
		if err != nil || len(got) != want || got[want-1].ID-got[0].ID != int64(want-1) {
			t.Errorf("%+v: %d entries, %v", q, len(got), err)
		}
	}
}

func TestGateStaysOpenUntilItIsShut(t *testing.T) {
	b := start(t, Options{})
	ctx := within(t)
	b.OpenGate("g")
	b.OpenGate("g") // a repeat changes nothing
	b.faults(`[{"until":"g"},{"until":"g"}]`)
	if _, err := b.raw(triage("x")); err != nil {
		t.Fatal(err)
	}
	if err := b.client.ShutGate(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	conn := b.dial(triage("x"))
	defer conn.Close()
	state, err := b.client.WaitGate(ctx, "g", 1)
	if err != nil || state != (GateState{Gate: "g", Arrived: 1, Waiting: 1}) {
		t.Errorf("%+v %v", state, err)
	}
	b.OpenGate("g")
	if _, err := b.Await(ctx, Query{}, Ended, 2); err != nil {
		t.Fatal(err)
	}
}

func TestTwoThousandCallsAtOnce(t *testing.T) {
	b := start(t, Options{})
	faults := make([]Fault, 1000)
	for i := range faults {
		faults[i] = Fault{Status: 429}
	}
	if err := b.SetFaults("a", faults...); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	places := make(chan struct{}, 100) // open connections at a time
	for n := range 2000 {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if _, err := b.raw(triage("x"), caller("job_x", n+1)); err != nil {
				t.Error(err)
			}
			b.Ledger(Query{Job: "job_x", Attempt: n + 1})
		})
	}
	wg.Wait()
	want := Tally{Calls: 2000, Executed: 1000, Jobs: 1, DoubleExecutions: 1, DoubleResults: 1}
	if got := b.Summary().Total; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	seen := map[int]bool{}
	for i, e := range b.Ledger(Query{Job: "job_x"}) {
		if seen[e.Attempt] || e.ID != int64(i+1) || e.Executed != (e.Status == 200) {
			t.Fatalf("entry %d: %+v", i, e)
		}
		seen[e.Attempt] = true
	}
}
