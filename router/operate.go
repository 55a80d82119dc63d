package router

import (
	"context"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// Cancel ends an owner's live job. What its open attempt did stays unproved, and
// its late answer will be discarded. Cancelling twice is the same as once; a job
// that ended otherwise is ErrEnded.
func (r *Router) Cancel(ctx context.Context, owner, id, reason string) (jobstore.Job, error) {
	j, err := r.Get(ctx, owner, id)
	if err != nil {
		return jobstore.Job{}, err
	}
	_, err = r.Store.Cancel(ctx, id, jobstore.Settlement{As: jobstore.Cancelled, By: owner, Reason: reason})
	if err != nil {
		return j, err
	}
	return r.changed(ctx, id)
}

// changed tells the driver that the record moved, and reads it.
func (r *Router) changed(ctx context.Context, id string) (jobstore.Job, error) {
	if f := r.flight(id); f != nil {
		f.tell()
	}
	return r.Store.Load(ctx, id)
}

// Resolve settles an unknown attempt by an operator's word (R12). A job that it
// reopens gets a new budget, as large as its first, since the old one passed
// while nobody knew.
func (r *Router) Resolve(ctx context.Context, s Settle) (jobstore.Job, error) {
	if s.Reason == "" {
		return jobstore.Job{}, ErrNoReason
	}
	j, err := r.Store.Load(ctx, s.JobID)
	if err != nil {
		return jobstore.Job{}, err
	}
	att := j.Attempt(s.Number)
	if att == nil {
		return jobstore.Job{}, jobstore.ErrNotFound
	}
	res := jobstore.Resolution{Number: s.Number, IfVersion: s.IfVersion, Budget: j.Budget,
		Settlement: jobstore.Settlement{As: s.As, By: s.By, Reason: s.Reason}}
	route, err := r.routeOf(&j)
	if err != nil {
		res.Fail = &jobstore.JobError{Code: "contract_changed", Message: err.Error()}
	} else {
		if res.Result, err = givenResult(route.Contract, &j, att, s); err != nil {
			return jobstore.Job{}, err
		}
		unfit := map[string]jobstore.Excluded{}
		if input, err := inputOf(j.Intent); err == nil {
			unfit = r.unfit(route, input)
		}
		then, err := r.situation(ctx, route, j.Intent, unfit, settledAttempts(j.Attempts, s.Number, res.Settlement), j.Budget)
		if err != nil {
			return jobstore.Job{}, err
		}
		res.Fail = next(then).fail
	}
	if _, err := r.Store.Resolve(ctx, s.JobID, res); err != nil {
		return jobstore.Job{}, err
	}
	r.see(&j, Observation{Event: AttemptResolved, Attempt: s.Number, Target: att.Target, By: s.By, Code: string(s.As)})
	if r.flight(s.JobID) == nil {
		go r.adopt(s.JobID) // if this router is ending, another one finds the job
	}
	return r.changed(ctx, s.JobID)
}

// givenResult checks a result that an operator brings against the contract, as
// a live one would be.
func givenResult(c *contracts.Contract, j *jobstore.Job, a *jobstore.Attempt, s Settle) (*contracts.Result, error) {
	if s.As != jobstore.Executed || len(s.Output) == 0 {
		return nil, nil
	}
	input, err := inputOf(j.Intent)
	if err != nil {
		return nil, err
	}
	output, failure := c.CheckOutput(string(s.Output), input)
	if failure != nil {
		return nil, &OutputError{Failure: failure}
	}
	return &contracts.Result{Output: output, Target: a.Target, Provider: a.Provider, Model: a.Model, FinishReason: "settled"}, nil
}

// now is when a proof must still be good.
func now() time.Time { return time.Now().UTC() }
