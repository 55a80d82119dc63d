package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"inferonce/jobstore"
)

// follow polls a job, as often as the router asks for, until stop accepts its
// state or ctx ends; it returns the newest answer, nil if there never was one.
// A problem that the router calls retryable is waited out; any other one is
// the error. Each change of state is said once.
func (c *client) follow(ctx context.Context, p *printer, id string, stop func(jobstore.JobState) bool) (*answer, error) {
	var newest *answer
	said := ""
	for {
		a, err := c.do(ctx, call{method: http.MethodGet, path: jobPath(id)})
		if ctx.Err() != nil {
			return newest, nil
		}
		var wait time.Duration
		if err != nil {
			if wait = retryable(err); wait == 0 {
				return newest, err
			}
			p.say("%v", err)
		} else {
			j, err := decode[job](a.body)
			if err != nil || stop(j.State) {
				return &a, err
			}
			newest, wait = &a, waitHint(a.header)
			if now := progress(&j); now != said {
				said = now
				p.say("%s", now)
			}
		}
		if !pause(ctx, wait) {
			return newest, nil
		}
	}
}

// retryable is when to try again after err; 0 for never.
func retryable(err error) time.Duration {
	if p, ok := errors.AsType[*problem](err); ok && p.Retryable {
		return p.wait
	}
	return 0
}

// pause waits; false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// progress is a live job in one line, such as "running: a failed, b starting".
func progress(j *job) string {
	var attempts []string
	for _, a := range j.Attempts {
		attempts = append(attempts, a.Target+" "+string(a.State))
	}
	return strings.TrimSuffix(string(j.State)+": "+strings.Join(attempts, ", "), ": ")
}

// jobExit is how a command about the outcome of a job ends: without an error
// if the job succeeded. The job itself is on standard output by then.
func jobExit(j *job) error {
	switch {
	case j.State == jobstore.JobSucceeded:
		return nil
	case j.State == jobstore.JobUnknown:
		return exitf(exitInconclusive, "the outcome of job %s is unknown: a provider may have executed it; an operator can settle it: inferonce unknown list", j.ID)
	case j.State.Live():
		return exitf(exitInconclusive, "job %s is not finished; wait for it with: inferonce jobs watch %s", j.ID, j.ID)
	case j.State == jobstore.JobCancelled:
		return exitf(exitChecksFailed, "job %s was cancelled; ask anew with another key", j.ID)
	}
	return exitf(exitChecksFailed, "job %s failed; ask anew with another key", j.ID)
}

func jobPath(id string) string { return "/v1/jobs/" + url.PathEscape(id) }
