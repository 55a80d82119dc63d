package failover

import (
	"context"
	"encoding/json"
	"net/http"

	"inferonce/providers/sim"
)

var ineligible = Story{
	ID:     "eligibility/ineligible",
	Title:  "a fallback that an operator switched off is not used, and the refusal says why; switched on again it is",
	Proves: []string{"R24", "R25"},
	Asks:   "the fallback switched off; a request that the primary refuses; switched on; another such request",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		w.switchedOff(w.d.Hold)
		w.Faults(w.Primary(), sim.Fault{Status: 401}, sim.Fault{Status: 401})
		in := w.Intent(w.d.Hold)
		j, a := w.Done(in)
		w.Equal("the job's state", j.State, failed)
		w.Equal("the status", a.Status, http.StatusServiceUnavailable)
		w.Equal("the code", a.code(), "no_eligible_fallback")
		w.Check(a.Problem != nil && len(a.Problem.Excluded) == 1 && a.Problem.Excluded[0].Target == w.d.Fallback.Name &&
			a.Problem.Excluded[0].Reason != "", "the fallback is named as excluded, with a reason")
		w.Equal("the number of calls to the fallback", calls(w.Ended(in.Ref), w.Fallback()), 0)
		w.switchedOn(w.d.Hold)
		next := w.Intent(w.d.Hold)
		w.Succeeds(next, 2)
		again := w.Infer(in)
		w.Equal("the status of the first request, sent again", again.Status, http.StatusServiceUnavailable)
	},
}

// switchedOff switches the fallback off until the story is over.
func (w *World) switchedOff(c Contract) Answer {
	st := w.Standing(c)
	w.later(func(context.Context) { w.guard(func() { w.switchedOn(c) }) })
	a := w.Switch(st, false, "failover story: switched off", st.version())
	w.Must(a.Status == http.StatusOK, "the fallback is switched off (%s)", a.line())
	return a
}

func (w *World) switchedOn(c Contract) {
	st := w.Standing(c)
	a := w.Switch(st, true, "failover story: switched on again", st.version())
	w.Must(a.Status == http.StatusOK, "the fallback is switched on (%s)", a.line())
}

var switches = Story{
	ID:     "eligibility/switches",
	Title:  "switching twice changes nothing the second time; a stale view, no view and no reason are refused",
	Proves: []string{"R25"},
	Asks:   "the fallback switched off twice; switched on with an old version, without one, and without a reason",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		before := w.Standing(w.d.Hold)
		w.switchedOff(w.d.Hold)
		off := w.Standing(w.d.Hold)
		w.Check(!off.Eligible && off.version() == before.version()+1, "it is off, one version later")
		entries := w.audit()
		a := w.Switch(off, false, "failover story: again", off.version())
		w.Equal("the status of switching off twice", a.Status, http.StatusOK)
		w.Equal("the version after it", w.Standing(w.d.Hold).version(), off.version())
		w.Check(w.audit() == entries, "the audit log has no entry for it")
		a = w.Switch(off, true, "failover story: an old view", before.version())
		w.Equal("the status with an old version", a.Status, http.StatusPreconditionFailed)
		a = w.Switch(off, true, "failover story: no view", -1)
		w.Equal("the status without a version", a.Status, http.StatusPreconditionRequired)
		a = w.Switch(off, true, "", off.version())
		w.Equal("the status without a reason", a.Status, http.StatusBadRequest)
		w.Check(!w.Standing(w.d.Hold).Eligible, "the fallback is still off")
		w.switchedOn(w.d.Hold)
		w.Check(w.Standing(w.d.Hold).Eligible, "the fallback is on again")
	},
}

// audit returns the newest entry of the audit log as it stands.
func (w *World) audit() string {
	a := w.Ask(request{method: http.MethodGet, path: "/v1/audit?limit=1"})
	var in struct {
		Data []json.RawMessage `json:"data"`
	}
	w.Must(a.Status == http.StatusOK && json.Unmarshal(a.Body, &in) == nil && len(in.Data) == 1, "the audit log has an entry (%s)", a.line())
	return string(in.Data[0])
}
