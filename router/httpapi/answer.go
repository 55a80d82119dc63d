package httpapi

import (
	"net/http"
	"time"

	"inferonce/jobstore"
)

// answerJob sends a job as the answer to its intent. A job that ended without
// a result is a problem, so that a client which looks at statuses only does
// not take it for one.
func (x *exchange) answerJob(j *jobstore.Job, replayed bool) error {
	x.job = j
	h := x.w.Header()
	if replayed && !j.State.Live() {
		h.Set("Idempotent-Replayed", "true")
	}
	switch {
	case j.State.Live():
		h.Set("X-Should-Retry", "true")
		return x.sendJob(http.StatusAccepted, j)
	case j.State == jobstore.JobSucceeded:
		return x.sendJob(http.StatusOK, j)
	}
	return endedBadly(j)
}

// sendJob sends a job as it stands. A live one says where and when to look again.
func (x *exchange) sendJob(status int, j *jobstore.Job) error {
	x.job = j
	h := x.w.Header()
	h.Set("ETag", etag(j.Version))
	if j.State.Live() {
		comeBack(h, lookAgain(j.State))
	}
	if status == http.StatusAccepted {
		h.Set("Location", jobPath(j.ID))
	}
	return x.send(status, viewJob(j))
}

func jobPath(id string) string { return "/v1/jobs/" + id }

// lookAgain is when a live job may have changed: an unknown one waits for an
// outsider, who is slower than a provider.
func lookAgain(s jobstore.JobState) time.Duration {
	if s == jobstore.JobUnknown {
		return 10 * time.Second
	}
	return time.Second
}

// endedBadly is the problem of a job that failed or was cancelled. It is
// final: a repeat with the same key gets the same (R8).
func endedBadly(j *jobstore.Job) *problem {
	code, detail := codeJobFailed, "no attempt gave a result"
	if j.State == jobstore.JobCancelled {
		code, detail = codeCancelled, "the job was cancelled before it had a result"
	} else if e := j.Error; e != nil {
		detail = e.Message
		switch e.Code {
		case codeNoFallback, codeDeadline, codeQuarantined, codeSpendCap:
			code = e.Code
		}
	}
	p := newProblem(code, detail)
	p.JobID, p.Job = j.ID, viewJob(j)
	if j.Error != nil {
		p.Excluded = j.Error.Excluded
	}
	return p
}
