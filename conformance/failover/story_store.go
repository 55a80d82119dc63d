package failover

import (
	"context"
	"net/http"

	"inferonce/providers/sim"
)

var storeGone = Story{
	ID:     "store/gone",
	Title:  "without its store the router refuses, sends nothing, and works again when it is back",
	Proves: []string{"R5", "R29"},
	Asks:   "the store stopped; a request; the store started; the same request until it is taken",
	Needs:  []Need{NeedStore},
	Run: func(w *World) {
		start := w.stopStore()
		in := w.Intent(w.d.Hold)
		a := w.heard(in, w.Ask(in.async()))
		w.Equal("the status without a store", a.Status, http.StatusServiceUnavailable)
		w.Check(a.Header.Get("Retry-After") != "", "it says when to come back")
		w.Equal("the number of calls without a store", len(w.Ran(in.Ref)), 0)
		start()
		w.takenAgain(in)
		w.Succeeds(in, 1)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}

// takenAgain sends a request until the router has its store back.
func (w *World) takenAgain(in *Intent) {
	w.until("the request is taken again", func() bool {
		ctx, cancel := w.wait()
		defer cancel()
		a := w.heard(in, w.api.do(ctx, in.request()))
		return a.Status == http.StatusOK || a.Status == http.StatusAccepted
	})
}

var storeGoneMeanwhile = Story{
	ID:     "store/gone-meanwhile",
	Title:  "an answer that comes while the store is away is written when it is back",
	Proves: []string{"R6", "R13", "R29"},
	Asks:   "a request; the store stopped while the primary works; the answer; the store started",
	Needs:  []Need{NeedStore},
	Run: func(w *World) {
		gate := w.Gate()
		w.Faults(w.Primary(), sim.Fault{Until: gate})
		in := w.Intent(w.d.Hold)
		w.Submit(in)
		w.Arrived(gate)
		start := w.stopStore()
		w.Open(gate)
		w.Ended(in.Ref)
		start()
		w.Over(in.Job)
		w.Succeeds(in, 1)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}

// stopStore takes the store away; it is given back in any case.
func (w *World) stopStore() (start func()) {
	w.order("stop the store", w.d.Store.StopStore)
	w.note("the store is stopped")
	down := true
	w.later(func(ctx context.Context) {
		if down {
			_ = w.d.Store.StartStore(ctx) // the next story waits for it, and says so if it is not there
		}
	})
	return func() {
		w.order("start the store", w.d.Store.StartStore)
		down = false
		w.note("the store is started")
	}
}
