package router

import (
	"errors"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// driver moves one job, under one epoch. It is one goroutine; calls to
// providers run beside it and hand their answers in.
type driver struct {
	r       *Router
	f       *flight
	job     jobstore.Job
	epoch   int64
	beat    int64
	lost    bool // another claim drives the job: only listen
	calls   map[int]*call
	answers chan answer

	lease  *time.Timer
	alarm  *time.Timer // silence of the newest call, or the contract's policy
	retry  *time.Timer // the next attempt's time to begin
	after  step        // what the retry timer begins
	since  time.Time   // when this driver took the job
	offset time.Duration
	was    bool // the job has been unknown
	noRace bool // no target is left that could race
	again  bool // the retry timer reads the record anew first
}

// drive starts the driver of a job whose first attempt is on record and may
// leave until sendBy.
func (r *Router) drive(f *flight, sendBy time.Time) {
	d := r.newDriver(f)
	a := *d.job.Last()
	r.see(&d.job, Observation{Event: AttemptBegan, Attempt: a.Number, Target: a.Target})
	d.execute(a, limitsFor(f.route, d.left()), sendBy)
	r.drivers.run(d.loop)
}

// resume starts the driver of a job that was claimed.
func (r *Router) resume(f *flight) {
	d := r.newDriver(f)
	r.drivers.run(func() {
		if d.job.State == jobstore.JobUnknown {
			d.was = true
			d.heldUnknown()
		} else {
			d.proceed()
		}
		d.loop()
	})
}

func (r *Router) newDriver(f *flight) *driver {
	j, _, _ := f.state()
	return &driver{r: r, f: f, job: j, epoch: j.Epoch, calls: map[int]*call{}, since: time.Now(),
		// Deadlines are the server's times: all that is taken from them is a difference.
		offset:  j.Deadline.Sub(j.Lease.Add(-r.Lease)),
		answers: make(chan answer, jobstore.MaxAttempts),
		lease:   time.NewTimer(r.Lease / 3), alarm: stopped(), retry: stopped()}
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// left is what is left of the job's time, measured on our own clock since the
// server said how much there was.
func (d *driver) left() time.Duration { return d.offset - time.Since(d.since) }

func (d *driver) loop() {
	defer d.stop()
	d.setAlarm()
	drain := d.r.drain
	for d.going() {
		var first <-chan struct{}
		if c := d.newest(); c != nil && !c.heard {
			first = c.first
		}
		select {
		case a := <-d.answers:
			d.answered(a)
		case <-first:
			d.heard()
		case <-d.alarm.C:
			d.alarmed()
		case <-d.retry.C:
			d.retried()
		case <-d.lease.C:
			d.renew()
		case <-d.f.look:
			d.reload() // somebody else changed the record
		case <-drain:
			drain = nil
			d.drained()
		}
		d.setAlarm()
	}
}

// going says that there is still something to do or to hear. A job that waits
// for its next attempt has a step to come.
func (d *driver) going() bool {
	return len(d.calls) > 0 || !d.lost && (d.again || d.after.target != "" || d.policyPending())
}

func (d *driver) stop() {
	for _, t := range []*time.Timer{d.lease, d.alarm, d.retry} {
		t.Stop()
	}
	d.letGo()
	d.r.land(d.f)
	if !d.lost {
		d.f.show(d.job, resting)
	}
}

// letGo gives a job back that still lives.
func (d *driver) letGo() {
	if d.lost || !d.job.State.Live() {
		return
	}
	delay := time.Duration(-1)
	if d.job.State == jobstore.JobQueued {
		delay = 0
	} else if at, ok := d.policyTime(); ok {
		delay = max(time.Until(at), 0)
	}
	ctx, cancel := d.r.storeContext()
	defer cancel()
	if err := d.r.Store.Release(ctx, d.job.ID, d.epoch, delay); err != nil && !errors.Is(err, jobstore.ErrStale) && !errors.Is(err, jobstore.ErrEnded) {
		d.r.see(&d.job, Observation{Event: StoreTrouble, Code: "release", Err: err})
	}
}

// newest is the call of the newest attempt, if it is still listened to.
func (d *driver) newest() *call { return d.calls[len(d.job.Attempts)] }

// answered settles the attempt that an answer belongs to and goes on from there.
func (d *driver) answered(a answer) {
	c := d.calls[a.number]
	delete(d.calls, a.number)
	att := d.job.Attempt(a.number)
	if a.failure != nil && a.failure.Effect == contracts.Open && att.State != jobstore.AttemptStarting && att.State != jobstore.AttemptRunning {
		if d.job.State == jobstore.JobUnknown && !d.lost {
			d.heldUnknown()
		}
		return // it was unknown, and still nobody knows
	}
	before := d.job.State
	o := jobstore.Outcome{Number: a.number, Epoch: att.Epoch, Version: att.Version, Result: a.result, Failure: a.failure, Note: a.note, Cost: d.cost(att.Target, a)}
	var then step
	if a.failure != nil {
		then = d.afterFailure(a.number, a.failure, o.Cost)
		o.Fail = then.fail
	}
	s, err := d.settle(o)
	a.cost = o.Cost
	switch {
	case errors.Is(err, jobstore.ErrLost):
		d.saw(c, a, LateDiscarded)
		d.reload()
	case errors.Is(err, jobstore.ErrStale), errors.Is(err, jobstore.ErrNotFound):
		d.reload()
	case err != nil: // the store stayed away until the end: another router will find the attempt
	case s.Won:
		d.saw(c, a, AttemptSettled)
		d.apply(a, s, nil)
		d.ended(before)
	default:
		d.saw(c, a, AttemptSettled)
		d.apply(a, s, then.fail)
		d.follow(s.State, then, before)
	}
}

// follow goes on after a failure is on record and the job is in state.
func (d *driver) follow(state jobstore.JobState, then step, before jobstore.JobState) {
	switch state {
	case jobstore.JobQueued:
		d.schedule(then)
	case jobstore.JobUnknown:
		d.heldUnknown()
	case jobstore.JobFailed:
		d.ended(before)
	default:
		d.f.show(d.job, flying)
	}
}

// settle makes the move, and makes it again until the store has it or the
// router ends: the answer exists only here.
func (d *driver) settle(o jobstore.Outcome) (s jobstore.Settled, err error) {
	err = d.r.untilStored(func() (err error) {
		ctx, cancel := d.r.storeContext()
		defer cancel()
		s, err = d.r.Store.Settle(ctx, &d.job, o)
		return err
	})
	return s, err
}

// apply brings what is known of the job up to a settlement of ours.
func (d *driver) apply(a answer, s jobstore.Settled, problem *jobstore.JobError) {
	att := d.job.Attempt(a.number)
	d.job.State, d.job.Version = s.State, s.Version
	if a.cost != nil {
		att.Cost = a.cost
	}
	switch {
	case s.Won:
		att.State, att.Ended = jobstore.AttemptSucceeded, s.At
		d.job.Result, d.job.CompletedBy, d.job.Ended = a.result, a.number, s.At
		d.job.Open--
	case a.failure.Effect == contracts.Open:
		att.State, att.UnknownSince, att.Failure = jobstore.AttemptUnknown, s.At, a.failure
	default:
		att.State, att.Ended, att.Failure = jobstore.AttemptFailed, s.At, a.failure
		d.job.Open--
	}
	if s.State == jobstore.JobFailed {
		d.job.Ended, d.job.Error = s.At, problem
	}
}

// ended shows the end of the job. Calls that are still open are listened to, so
// that what they deliver is counted; their results can no longer count.
func (d *driver) ended(before jobstore.JobState) {
	d.after = step{}
	d.retry.Stop()
	d.f.show(d.job, resting)
	d.r.see(&d.job, Observation{Event: JobEnded, State: string(d.job.State), Elapsed: d.job.Ended.Sub(d.job.Created),
		Recovered: d.job.Recovered(), FromUnknown: before == jobstore.JobUnknown, Code: errorCode(d.job.Error)})
	if d.job.State == jobstore.JobCancelled {
		d.hangUp()
	}
}

func (d *driver) hangUp() {
	for _, c := range d.calls {
		c.hangUp()
	}
}

func errorCode(e *jobstore.JobError) string {
	if e == nil {
		return ""
	}
	return e.Code
}

// saw reports how an attempt ended, once that is on record.
func (d *driver) saw(c *call, a answer, e Event) {
	o := Observation{Event: e, Attempt: a.number, Target: c.attempt.Target, Elapsed: time.Since(c.began)}
	if a.cost != nil && !a.cost.Estimated {
		o.Spent = a.cost.MicroUSD
	}
	if a.failure != nil {
		o.Class, o.Effect, o.Code = a.failure.Class, a.failure.Effect, a.failure.Code
		if a.failure.Effect == contracts.Open {
			o.Event = AttemptUnknown
		}
	}
	d.r.see(&d.job, o)
}

// schedule begins the next step now or after its wait.
func (d *driver) schedule(then step) {
	d.after = then
	d.f.show(d.job, flying)
	if d.r.draining() {
		d.after = step{}
		return
	}
	if then.target != "" {
		d.retry.Reset(then.wait)
	}
}

// beginAgain is how long to leave a store alone that did not take an attempt.
const beginAgain = time.Second

func (d *driver) retried() {
	if d.again {
		d.again = false
		d.reload()
		return
	}
	d.begin(d.after)
}

// begin writes the next attempt and makes its call.
func (d *driver) begin(s step) {
	d.after = step{}
	if d.lost || s.target == "" || d.r.draining() {
		return
	}
	begun := time.Now()
	t := d.r.Targets[s.target]
	start := jobstore.Start{Target: t.Name, Provider: t.Provider, Model: t.Model, SendWithin: sendWindow(d.f.route)}
	ctx, cancel := d.r.storeContext()
	defer cancel()
	a, err := d.r.Store.Begin(ctx, d.job.ID, d.epoch, len(d.job.Attempts)+1, s.race, d.r.Lease, start)
	switch {
	case err == nil:
		d.job.State, d.job.Attempts = jobstore.JobRunning, append(d.job.Attempts, a)
		d.job.Open++
		d.f.show(d.job, flying)
		d.r.see(&d.job, Observation{Event: AttemptBegan, Attempt: a.Number, Target: a.Target})
		d.execute(a, limitsFor(d.f.route, d.left()), begun.Add(start.SendWithin))
	case errors.Is(err, jobstore.ErrUnavailable):
		// Nothing was sent, but the record may be written: reading tells, after a
		// while, since a store that is full can be read and not written.
		d.r.see(&d.job, Observation{Event: StoreTrouble, Code: "begin", Err: err})
		d.again = true
		d.retry.Reset(beginAgain)
	default:
		d.reload()
	}
}
