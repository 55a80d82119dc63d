package failover

import (
	"fmt"
	"net/http"

	"inferonce/providers/sim"
)

// doubleClick holds the provider's work back until every click is on its way,
// so that all of them meet a job that is not done.
func doubleClick(n int) Story {
	return Story{
		ID:     fmt.Sprintf("double-click/%d", n),
		Title:  fmt.Sprintf("%d clicks at once are one job and one execution", n),
		Proves: []string{"R2", "R3", "R8"},
		Asks:   fmt.Sprintf("%d identical requests with one key, sent at the same moment while the primary works", n),
		Run:    func(w *World) { clicks(w, n, w.d.BaseURL) },
	}
}

func clicks(w *World, n int, bases ...string) {
	gate := w.Gate()
	w.Faults(w.Primary(), sim.Fault{Until: gate})
	in := w.Intent(w.d.Hold)
	answers := w.AtOnce(in, n, func() {
		w.Arrived(gate)
		w.Submit(in) // one more, which is certainly answered while the work is not done
		w.Open(gate)
	}, bases...)
	w.oneJob(in, answers)
	w.Must(in.Job != "", "an answer names the job")
	j := w.Over(in.Job)
	w.succeeded(&j, 1)
	again := w.Infer(in)
	w.Equal("the status of a later repeat", again.Status, http.StatusOK)
	w.Equal("the job of a later repeat", again.jobID(), in.Job)
	w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
}

// oneJob checks that all answers are good ones about one job.
func (w *World) oneJob(in *Intent, answers []Answer) {
	jobs, odd := map[string]int{}, map[int]int{}
	lost := 0
	for _, a := range answers {
		switch {
		case a.Err != nil:
			lost++
			continue
		case a.Status != http.StatusOK && a.Status != http.StatusAccepted:
			odd[a.Status]++
		}
		jobs[a.jobID()]++
		w.heard(in, a)
	}
	w.Equal("the number of requests without an answer", lost, 0)
	w.Check(len(odd) == 0, "every answer is 200 or 202 (others: %s)", countsOf(odd))
	w.Check(len(jobs) == 1 && jobs[""] == 0, "every answer names the same job (%d found)", len(jobs))
}

var callerGone = Story{
	ID:     "double-click/caller-gone",
	Title:  "a caller who hangs up changes nothing, and gets the answer with the same key",
	Proves: []string{"R6", "R8"},
	Asks:   "a request whose caller goes while the primary works; then the same again",
	Run: func(w *World) {
		gate := w.Gate()
		w.Faults(w.Primary(), sim.Fault{Until: gate})
		in := w.Intent(w.d.Hold)
		hangUp, gone := w.StartAndLeave(in)
		w.Arrived(gate)
		hangUp()
		<-gone
		j := w.Submit(in)
		w.Open(gate)
		end := w.Over(j.ID)
		w.succeeded(&end, 1)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}
