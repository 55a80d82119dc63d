package failover

import (
	"net/http"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

var timeoutBlocks = Story{
	ID:     "unknown/timeout-blocks",
	Title:  "a timeout is unknown, and blocks a second attempt and the fallback",
	Proves: []string{"R10", "R11"},
	Asks:   "a request whose primary does the work and says nothing; then the same five times more",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		in, j, _ := w.Unknown(w.d.Hold, nil)
		w.heldUnknown(in, &j, contracts.Timeout)
	},
}

// heldUnknown checks that a job is unknown by its first attempt and that asking
// again starts nothing.
func (w *World) heldUnknown(in *Intent, j *Job, class contracts.Class) {
	w.Equal("the attempt's state", j.Attempt(1).State, unknown)
	w.Equal("the class of its failure", j.Attempt(1).class(), class)
	w.Equal("the effect of its failure", j.Attempt(1).effect(), contracts.Open)
	w.repeatsFindUnknown(in, 5)
}

func (w *World) repeatsFindUnknown(in *Intent, n int) {
	good := 0
	for range n {
		a := w.Infer(in)
		if a.Status == http.StatusAccepted && a.Job != nil && a.Job.ID == in.Job && a.Job.State == unknown {
			good++
		}
	}
	w.Equal("the number of repeats that are told 202, the same job, unknown", good, n)
	ran := w.Ran(in.Ref)
	w.Equal("the number of calls to the primary", calls(ran, w.Primary()), 1)
	w.Equal("the number of calls to the fallback", calls(ran, w.Fallback()), 0)
}

var lateAnswer = Story{
	ID:     "unknown/late-answer",
	Title:  "the late answer settles the job, and is its result",
	Proves: []string{"R8", "R12"},
	Asks:   "a request whose primary answers after the timeout",
	Run: func(w *World) {
		content := w.d.Hold.Outputs[1]
		in, _, gate := w.Unknown(w.d.Hold, content)
		w.Open(gate)
		j := w.Succeeds(in, 1)
		w.Check(sameText(j.output(), content), "the result is what the primary said")
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}

var settledNotExecuted = Story{
	ID:     "unknown/settled-not-executed",
	Title:  "once an operator says that nothing was executed, the fallback runs",
	Proves: []string{"R12", "R19"},
	Asks:   "a request that the primary takes and never works on; an operator's settlement",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		gate := w.Gate()
		w.Faults(w.Primary(), sim.Fault{Hang: true, Until: gate})
		in := w.Intent(w.d.Hold)
		a := w.Infer(in)
		w.Must(a.jobID() != "", "the answer names a job (%s)", a.line())
		j := w.Until(in.Job, "is unknown", func(j *Job) bool { return j.State == unknown })
		w.Equal("the number of calls to the fallback before the settlement", calls(w.Ran(in.Ref), w.Fallback()), 0)
		w.Settled(j, 1, "not_executed", nil)
		end := w.Succeeds(in, 2)
		w.Equal("the target of the result", end.Result.Target, w.d.Fallback.Name)
		w.Check(end.Recovered, "the job counts as recovered")
		w.Open(gate)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}

var settledExecuted = Story{
	ID:     "unknown/settled-executed",
	Title:  "an operator who brings the result ends the job with it, and nothing runs again",
	Proves: []string{"R8", "R12", "R13"},
	Asks:   "a request whose primary is silent; a settlement with the output; then the late answer, which differs",
	Run: func(w *World) {
		given := w.d.Hold.Outputs[1]
		in, j, gate := w.Unknown(w.d.Hold, w.d.Hold.Outputs[0])
		w.Settled(j, 1, "executed", given)
		end := w.Succeeds(in, 1)
		w.Check(sameText(end.output(), given), "the result is what the operator brought")
		w.Open(gate)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
		again := w.Infer(in)
		w.Check(again.Job != nil && sameText(again.Job.output(), given), "after the late answer a repeat still gets it")
		w.Equal("the number of calls", len(w.Ran(in.Ref)), 1)
	},
}

var settlementRefused = Story{
	ID:     "unknown/settlement-refused",
	Title:  "a settlement without a reason, or with a result that breaks the contract, is refused and changes nothing",
	Proves: []string{"R12", "R26"},
	Asks:   "a request whose primary is silent; two bad settlements, a good one, and one more",
	Run: func(w *World) {
		in, j, _ := w.Unknown(w.d.Hold, nil)
		path := "/v1/jobs/" + j.ID + "/attempts/1/resolve"
		a := w.Ask(request{method: http.MethodPost, path: path, body: []byte(`{"as":"executed"}`)})
		w.Equal("the status without a reason", a.Status, http.StatusBadRequest)
		a = w.Settle(j, 1, "executed", []byte(`["breaks","the","contract"]`))
		w.Equal("the status with a broken result", a.Status, http.StatusUnprocessableEntity)
		w.repeatsFindUnknown(in, 1)
		w.Settled(j, 1, "executed", w.d.Hold.Outputs[0])
		a = w.Settle(j, 1, "not_executed", nil)
		w.Equal("the status of a second settlement", a.Status, http.StatusConflict)
		w.Succeeds(in, 1)
	},
}
