package router

import (
	"errors"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// PolicyAuthor is who settles under a contract's policy. No owner can have this
// name, since owners' names hold no white space.
const PolicyAuthor = "the contract's policy"

// acceptAfter is how long an answer may take after its first byte before the
// record says that the provider has the request. An untroubled inference is
// over by then, and costs no third script call.
const acceptAfter = time.Second

// setAlarm sets the one timer to whatever needs a look first.
func (d *driver) setAlarm() {
	at, ok := d.nextLook()
	if !ok {
		d.alarm.Stop()
		return
	}
	d.alarm.Reset(max(time.Until(at), 0))
}

func (d *driver) nextLook() (time.Time, bool) {
	if d.lost {
		return time.Time{}, false
	}
	if c := d.underWay(); c != nil {
		at := c.began.Add(d.patience(c))
		if c.heard && d.job.Last().State == jobstore.AttemptStarting {
			at = earliest(at, c.accept)
		}
		return at, true
	}
	return d.policyTime()
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// underWay is the call of an attempt that is starting or running.
func (d *driver) underWay() *call {
	c := d.newest()
	if c == nil || !d.job.State.Live() {
		return nil
	}
	if s := d.job.Last().State; s != jobstore.AttemptStarting && s != jobstore.AttemptRunning {
		return nil
	}
	return c
}

// patience is how long a call may be silent before its attempt is unknown.
func (d *driver) patience(c *call) time.Duration {
	p := c.limits.answerWithin
	if !c.heard {
		p = min(p, c.limits.firstByte)
		if d.mayRace() {
			p = min(p, d.policy().After)
		}
	}
	return p
}

func (d *driver) policy() contracts.UnknownPolicy { return d.f.route.Contract.OnUnknown }

// mayRace says that the contract allows a race and a target is left for it.
// Whether that target has proved itself is looked up when the race is due.
func (d *driver) mayRace() bool {
	if d.policy().Action != contracts.UnknownRaceAfter || d.noRace || len(d.job.Attempts) >= d.f.route.Attempts {
		return false
	}
	return slices.ContainsFunc(d.f.route.Targets(), func(t string) bool {
		return !slices.ContainsFunc(d.job.Attempts, func(a jobstore.Attempt) bool { return a.Target == t })
	})
}

// heard notes the first byte of an answer.
func (d *driver) heard() {
	c := d.newest()
	c.heard, c.accept = true, time.Now().Add(acceptAfter)
}

// alarmed does what the alarm was set for.
func (d *driver) alarmed() {
	c := d.underWay()
	switch {
	case c == nil:
		if at, ok := d.policyTime(); ok && !time.Now().Before(at) {
			d.policyDue()
		}
	case !time.Now().Before(c.began.Add(d.patience(c))):
		d.silent(c)
	case c.heard && d.job.Last().State == jobstore.AttemptStarting && !time.Now().Before(c.accept):
		d.accepted(c)
	}
}

func (d *driver) accepted(c *call) {
	ctx, cancel := d.r.storeContext()
	defer cancel()
	if err := d.r.Store.Accept(ctx, d.job.ID, c.attempt.Number, ""); err != nil {
		d.r.see(&d.job, Observation{Event: StoreTrouble, Code: "accept", Err: err})
		c.accept = time.Now().Add(acceptAfter)
		return
	}
	d.job.Last().State = jobstore.AttemptRunning
	d.f.show(d.job, flying)
}

// silent turns the attempt unknown and releases its callers. The connection is
// listened to as before.
func (d *driver) silent(c *call) {
	a := answer{number: c.attempt.Number, failure: silence(c, d.patience(c))}
	a.cost = d.cost(c.attempt.Target, a)
	s, err := d.settle(jobstore.Outcome{Number: a.number, Epoch: c.attempt.Epoch, Version: c.attempt.Version, Failure: a.failure, Cost: a.cost})
	if err != nil {
		d.reload()
		return
	}
	d.saw(c, a, AttemptUnknown)
	c.guarded.leave(didBadly)
	d.apply(a, s, nil)
	d.heldUnknown()
}

func silence(c *call, patience time.Duration) *contracts.Failure {
	f := &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open, Code: "first_byte",
		Detail: "no byte of an answer within " + patience.String() + "; the connection is still listened to"}
	if c.heard {
		f.Code, f.Detail = "answer_within", "the answer was not complete within "+patience.String()+"; the connection is still listened to"
	}
	return f
}

// heldUnknown: the job is unknown. Callers are released unless a race is about
// to start.
func (d *driver) heldUnknown() {
	if !d.was {
		d.r.see(&d.job, Observation{Event: JobUnknown})
	}
	d.was = true
	d.f.show(d.job, rests(!d.mayRace()))
}

// policyPending says that the contract's policy will do something about the unknown attempt.
func (d *driver) policyPending() bool {
	_, ok := d.policyTime()
	return ok
}

// policyTime is when the contract's policy acts on the unknown attempt.
func (d *driver) policyTime() (time.Time, bool) {
	if d.lost || d.job.State != jobstore.JobUnknown || d.r.draining() {
		return time.Time{}, false
	}
	last := d.job.Last()
	switch {
	case d.policy().Action == contracts.UnknownCancelAfter:
		return d.local(last.UnknownSince.Add(d.policy().After)), true
	case d.mayRace():
		return d.local(last.Started.Add(d.policy().After)), true
	}
	return time.Time{}, false
}

// local turns a time of the server into one of ours.
func (d *driver) local(server time.Time) time.Time {
	now := d.job.Deadline.Add(-d.left())
	return time.Now().Add(server.Sub(now))
}

func (d *driver) policyDue() {
	if d.policy().Action == contracts.UnknownCancelAfter {
		d.giveUp()
		return
	}
	s := next(d.situation(d.job.Attempts))
	if !s.race {
		d.noRace = true
		d.f.show(d.job, resting)
		return
	}
	d.begin(s)
}

// giveUp settles the unknown attempt as cancelled, as the contract allows, and
// goes on with the next one.
func (d *driver) giveUp() {
	n := len(d.job.Attempts)
	res := jobstore.Resolution{Number: n, Settlement: jobstore.Settlement{As: jobstore.Cancelled, By: PolicyAuthor,
		Reason: "the contract gives an unknown attempt up after " + d.policy().After.String()}}
	res.Fail = next(d.situation(settledAttempts(d.job.Attempts, n, res.Settlement))).fail
	err := d.r.untilStored(func() error {
		ctx, cancel := d.r.storeContext()
		defer cancel()
		_, err := d.r.Store.Resolve(ctx, d.job.ID, res)
		return err
	})
	if err == nil {
		d.r.see(&d.job, Observation{Event: AttemptResolved, Attempt: n, By: PolicyAuthor, Code: string(jobstore.Cancelled)})
		if c := d.calls[n]; c != nil {
			c.hangUp()
		}
	}
	d.reload()
}

// renew moves the lease, and finds out whether somebody else changed the job.
func (d *driver) renew() {
	if d.lost || !d.job.State.Live() {
		return
	}
	d.lease.Reset(d.r.Lease / 3)
	d.beat++
	ctx, cancel := d.r.storeContext()
	defer cancel()
	err := d.r.Store.Renew(ctx, d.job.ID, d.epoch, d.beat, d.r.Lease)
	switch {
	case errors.Is(err, jobstore.ErrUnavailable):
		d.r.see(&d.job, Observation{Event: StoreTrouble, Code: "renew", Err: err})
	case err != nil:
		d.reload()
	}
}
