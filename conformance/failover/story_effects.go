package failover

import (
	"net/http"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

var externalHolds = Story{
	ID:     "external/no-second-run",
	Title:  "where running it has effects, a bad answer of the primary ends the job and the fallback never runs",
	Proves: []string{"R18", "R20"},
	Asks:   "a request with external effects whose primary executes it and breaks the schema; then the same again",
	Needs:  []Need{NeedExternal},
	Run: func(w *World) {
		w.Faults(w.Primary(), sim.Fault{WrongSchema: true})
		in := w.Intent(w.d.External)
		j, a := w.Done(in)
		w.Equal("the job's state", j.State, failed)
		w.Equal("the status of a repeat", a.Status, http.StatusBadGateway)
		w.Equal("the code of it", a.code(), "job_failed")
		ran := w.Ended(in.Ref)
		w.Equal("the number of executions", executed(ran), 1)
		w.Equal("the number of calls to the fallback", calls(ran, w.Fallback()), 0)
	},
}

var externalFallsOver = Story{
	ID:     "external/refusal-falls-over",
	Title:  "where running it has effects, a refusal that ran nothing lets the fallback take over",
	Proves: []string{"R18", "R20"},
	Asks:   "a request with external effects that the primary refuses with 429",
	Needs:  []Need{NeedExternal},
	Run: func(w *World) {
		w.Faults(w.Primary(), sim.Fault{Status: 429})
		in := w.Intent(w.d.External)
		w.fellOver(in, contracts.None, contracts.RateLimited)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}
