package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"inferonce/jobstore"
	"inferonce/router"
)

// unknownView is a job whose outcome nobody knows, as an operator needs it.
type unknownView struct {
	*jobView
	Owner  string   `json:"owner"`
	Advice []advice `json:"advice"` // one for each unknown attempt
}

// advice says what is known of an attempt and what to do about it.
type advice struct {
	Attempt int    `json:"attempt"`
	Known   string `json:"known"`
	Do      string `json:"do"`
	Resolve string `json:"resolve"` // where to POST the settlement
}

// listUnknown is GET /v1/unknown: of all owners, longest first.
func (a *api) listUnknown(x *exchange) error {
	q := x.r.URL.Query()
	limit, err := limitOf(q)
	if err != nil {
		return err
	}
	page, err := a.Router.Unknown(x.r.Context(), q.Get("after"), limit)
	if err != nil {
		return err
	}
	jobs := make([]unknownView, 0, len(page.Jobs))
	for i := range page.Jobs {
		j := &page.Jobs[i]
		jobs = append(jobs, unknownView{viewJob(j), j.Owner, advise(j)})
	}
	return x.send(http.StatusOK, newList(jobs, page.Next))
}

func advise(j *jobstore.Job) []advice {
	all := []advice{}
	for i := range j.Attempts {
		if a := &j.Attempts[i]; a.State == jobstore.AttemptUnknown {
			all = append(all, advice{a.Number, known(a), toDo(j.ID, a), fmt.Sprintf("%s/attempts/%d/resolve", jobPath(j.ID), a.Number)})
		}
	}
	return all
}

// known is what the record tells, in words of ours only.
func known(a *jobstore.Attempt) string {
	s := fmt.Sprintf("Attempt %d went to %s", a.Number, a.Target)
	if !a.UnknownSince.IsZero() {
		s += " and is unknown since " + a.UnknownSince.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	if f := a.Failure; f != nil {
		s += ": " + strings.TrimSuffix(string(f.Class)+", "+f.Code, ", ")
	}
	return s + ". The provider may have executed it, and may still be at it."
}

// toDo says where to look, and what each settlement leads to.
func toDo(job string, a *jobstore.Attempt) string {
	which := "attempt id " + jobstore.AttemptID(job, a.Number)
	if a.Reference != "" {
		which = "its id " + a.Reference
	}
	return fmt.Sprintf("Look for the call at provider %s (%s). Then settle it, with a reason: executed with the output ends the job well; "+
		"executed without it, if the output is lost; not_executed, if you know that it never ran; cancelled, to give it up.", a.Provider, which)
}

// resolve is POST /v1/jobs/{id}/attempts/{n}/resolve: an operator's word on an
// unknown attempt (R12). If-Match may hold the job's version.
func (a *api) resolve(x *exchange) error {
	s := router.Settle{JobID: x.values["id"], By: x.caller.by()}
	var err error
	if s.Number, err = strconv.Atoi(x.values["n"]); err != nil || s.Number < 1 {
		return jobstore.ErrNotFound
	}
	if s.IfVersion, _, err = ifMatch(x.r.Header); err != nil {
		return err
	}
	if err := a.readSettle(x, &s); err != nil {
		return err
	}
	j, err := a.Router.Resolve(x.r.Context(), s)
	if err != nil {
		return aboutJob(s.JobID, err)
	}
	return x.sendJob(http.StatusOK, &j)
}

var settlements = []jobstore.As{jobstore.Executed, jobstore.NotExecuted, jobstore.Cancelled}

func (a *api) readSettle(x *exchange, s *router.Settle) error {
	m, _, err := a.object(x, "as", "reason", "output")
	if err != nil {
		return err
	}
	as, asErr := m.text("as", maxName)
	reason, reasonErr := m.text("reason", maxReason)
	if err := cmp.Or(m.require("as"), asErr, reasonErr); err != nil {
		return err
	}
	s.As, s.Reason = jobstore.As(as), reason
	if !slices.Contains(settlements, s.As) {
		return bodyProblem(reasonValue, pointer("as"), `"as" must be executed, not_executed or cancelled`)
	}
	if out := m["output"]; out != nil && string(out) != "null" {
		s.Output = json.RawMessage(out)
	}
	if s.Output != nil && s.As != jobstore.Executed {
		return bodyProblem(reasonValue, pointer("output"), `only what was executed has an "output"`)
	}
	return nil
}

// ifMatch reads the version that the caller has seen. ok is false without the
// header; "*" stands for any version, like 0.
func ifMatch(h http.Header) (version int64, ok bool, err error) {
	values := h.Values("If-Match")
	if len(values) == 0 {
		return 0, false, nil
	}
	if len(values) == 1 && values[0] == "*" {
		return 0, false, nil
	}
	text, quoted := strings.CutPrefix(values[0], `"`)
	text, closed := strings.CutSuffix(text, `"`)
	version, err = strconv.ParseInt(text, 10, 64)
	if len(values) > 1 || !quoted || !closed || err != nil || version < 0 {
		return 0, false, newProblem(codeIfMatch, "If-Match must be one version in double quotes")
	}
	return version, true, nil
}
