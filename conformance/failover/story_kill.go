package failover

import (
	"context"
	"net/http"

	"inferonce/providers/sim"
)

// kill crashes the router; it is started again in any case.
func (w *World) kill() {
	w.order("kill the router", w.d.Killer.Kill)
	w.note("the router is killed")
	w.api.http.CloseIdleConnections()
	down := true
	w.later(func(ctx context.Context) {
		if down {
			_ = w.d.Killer.Start(ctx) // the next story waits for it, and says so if it is not there
		}
	})
	w.restart = func() {
		w.order("start the router again", w.d.Killer.Start)
		down = false
		w.order("the router did not get ready", func(ctx context.Context) error { return ready(ctx, &w.api) })
		w.note("the router is started again")
	}
}

var killedBefore = Story{
	ID:     "kill/before-the-call",
	Title:  "a router killed before a call leaves loses no job and runs none twice",
	Proves: []string{"R5", "R6"},
	Asks:   "a request that both targets refuse with Retry-After: 3; the router killed while it waits",
	Needs:  []Need{NeedKill, NeedFallback},
	Run: func(w *World) {
		busy := sim.Fault{Status: 429, Headers: map[string]string{"Retry-After": "3"}}
		w.Faults(w.Primary(), busy)
		w.Faults(w.Fallback(), busy)
		in := w.Intent(w.d.Hold)
		w.Submit(in)
		w.Until(in.Job, "waits for its third attempt", func(j *Job) bool { return j.State == queued && len(j.Attempts) == 2 })
		w.kill()
		w.restart()
		// Its time may be over when another router finds it; that is an outcome too.
		j := w.Over(in.Job)
		a := w.Infer(in)
		w.Equal("the job of a repeat", a.jobID(), in.Job)
		ran := executed(w.Ended(in.Ref))
		w.Check(j.State == succeeded && ran == 1 || j.State == failed && ran == 0, "it ended well after one execution, or badly after none (%s, %d)", j.State, ran)
	},
}

var killedDuring = Story{
	ID:     "kill/during-the-call",
	Title:  "a router killed while the provider works leaves an unknown attempt, which blocks",
	Proves: []string{"R6", "R10", "R11"},
	Asks:   "a request; the router killed when the primary has it; the work done afterwards; the same request again",
	Needs:  []Need{NeedKill},
	Run: func(w *World) {
		gate := w.Gate()
		w.Faults(w.Primary(), sim.Fault{Until: gate})
		in := w.Intent(w.d.Hold)
		w.Submit(in)
		w.Arrived(gate)
		w.kill()
		w.Open(gate) // nobody hears of the work
		w.Executed(in.Ref)
		w.restart()
		w.orphaned(in, gate)
	},
}

var killedAfterWork = Story{
	ID:     "kill/before-the-answer",
	Title:  "a router killed between the work and the answer does not have the work done again",
	Proves: []string{"R6", "R10", "R11"},
	Asks:   "a request; the router killed when the primary has done the work and not yet answered; the same request again",
	Needs:  []Need{NeedKill},
	Run: func(w *World) {
		gate := w.Gate()
		w.Faults(w.Primary(), sim.Fault{Late: sim.AtGate, Until: gate})
		in := w.Intent(w.d.Hold)
		w.Submit(in)
		w.Executed(in.Ref)
		w.kill()
		w.restart()
		w.orphaned(in, gate)
	},
}

// orphaned checks a job whose router died with an attempt under way, and
// settles it.
func (w *World) orphaned(in *Intent, gate string) {
	a := w.Infer(in)
	w.Equal("the job of a repeat right after the restart", a.jobID(), in.Job)
	j := w.Until(in.Job, "is unknown", func(j *Job) bool { return j.State == unknown })
	w.Equal("the attempt's state", j.Attempt(1).State, unknown)
	w.repeatsFindUnknown(in, 3)
	w.Settled(j, 1, "executed", in.Contract.Outputs[0])
	w.Succeeds(in, 1)
	w.Open(gate)
	w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
}

var killedAfterAnswer = Story{
	ID:     "kill/after-the-answer",
	Title:  "what was answered before a crash is answered after it",
	Proves: []string{"R6", "R8"},
	Asks:   "a request; the router killed after its answer; the same request again",
	Needs:  []Need{NeedKill},
	Run: func(w *World) {
		in := w.Intent(w.d.Hold)
		w.Succeeds(in, 1)
		_, before := w.Get(in.Job)
		w.kill()
		w.restart()
		again := w.Infer(in)
		w.Equal("the status of a repeat", again.Status, http.StatusOK)
		w.Check(string(again.Body) == string(before), "a repeat gets the same job, byte for byte")
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}
