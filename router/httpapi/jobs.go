package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"inferonce/jobstore"
)

// The bounds of a page.
const (
	defaultPage = 50
	maxPage     = 200
)

// maxReason bounds the reasons that records keep.
const maxReason = 2000

// getJob is GET /v1/jobs/{id}: 200 in every state, because reading it worked.
func (a *api) getJob(x *exchange) error {
	j, err := a.Router.Get(x.r.Context(), x.caller.Owner, x.values["id"])
	if err != nil {
		return err
	}
	return x.sendJob(http.StatusOK, &j)
}

// listJobs is GET /v1/jobs: the caller's own, newest first.
func (a *api) listJobs(x *exchange) error {
	q := x.r.URL.Query()
	state := jobstore.JobState(q.Get("state"))
	if q.Has("state") && !slices.Contains(jobstore.JobStates, state) {
		return newProblem(codeQuery, "state must be one of queued, running, unknown, succeeded, failed, cancelled")
	}
	limit, err := limitOf(q)
	if err != nil {
		return err
	}
	page, err := a.Router.List(x.r.Context(), x.caller.Owner, state, q.Get("after"), limit)
	if err != nil {
		return err
	}
	jobs := make([]*jobView, 0, len(page.Jobs))
	for i := range page.Jobs {
		jobs = append(jobs, viewJob(&page.Jobs[i]))
	}
	return x.send(http.StatusOK, newList(jobs, page.Next))
}

func limitOf(q url.Values) (int, error) {
	if !q.Has("limit") {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(q.Get("limit"))
	if err != nil || n < 1 || n > maxPage {
		return 0, newProblem(codeQuery, "limit must be a number from 1 to "+strconv.Itoa(maxPage))
	}
	return n, nil
}

// cancelJob is POST /v1/jobs/{id}/cancel. The body, {"reason": …}, may be
// left out. Cancelling a cancelled job answers the same again.
func (a *api) cancelJob(x *exchange) error {
	reason, err := a.optionalReason(x)
	if err != nil {
		return err
	}
	id := x.values["id"]
	j, err := a.Router.Cancel(x.r.Context(), x.caller.Owner, id, reason)
	if err != nil {
		return aboutJob(id, err)
	}
	return x.sendJob(http.StatusOK, &j)
}

func (a *api) optionalReason(x *exchange) (string, error) {
	if x.r.ContentLength == 0 {
		return "", nil
	}
	m, _, err := a.object(x, "reason")
	if err != nil {
		return "", err
	}
	return m.text("reason", maxReason)
}

// aboutJob names the job in a problem, unless the caller has no such job: then
// the answer must not depend on the id.
func aboutJob(id string, err error) error {
	if errors.Is(err, jobstore.ErrNotFound) {
		return err
	}
	p := problemOf(err)
	if p.Code != codeInternal && p.JobID == "" {
		p.JobID = id
		return p
	}
	return err
}
