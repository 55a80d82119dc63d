package failover

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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

// Settle gives an operator's word on an attempt. That nothing was executed can
// be said only when the request can no longer leave, so it is said until then.
func (w *World) Settle(j Job, n int, as string, output json.RawMessage) Answer {
	b := map[string]any{"as": as, "reason": "failover story: looked up at the provider"}
	if output != nil {
		b["output"] = output
	}
	raw, _ := json.Marshal(b) // strings and valid JSON only
	r := request{method: http.MethodPost, path: fmt.Sprintf("/v1/jobs/%s/attempts/%d/resolve", j.ID, n), body: raw}
	var a Answer
	w.until("the settlement as "+as+" is not too soon", func() bool {
		ctx, cancel := w.wait()
		defer cancel()
		a = w.api.do(ctx, r)
		return a.code() != "too_soon"
	})
	w.note("POST %s as %s: %s", r.path, as, a.line())
	return a
}

// Settled is Settle where it must be taken.
func (w *World) Settled(j Job, n int, as string, output json.RawMessage) {
	a := w.Settle(j, n, as, output)
	w.Must(a.Status == http.StatusOK, "the settlement as %s is taken (%s)", as, a.line())
}

// Cancel gives a job up.
func (w *World) Cancel(id string) Answer {
	return w.Ask(request{method: http.MethodPost, path: "/v1/jobs/" + id + "/cancel", body: []byte(`{"reason":"failover story"}`)})
}

// Standing is how the fallback stands for a contract.
func (w *World) Standing(c Contract) Standing {
	ctx, cancel := w.wait()
	defer cancel()
	all, err := standings(ctx, &w.api)
	if err != nil {
		w.stop("%v", err)
	}
	st, ok := find(all, w.d.Fallback.Name, c)
	w.Must(ok, "the router knows how %s stands for %s", w.d.Fallback.Name, c.Name)
	return st
}

// Switch turns the fallback on or off for the contract of st, as an operator
// who last saw this version; version < 0 sends none.
func (w *World) Switch(st Standing, on bool, reason string, version int64) Answer {
	raw, _ := json.Marshal(map[string]any{"enabled": on, "reason": reason}) // cannot fail
	r := request{method: http.MethodPut, body: raw,
		path: "/v1/eligibility/" + url.PathEscape(st.Target) + "/" + url.PathEscape(st.Contract)}
	if version >= 0 {
		r.header = http.Header{"If-Match": {fmt.Sprintf(`"%d"`, version)}}
	}
	return w.Ask(r)
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
