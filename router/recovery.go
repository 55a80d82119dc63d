package router

import (
	"context"
	"errors"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// storeContext bounds a move that does not hang on any caller.
func (r *Router) storeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.records, storeTime)
}

// untilStored makes a move until the store answers it, or the router ends.
func (r *Router) untilStored(move func() error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := move()
		if !errors.Is(err, jobstore.ErrUnavailable) || r.records.Err() != nil {
			return err
		}
		r.observer.Observe(Observation{Event: StoreTrouble, Code: "owed", Err: err})
		select {
		case <-time.After(wait):
		case <-r.records.Done():
			return err
		}
	}
}

// situation gathers what the next step is decided from. Who may take over is
// read only when something failed, and read until the store tells: a moment
// without it must not end a job for want of a fallback.
func (d *driver) situation(attempts []jobstore.Attempt) (s situation) {
	unfit := d.unfit()
	err := d.r.untilStored(func() (err error) {
		ctx, cancel := d.r.storeContext()
		defer cancel()
		s, err = d.r.situation(ctx, d.f.route, d.job.Intent, unfit, attempts, d.left())
		return err
	})
	if err != nil { // the router ends: nothing may take over from here
		s.barred = and(nil, unfit)
		for _, t := range d.f.route.Fallbacks {
			s.barred[t] = jobstore.Excluded{Target: t, Code: "eligibility_unknown", Reason: "its eligibility could not be read"}
		}
	}
	return s
}

func (r *Router) situation(ctx context.Context, route *Route, intent []byte, unfit map[string]jobstore.Excluded, attempts []jobstore.Attempt, left time.Duration) (situation, error) {
	s := situation{route: route, effects: route.Contract.Effects, policy: route.Contract.OnUnknown, attempts: attempts,
		left: left, random: random(), shunned: r.shunned(route), mostly: r.mostly(route, intent)}
	var err error
	s.barred, s.demoted, err = r.barred(ctx, route)
	s.barred = and(s.barred, unfit)
	return s, err
}

// afterFailure decides the step that follows when attempt n ends with f.
func (d *driver) afterFailure(n int, f *contracts.Failure, cost *jobstore.Cost) step {
	if f.Effect == contracts.Open {
		return step{}
	}
	attempts := slices.Clone(d.job.Attempts)
	attempts[n-1].State, attempts[n-1].Failure = jobstore.AttemptFailed, f
	if cost != nil {
		attempts[n-1].Cost = cost
	}
	return next(d.situation(attempts))
}

// settledAttempts is how the attempts will look when number n is settled.
func settledAttempts(attempts []jobstore.Attempt, n int, s jobstore.Settlement) []jobstore.Attempt {
	attempts = slices.Clone(attempts)
	f := jobstore.Resolution{Settlement: s}.Failure()
	attempts[n-1].State, attempts[n-1].Settlement, attempts[n-1].Failure = jobstore.AttemptFailed, &s, f
	return attempts
}

// reload reads the record and goes on from what it says.
func (d *driver) reload() {
	var j jobstore.Job
	err := d.r.untilStored(func() (err error) {
		ctx, cancel := d.r.storeContext()
		defer cancel()
		j, err = d.r.Store.Load(ctx, d.job.ID)
		return err
	})
	if err != nil {
		d.giveAway() // gone, or the router ends
		return
	}
	before := d.job.State
	d.job = j
	switch {
	case !j.State.Live():
		if before.Live() {
			d.ended(before)
		}
		d.f.show(d.job, resting) // it may have gained a note
	case j.Holder == "" && j.State == jobstore.JobQueued:
		d.claim()
	case j.Epoch != d.epoch || j.Holder == "":
		d.giveAway()
	default:
		d.adopt()
	}
}

// giveAway: another claim drives the job. What is still listened to is settled
// when it comes.
func (d *driver) giveAway() {
	d.lost, d.after = true, step{}
	d.r.land(d.f)
	d.f.show(d.job, gaveAway)
}

// adopt goes on from a record that is ours.
func (d *driver) adopt() {
	last := d.job.Last()
	switch {
	case d.job.State == jobstore.JobQueued:
		d.proceed()
	case d.job.State == jobstore.JobUnknown:
		d.heldUnknown()
	case last != nil && last.State == jobstore.AttemptStarting && last.Epoch == d.epoch && d.newest() == nil:
		d.notSent(last)
	}
}

// notSent settles an attempt of ours that is on record and was never sent,
// because the reply to its record was lost.
func (d *driver) notSent(a *jobstore.Attempt) {
	f := &contracts.Failure{Class: contracts.Connection, Effect: contracts.None, Code: codeNotSent,
		Detail: "the store did not answer in time, so the request was not sent"}
	d.calls[a.Number] = &call{attempt: *a, began: time.Now()}
	d.answered(answer{number: a.Number, failure: f})
}

// claim takes the job under a new epoch.
func (d *driver) claim() {
	if d.r.draining() {
		d.giveAway()
		return
	}
	ctx, cancel := d.r.storeContext()
	defer cancel()
	c, err := d.r.Store.Claim(ctx, d.job.ID, d.r.Lease, d.r.Name)
	if err != nil {
		d.giveAway()
		return
	}
	j, err := d.r.Store.Load(ctx, d.job.ID)
	if err != nil {
		d.giveAway()
		return
	}
	d.lost, d.noRace, d.beat = false, false, 0
	d.epoch, d.job, d.since = c.Epoch, j, time.Now()
	d.offset = j.Deadline.Sub(j.Lease.Add(-d.r.Lease))
	d.lease.Reset(d.r.Lease / 3)
	d.adopt()
}

// proceed takes the next step of a queued job.
func (d *driver) proceed() {
	then := next(d.situation(d.job.Attempts))
	if then.fail == nil {
		d.schedule(then)
		return
	}
	before := d.job.State
	var s jobstore.Settled
	err := d.r.untilStored(func() (err error) {
		ctx, cancel := d.r.storeContext()
		defer cancel()
		s, err = d.r.Store.Fail(ctx, &d.job, d.epoch, then.fail)
		return err
	})
	if err != nil {
		d.reload()
		return
	}
	d.job.State, d.job.Version, d.job.Ended, d.job.Error = s.State, s.Version, s.At, then.fail
	d.ended(before)
}

// Adopt takes a job over whose router is gone, or that nobody holds, and goes
// on with it. A job that another router holds, or that has ended, is left alone.
func (r *Router) adopt(id string) {
	if r.flight(id) != nil || r.admit() != nil {
		return
	}
	defer r.drivers.release()
	ctx, cancel := r.storeContext()
	defer cancel()
	c, err := r.Store.Claim(ctx, id, r.Lease, r.Name)
	if errors.Is(err, jobstore.ErrQuarantined) {
		r.observer.Observe(Observation{Event: JobQuarantined, Job: id})
	}
	if err != nil {
		return
	}
	j, err := r.Store.Load(ctx, id)
	if err != nil {
		return // the lease lapses, and somebody looks again
	}
	if c.Orphaned {
		r.see(&j, Observation{Event: AttemptOrphaned, Attempt: len(j.Attempts), Target: j.Last().Target})
	}
	route, err := r.routeOf(&j)
	if err != nil {
		r.leaveAlone(ctx, &j, err)
		return
	}
	r.resume(r.launch(j, route))
}

// leaveAlone ends a job that can't be carried on, because its contract is gone
// or has changed. With an attempt that is unknown it waits for an operator.
func (r *Router) leaveAlone(ctx context.Context, j *jobstore.Job, why error) {
	var err error
	if j.State == jobstore.JobQueued {
		_, err = r.Store.Fail(ctx, j, j.Epoch, &jobstore.JobError{Code: "contract_changed", Message: why.Error()})
		r.see(j, Observation{Event: JobEnded, State: string(jobstore.JobFailed), Code: "contract_changed"})
	} else {
		err = r.Store.Release(ctx, j.ID, j.Epoch, -1)
	}
	if err != nil {
		r.see(j, Observation{Event: StoreTrouble, Code: "contract_changed", Err: err})
	}
}

// errContractChanged: a job is never carried on under another contract than the
// one that it was accepted under.
var errContractChanged = errors.New("no route serves the contract that the job was accepted under")

func (r *Router) routeOf(j *jobstore.Job) (*Route, error) {
	route, ok := r.routes[j.Contract]
	if !ok || route.Contract.Digest != j.Digest {
		return nil, errContractChanged
	}
	return route, nil
}
