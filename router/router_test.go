package router

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

var refusal = contracts.Failure{Class: contracts.Overloaded, Effect: contracts.None, Status: 503}

func TestStories(t *testing.T) {
	const minute = time.Minute
	for _, story := range []struct {
		name string
		tell func(w *world)
	}{
		{"an untroubled inference is one attempt", func(w *world) {
			j := w.infer(w.router, "ticket-triage", "k", minute)
			w.expect(j, "succeeded by 1: a succeeded")
			w.expect(w.stored(j.ID), "succeeded by 1: a succeeded")
		}},
		{"a refusal falls over to a proven fallback, and counts as recovered (R19)", func(w *world) {
			w.prove()
			w.a.answer = fails(refusal)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			w.expect(j, "succeeded by 2: a failed, b succeeded")
			if !j.Recovered() {
				w.t.Error("not marked as recovered")
			}
		}},
		{"a fallback that did not prove itself may not take over (R24)", func(w *world) {
			w.a.answer = fails(contracts.Failure{Class: contracts.Auth, Effect: contracts.None})
			j := w.infer(w.router, "ticket-triage", "k", minute)
			w.expect(j, "failed no_eligible_fallback: a failed")
			if len(w.b.ran()) != 0 || len(j.Error.Excluded) != 1 || j.Error.Excluded[0].Code != "not_proved" {
				w.t.Errorf("ran %v, excluded %v", w.b.ran(), j.Error.Excluded)
			}
		}},
		{"a broken contract falls over (R26)", func(w *world) {
			w.prove()
			w.a.answer = says(`{"category":"pizza","urgent":true}`)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			w.expect(j, "succeeded by 2: a failed, b succeeded")
			if f := j.Attempts[0].Failure; f.Class != contracts.ContractViolation || f.Violations[0].Pointer != "/category" {
				w.t.Errorf("failure %+v", f)
			}
		}},
		{"with external effects nothing follows an attempt that ran", func(w *world) {
			w.prove()
			w.a.answer = says(`{}`)
			w.expect(w.infer(w.router, "ticket-notify", "k", minute), "failed job_failed: a failed")
		}},
		{"with external effects a refusal still falls over", func(w *world) {
			w.prove()
			w.a.answer = fails(refusal)
			w.expect(w.infer(w.router, "ticket-notify", "k", minute), "succeeded by 2: a failed, b succeeded")
		}},
		{"invalid input at the provider ends the job (R18)", func(w *world) {
			w.prove()
			w.a.answer = fails(contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None})
			w.expect(w.infer(w.router, "ticket-triage", "k", minute), "failed job_failed: a failed")
		}},
		{"the provider's stated wait is respected", func(w *world) {
			limited := contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, RetryAfter: 5 * time.Second}
			w.a.answer = inTurn(fails(limited), good)
			begin := time.Now()
			w.expect(w.infer(w.router, "ticket-triage", "k", minute), "succeeded by 2: a failed, a succeeded")
			if waited := time.Since(begin); waited < 5*time.Second {
				w.t.Errorf("came back after %s", waited)
			}
			w.prove()
			w.a.answer = inTurn(fails(limited), good)
			w.b.answer = fails(contracts.Failure{Class: contracts.Auth, Effect: contracts.None})
			begin = time.Now()
			w.expect(w.infer(w.router, "ticket-triage", "k2", minute), "succeeded by 3: a failed, b failed, a succeeded")
			if waited := time.Since(begin); waited < 5*time.Second {
				w.t.Errorf("came back after %s", waited)
			}
		}},
		{"a wait longer than what is left ends the job and says so", func(w *world) {
			w.prove()
			limited := fails(contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, RetryAfter: time.Hour})
			w.a.answer, w.b.answer = limited, limited
			j := w.infer(w.router, "ticket-triage", "k", minute)
			w.expect(j, "failed deadline_exceeded: a failed, b failed")
		}},
		{"attempts are bounded in number", func(w *world) {
			w.prove()
			w.a.answer, w.b.answer = fails(refusal), fails(refusal)
			w.expect(w.infer(w.router, "ticket-triage", "k", minute), "failed job_failed: a failed, b failed, a failed")
		}},
		{"silence is unknown, and blocks everything else (R10, R11)", func(w *world) {
			w.prove()
			w.a.answer = after(time.Hour, good)
			begin := time.Now()
			j := w.infer(w.router, "ticket-triage", "k", time.Hour)
			w.expect(j, "unknown: a unknown")
			if time.Since(begin) != 10*time.Second {
				w.t.Errorf("caller was released after %s, first byte is due after 10s", time.Since(begin))
			}
			w.expect(w.infer(w.router, "ticket-triage", "k", time.Hour), "unknown: a unknown")
			time.Sleep(time.Hour)
			synctest.Wait()
			w.expect(w.stored(j.ID), "unknown: a unknown")
			if len(w.a.ran()) != 1 || len(w.b.ran()) != 0 {
				w.t.Errorf("a ran %v, b ran %v", w.a.ran(), w.b.ran())
			}
		}},
		{"a late answer completes the job by compare-and-swap", func(w *world) {
			w.a.answer = after(15*time.Second, good)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			w.expect(j, "unknown: a unknown")
			time.Sleep(6 * time.Second)
			synctest.Wait()
			w.expect(w.stored(j.ID), "succeeded by 1: a succeeded")
		}},
		{"a late refusal frees the fallback", func(w *world) {
			w.prove()
			w.a.answer = after(15*time.Second, fails(refusal))
			j := w.infer(w.router, "ticket-triage", "k", minute)
			time.Sleep(6 * time.Second)
			synctest.Wait()
			w.expect(w.stored(j.ID), "succeeded by 2: a failed, b succeeded")
		}},
		{"reverse order: B wins though A left first, and A's late result is discarded (R14)", func(w *world) {
			w.prove()
			w.a.answer = after(30*time.Second, good)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			w.resolve(j.ID, 1, jobstore.NotExecuted)
			synctest.Wait()
			w.expect(w.stored(j.ID), "succeeded by 2: a failed, b succeeded")
			time.Sleep(time.Minute)
			synctest.Wait()
			j = w.stored(j.ID)
			w.expect(j, "succeeded by 2: a failed, b succeeded")
			if j.Attempts[0].Late == nil || w.seen.count(LateDiscarded) != 1 {
				w.t.Errorf("late note %+v, %d observed", j.Attempts[0].Late, w.seen.count(LateDiscarded))
			}
		}},
		{"a race starts a fallback beside the silent attempt, and the first answer wins (R15)", func(w *world) {
			w.prove()
			w.a.answer = after(30*time.Second, good)
			begin := time.Now()
			j := w.infer(w.router, "ticket-race", "k", minute)
			w.expect(j, "succeeded by 2: a unknown, b succeeded")
			if time.Since(begin) != time.Second {
				w.t.Errorf("the race began after %s, the contract says 1s", time.Since(begin))
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			w.expect(w.stored(j.ID), "succeeded by 2: a discarded, b succeeded")
		}},
		{"the silent one may win its race", func(w *world) {
			w.prove()
			w.a.answer = after(3*time.Second, good)
			w.b.answer = after(30*time.Second, good)
			j := w.infer(w.router, "ticket-race", "k", minute)
			w.expect(j, "succeeded by 1: a succeeded, b starting")
			time.Sleep(time.Minute)
			synctest.Wait()
			w.expect(w.stored(j.ID), "succeeded by 1: a succeeded, b discarded")
		}},
		{"a race without a proven fallback holds", func(w *world) {
			w.a.answer = after(30*time.Second, good)
			w.expect(w.infer(w.router, "ticket-race", "k", minute), "unknown: a unknown")
		}},
		{"a connection lost after sending is unknown", func(w *world) {
			w.prove()
			w.a.answer = fails(contracts.Failure{Class: contracts.Connection, Effect: contracts.Open})
			w.expect(w.infer(w.router, "ticket-triage", "k", minute), "unknown: a unknown")
		}},
		{"a cancelled job discards what comes late", func(w *world) {
			w.a.answer = after(5*time.Second, good)
			s, err := w.router.Submit(context.Background(), request("ticket-triage", "k"))
			if err != nil {
				w.t.Fatal(err)
			}
			if _, err := w.router.Cancel(context.Background(), "acme", s.Job.ID, "changed my mind"); err != nil {
				w.t.Fatal(err)
			}
			time.Sleep(minute)
			synctest.Wait()
			w.expect(w.stored(s.Job.ID), "cancelled: a cancelled")
			if _, err := w.router.Cancel(context.Background(), "acme", s.Job.ID, "again"); err != nil {
				w.t.Errorf("a second cancel: %v", err)
			}
		}},
		{"an operator may bring the result", func(w *world) {
			w.a.answer = after(time.Hour, good)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			_, err := w.router.Resolve(context.Background(), Settle{JobID: j.ID, Number: 1, As: jobstore.Executed, By: "ops", Reason: "read it in their console", Output: []byte(`{"category":"card","urgent":false}`)})
			if err != nil {
				w.t.Fatal(err)
			}
			w.expect(w.stored(j.ID), "succeeded by 1: a succeeded")
		}},
		{"a result that an operator brings must keep the contract too", func(w *world) {
			w.a.answer = after(time.Hour, good)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			_, err := w.router.Resolve(context.Background(), Settle{JobID: j.ID, Number: 1, As: jobstore.Executed, By: "ops", Reason: "r", Output: []byte(`{"category":"pizza"}`)})
			var broken *OutputError
			if !errors.As(err, &broken) {
				w.t.Errorf("err %v", err)
			}
			w.expect(w.stored(j.ID), "unknown: a unknown")
		}},
		{"when every router is gone another takes a waiting job over, and an open attempt turns unknown (R6)", func(w *world) {
			w.a.answer = after(time.Hour, good)
			dead := w.start("router-dead", w.open())
			s, err := dead.Submit(context.Background(), request("ticket-triage", "k"))
			if err != nil {
				w.t.Fatal(err)
			}
			w.kill(dead)
			time.Sleep(20 * time.Second)
			synctest.Wait()
			w.expect(w.stored(s.Job.ID), "unknown: a unknown")
			if f := w.stored(s.Job.ID).Attempts[0].Failure; f.Class != contracts.RouterLost {
				w.t.Errorf("failure %+v", f)
			}
		}},
		{"an answer that comes to a router whose lease has lapsed still completes the job", func(w *world) {
			w.a.answer = after(40*time.Second, good)
			var c cable
			cutOff := w.start("router-cut-off", w.openBy(&c))
			s, err := cutOff.Submit(context.Background(), request("ticket-triage", "k"))
			if err != nil {
				w.t.Fatal(err)
			}
			c.out.Store(true)
			time.Sleep(25 * time.Second)
			synctest.Wait()
			w.expect(w.stored(s.Job.ID), "unknown: a unknown")
			c.out.Store(false)
			time.Sleep(30 * time.Second)
			synctest.Wait()
			w.expect(w.stored(s.Job.ID), "succeeded by 1: a succeeded")
		}},
		{"what was settled through another router is what a repeat gets, at once (R8)", func(w *world) {
			w.a.answer = after(time.Hour, good)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			other := w.start("router-2", w.open())
			_, err := other.Resolve(context.Background(), Settle{JobID: j.ID, Number: 1, As: jobstore.Executed, By: "ops", Reason: "r", Output: []byte(`{"category":"card","urgent":false}`)})
			if err != nil {
				w.t.Fatal(err)
			}
			w.expect(w.infer(w.router, "ticket-triage", "k", minute), "succeeded by 1: a succeeded")
		}},
		{"a job that another router was told to go on with is waited for where it is", func(w *world) {
			w.prove()
			w.a.answer = after(time.Hour, good)
			w.b.answer = after(3*time.Second, good)
			j := w.infer(w.router, "ticket-triage", "k", minute)
			other := w.start("router-2", w.open())
			_, err := other.Resolve(context.Background(), Settle{JobID: j.ID, Number: 1, As: jobstore.NotExecuted, By: "ops", Reason: "r"})
			if err != nil {
				w.t.Fatal(err)
			}
			w.expect(w.infer(w.router, "ticket-triage", "k", minute), "succeeded by 2: a failed, b succeeded")
		}},
		{"waiters on another router see the end", func(w *world) {
			w.a.answer = after(5*time.Second, good)
			other := w.start("router-2", w.open())
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() { w.expect(w.infer(w.router, "ticket-triage", "k", minute), "succeeded by 1: a succeeded") })
				wg.Go(func() { w.expect(w.infer(other, "ticket-triage", "k", minute), "succeeded by 1: a succeeded") })
			}
			wg.Wait()
			if len(w.a.ran()) != 1 {
				w.t.Errorf("ran %v", w.a.ran())
			}
		}},
	} {
		t.Run(story.name, func(t *testing.T) { inWorld(t, story.tell) })
	}
}

func (w *world) resolve(id string, n int, as jobstore.As) {
	w.t.Helper()
	if _, err := w.router.Resolve(context.Background(), Settle{JobID: id, Number: n, As: as, By: "ops", Reason: "asked them"}); err != nil {
		w.t.Fatalf("resolve: %v", err)
	}
}

// kill lets a router never touch the store again, as a crash would.
func (w *world) kill(r *Router) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.Store.Close()
}

// Two thousand clicks at once are one job, one execution, and no burden to the
// store (R3).
func TestClicksAtTheSameMomentShareOneStoreCall(t *testing.T) {
	inWorld(t, func(w *world) {
		w.a.answer = after(time.Second, good)
		before := w.store.Calls()
		var wg sync.WaitGroup
		ids := make(chan string, 2000)
		for range 2000 {
			wg.Go(func() { ids <- w.infer(w.router, "ticket-triage", "k", time.Minute).ID })
		}
		wg.Wait()
		close(ids)
		first := <-ids
		for id := range ids {
			if id != first {
				t.Fatalf("jobs %s and %s", first, id)
			}
		}
		if len(w.a.ran()) != 1 {
			t.Errorf("ran %v", w.a.ran())
		}
		if calls := w.store.Calls() - before; calls > 200 {
			t.Errorf("%d script calls for one intent", calls)
		}
	})
}

// Another intent under the same key asks for itself and is refused, also while
// the first one is being written (R4).
func TestAnotherIntentDoesNotJoin(t *testing.T) {
	inWorld(t, func(w *world) {
		other := request("ticket-triage", "k")
		other.Fingerprint += "0"
		var wg sync.WaitGroup
		var refused atomic.Int32
		for range 50 {
			wg.Go(func() { w.infer(w.router, "ticket-triage", "k", time.Minute) })
		}
		synctest.Wait()
		for range 50 {
			wg.Go(func() {
				_, err := w.router.Submit(context.Background(), other)
				var reused *jobstore.KeyReusedError
				if errors.As(err, &reused) {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		if refused.Load() != 50 {
			t.Errorf("%d of 50 were refused", refused.Load())
		}
	})
}
