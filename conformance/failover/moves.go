package failover

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

// Done asks for an intent, waits for its job to end and asks again: the job as
// it ended, and the answer that every later repeat gets.
func (w *World) Done(in *Intent) (Job, Answer) {
	a := w.Infer(in)
	w.Must(a.jobID() != "", "the answer names a job (%s)", a.line())
	j := w.Over(a.jobID())
	return j, w.Infer(in)
}

// Succeeds is Done for a job that must succeed by attempt n.
func (w *World) Succeeds(in *Intent, n int) Job {
	j, a := w.Done(in)
	w.succeeded(&j, n)
	w.Equal("the status of the answer", a.Status, http.StatusOK)
	return j
}

func (w *World) succeeded(j *Job, n int) {
	w.Equal("the job's state", j.State, succeeded)
	w.Equal("the number of the attempt whose result it is", j.CompletedBy, n)
	w.Equal("the number of attempts", len(j.Attempts), max(n, len(j.Attempts)))
	w.Check(j.Result != nil && len(j.Result.Output) > 0, "the job has a result")
}

// Unknown provokes an attempt whose outcome nobody knows: the primary does the
// work, or hangs, and says nothing. The gate ends its silence.
func (w *World) Unknown(c Contract, content json.RawMessage) (*Intent, Job, string) {
	gate := w.Gate()
	w.Faults(w.Primary(), saying(sim.Fault{Late: sim.AtGate, Until: gate}, content))
	in := w.Intent(c)
	a := w.Infer(in)
	w.Must(a.jobID() != "", "the answer names a job (%s)", a.line())
	j := w.Until(a.jobID(), "is unknown", func(j *Job) bool { return j.State == unknown })
	w.Executed(in.Ref)
	return in, j, gate
}

// saying makes a fault answer with this content; nil leaves it the healthy one.
func saying(f sim.Fault, content json.RawMessage) sim.Fault {
	if content != nil {
		s := string(content)
		f.Content = &s
	}
	return f
}

// sameText says whether two JSON texts mean the same.
func sameText(a, b json.RawMessage) bool {
	x, errX := contracts.Canonical(a)
	y, errY := contracts.Canonical(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

func (j *Job) output() json.RawMessage {
	if j.Result == nil {
		return nil
	}
	return j.Result.Output
}

// line is an answer in a few words, without its body.
func (a *Answer) line() string {
	if a.Err != nil {
		return "no answer"
	}
	words := []string{fmt.Sprint(a.Status)}
	if c := a.code(); c != "" {
		words = append(words, c)
	}
	if a.Job != nil {
		words = append(words, a.Job.ID, a.Job.State)
	}
	if a.Header.Get("Idempotent-Replayed") == "true" {
		words = append(words, "replayed")
	}
	return strings.Join(words, " ")
}

// tally groups answers by status.
func tally(all []Answer) string {
	byStatus := map[int]int{}
	for _, a := range all {
		byStatus[a.Status]++
	}
	return countsOf(byStatus)
}

// countsOf says how often there was what, in order.
func countsOf[K int | string](m map[K]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d × %v", m[k], k))
	}
	return strings.Join(parts, ", ")
}
