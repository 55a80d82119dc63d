package router

import (
	"context"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// Why a target is rather not called now, and the codes of calls that were not made
// for it.
const (
	codeCircuitOpen = "circuit_open"
	codeResting     = "resting"
	codePaced       = "paced"
)

// How long a target is left alone that refused, if it does not say; and at most,
// since a mistaken wait must not take it out for a day.
const (
	restUnstated = time.Second
	restMost     = time.Minute
)

// restFor says for how long a failure makes its target rest; after that its calls
// are paced. 0: not at all. It is pure.
func restFor(f *contracts.Failure) time.Duration {
	if f != nil && (f.Class == contracts.RateLimited || f.Class == contracts.Overloaded && f.RetryAfter > 0) {
		return min(orDefault(f.RetryAfter, restUnstated), restMost)
	}
	return 0
}

// guarded is a call's part in what is known of its target. It speaks once: an
// attempt that was silent has said what it had to say, whatever comes later.
type guarded struct {
	r      *Router
	target string
	permit permit
	spoken chan struct{} // holds one token until the call has spoken
}

// enter counts a call in with its target's breaker.
func (r *Router) enter(target string) *guarded {
	p, moved := r.guard.begin(target)
	r.circuitMoved(target, moved)
	g := &guarded{r: r, target: target, permit: p, spoken: make(chan struct{}, 1)}
	g.spoken <- struct{}{}
	return g
}

// leave counts it out.
func (g *guarded) leave(o outcome) {
	select {
	case <-g.spoken:
		g.r.circuitMoved(g.target, g.r.guard.end(g.target, g.permit, o))
	default:
	}
}

func (r *Router) circuitMoved(target string, to circuit) {
	if to != "" {
		r.observer.Observe(Observation{Event: CircuitMoved, Target: target, State: string(to)})
	}
}

// turn waits for a call's turn at a target that is paced, as long as its request
// may still leave. The failure says that none came in time; nothing was sent.
func (r *Router) turn(ctx context.Context, target string, sendBy time.Time) *contracts.Failure {
	if code, left := r.guard.shun(target); code == codeResting {
		return notNow(codeResting, left)
	}
	if _, paced := r.guard.paced(target); !paced {
		return nil
	}
	sctx, cancel := r.storeContext()
	defer cancel()
	s, err := r.Store.Slot(sctx, target, time.Until(sendBy)-turnReserve)
	switch {
	case err != nil || s.Free:
		return nil // a store that is away keeps nobody from a call that is on record
	case s.Full:
		return notNow(codePaced, s.Wait)
	}
	wait := time.NewTimer(s.Wait)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return notNow(codePaced, s.Wait)
	}
	if cut, paced := r.guard.paced(target); paced && cut > s.Cut {
		return notNow(codePaced, restUnstated) // the pace was lowered since: the turn is void
	}
	return nil
}

// turnReserve is kept of the send window for the request to leave in.
const turnReserve = 200 * time.Millisecond

func notNow(code string, wait time.Duration) *contracts.Failure {
	return &contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, Code: code, RetryAfter: wait,
		Detail: "the target asked for fewer calls a moment ago; nothing was sent"}
}

// rested notes what a refusal makes of its target, here at once and then for all
// routers. Without the store this router keeps it to itself.
func (r *Router) rested(target string, f *contracts.Failure, began time.Time) {
	wait := restFor(f)
	if wait == 0 || r.guard.off(target) || !r.guard.mark(target, wait, time.Since(began), true) {
		return
	}
	r.observer.Observe(Observation{Event: TargetRests, Target: target, State: codeResting})
	ctx, cancel := r.storeContext()
	defer cancel()
	s, err := r.Store.Rest(ctx, target, wait, time.Since(began), true)
	if err != nil {
		r.observer.Observe(Observation{Event: StoreTrouble, Code: "rest", Err: err})
		return
	}
	r.guard.learn(s)
}

// readRests learns what other routers were refused. While the store does not tell,
// what is known stays until its time is over.
func (r *Router) readRests(ctx context.Context) {
	all, err := r.Store.Rests(ctx)
	if err != nil {
		return
	}
	begun, over := r.guard.learnAll(all)
	for _, name := range begun {
		r.observer.Observe(Observation{Event: TargetRests, Target: name, State: codeResting})
	}
	for _, name := range over {
		r.observer.Observe(Observation{Event: TargetRests, Target: name, State: "live"})
	}
}

// shun is a target that is rather not called now, and for how long.
type shun struct {
	excluded jobstore.Excluded
	wait     time.Duration
}

// shunned names those of a route. They are the last resort, and not out: a breaker
// that ended jobs would do more harm than the target.
func (r *Router) shunned(route *Route) map[string]shun {
	var out map[string]shun
	for _, t := range route.Targets() {
		code, left := r.guard.shun(t)
		if code == "" {
			continue
		}
		if out == nil {
			out = map[string]shun{}
		}
		reason := "its calls failed in a row; it is left alone until a probe does well"
		if code == codeResting {
			reason = "it asked to be left alone for another " + left.Round(time.Millisecond).String()
		}
		out[t] = shun{jobstore.Excluded{Target: t, Code: code, Reason: reason}, left}
	}
	return out
}
