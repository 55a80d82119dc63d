package failover

import (
	"net/http"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

var edgeSpeaks = Story{
	ID:     "unknown/html-502",
	Title:  "a 502 page of an edge in between is unknown: the provider may have done the work",
	Proves: []string{"R10", "R11"},
	Asks:   "a request that the primary executes while an edge answers 502 with a page",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		w.lost(sim.Fault{HTML: true, Executed: true}, contracts.Timeout)
	},
}

var resetAfterBody = Story{
	ID:     "unknown/reset",
	Title:  "a connection lost after the request was sent is unknown",
	Proves: []string{"R10", "R11"},
	Asks:   "a request that the primary executes before it resets the connection",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		w.lost(sim.Fault{Reset: sim.AfterBody}, contracts.Connection)
	},
}

// lost tells a story of an answer that got lost, and will never come.
func (w *World) lost(f sim.Fault, class contracts.Class) {
	w.Faults(w.Primary(), f)
	in := w.Intent(w.d.Hold)
	a := w.Infer(in)
	w.Must(a.jobID() != "", "the answer names a job (%s)", a.line())
	j := w.Until(in.Job, "is unknown", func(j *Job) bool { return j.State == unknown })
	w.heldUnknown(in, &j, class)
	w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	w.Settled(j, 1, "executed", w.d.Hold.Outputs[0])
	w.Succeeds(in, 1)
}

var cancelWhileUnknown = Story{
	ID:     "unknown/cancelled",
	Title:  "a job cancelled while it is unknown stays cancelled, and its late answer is dropped",
	Proves: []string{"R12", "R13"},
	Asks:   "a request whose primary is silent; two cancellations; then the late answer",
	Run: func(w *World) {
		in, j, gate := w.Unknown(w.d.Hold, nil)
		w.Equal("the status of the cancellation", w.Cancel(j.ID).Status, http.StatusOK)
		w.Equal("the status of a second one", w.Cancel(j.ID).Status, http.StatusOK)
		w.Open(gate)
		ran := w.Ended(in.Ref)
		w.Equal("the number of executions", executed(ran), 1)
		w.Stays(j.ID, "stays cancelled, whatever the late answer says", func(j *Job) bool { return j.State == cancelled })
		a := w.Infer(in)
		w.Equal("the status of a repeat", a.Status, http.StatusConflict)
		w.Equal("the code of it", a.code(), "job_cancelled")
		end, _ := w.Get(j.ID)
		w.Equal("the job's state", end.State, cancelled)
		w.Check(end.Result == nil && end.CompletedBy == 0, "the job has no result")
		w.Equal("the number of calls", len(w.Ran(in.Ref)), 1)
	},
}
