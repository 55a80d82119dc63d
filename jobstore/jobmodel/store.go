package jobmodel

import "inferonce/jobstore"

// The moves of the store, each as its script makes it.

func (x *step) submit(r *router) reply {
	j := &x.w.job
	if j.exists {
		return refusedCall
	}
	*j = job{exists: true, state: running, held: true, leased: true, attempts: 1, open: 1}
	x.w.att[1] = attempt{state: running, fresh: true, window: true, work: x.w.att[1].work, pushes: pushes}
	r.newest, r.n = true, 1
	x.moved("submit", none, 1, none)
	return accepted
}

const pushes = 2

func (x *step) claim(r *router) reply {
	j := &x.w.job
	if !j.state.live() || j.leased {
		return refusedCall
	}
	before, last := j.state, &x.w.att[j.attempts]
	orphan := j.attempts > 0 && last.state == running
	if j.claims >= claimLimit && !x.is(claimsWithoutEnd) {
		if j.open == 0 {
			j.state, j.held = failed, false
			x.moved("claim", before, 0, none)
			return refusedCall
		}
		if !orphan {
			return refusedCall // left to an operator
		}
	}
	j.held, j.leased, j.claims = true, true, j.claims+1
	for i := range x.w.routers {
		x.w.routers[i].newest = false
	}
	r.newest = true
	if !orphan {
		x.moved("claim", before, 0, none)
		return accepted
	}
	if x.is(lapseRequeues) {
		last.state, j.state, j.open = failed, queued, j.open-1
		return accepted
	}
	last.state, j.state = unknown, unknown
	x.moved("claim", before, j.attempts, running)
	return accepted
}

func (x *step) begin(r *router) reply {
	j := &x.w.job
	fenced := !r.newest || !j.held
	if !j.state.live() || fenced && !x.is(noEpoch) || j.attempts >= attempts {
		return refusedCall
	}
	if j.attempts != r.n-1 && !x.is(noOpToken) {
		return refusedCall // another attempt has begun meanwhile
	}
	if j.open > 0 && (!x.races || x.w.att[j.attempts].state == running) {
		return refusedCall
	}
	if fenced {
		x.breaks("an attempt is begun under an old epoch")
	}
	before := j.state
	j.attempts++
	r.n = j.attempts
	kept := x.w.att[r.n].work // only a router that sends before it writes has any
	x.w.att[r.n] = attempt{state: running, fresh: true, window: true, work: kept, pushes: pushes}
	j.state, j.open, j.claims, j.leased = running, j.open+1, 0, true
	x.moved("begin", before, r.n, none)
	return accepted
}

// settle ends attempt n, or turns it unknown. newest says that the caller's epoch
// is the job's; who has an answer and drives nothing, a webhook or a look-up, has
// no epoch.
func (x *step) settle(n uint8, newest bool, answer work) reply {
	j, a := &x.w.job, &x.w.att[n]
	if (a.state == none) || !a.state.open() && answer != done {
		return refusedCall
	}
	current := newest && (j.held || !j.state.live())
	if a.state == running && !current && !x.is(noEpoch) {
		return refusedCall
	}
	before, from := j.state, a.state
	switch answer {
	case done:
		return x.succeed(n)
	case going:
		return x.silent(n)
	}
	a.state, j.open, j.claims = failed, j.open-1, 0
	switch {
	case !j.state.live():
	case j.open > 0:
		if n == j.attempts {
			j.state = unknown
		}
	case j.budgetOut || j.attempts >= attempts:
		j.state, j.held, j.leased = failed, false, false
		x.bump()
	default:
		j.state = queued
		if !current {
			j.held, j.leased = false, false
		}
	}
	x.moved("settle", before, n, from)
	return accepted
}

func (x *step) succeed(n uint8) reply {
	j, a := &x.w.job, &x.w.att[n]
	before, from := j.state, a.state
	if !a.state.open() {
		return refusedCall // only a note is kept
	}
	free := a.fresh && j.winner == 0 && j.state.live()
	if !free && !x.is(lateResultWins) {
		a.state, j.open = discarded, j.open-1
		x.moved("settle", before, n, from)
		return refusedCall
	}
	a.state, j.open = succeeded, j.open-1
	if j.winner != 0 && j.winner != n {
		x.breaks("a second attempt's result took the place of the first")
	}
	j.state, j.winner, j.held, j.leased = succeeded, n, false, false
	x.bump()
	x.moved("settle", before, n, from)
	return accepted
}

func (x *step) silent(n uint8) reply {
	j, a := &x.w.job, &x.w.att[n]
	before, from := j.state, a.state
	if a.state == unknown {
		return accepted
	}
	if x.is(timeoutRequeues) && j.state.live() {
		a.state, j.state, j.open = failed, queued, j.open-1
		return accepted
	}
	a.state = unknown
	if j.state.live() {
		j.state = unknown
	}
	x.moved("settle", before, n, from)
	return accepted
}

func (x *step) release(r *router) reply {
	j := &x.w.job
	if !j.state.live() || !r.newest || !j.held || j.state == running {
		return refusedCall
	}
	j.held, j.leased, j.claims = false, false, 0
	return accepted
}

func (x *step) fail(r *router) reply {
	j := &x.w.job
	if j.state != queued || !r.newest || !j.held || j.open > 0 {
		return refusedCall
	}
	j.state, j.held, j.leased = failed, false, false
	x.bump()
	x.moved("fail", queued, 0, none)
	return accepted
}

// resolve is an operator's word on an unknown attempt. Operators are trusted to
// tell the truth as it is when they speak; the send window is there for what can
// still happen afterwards.
func (x *step) resolve(n uint8, executed bool) {
	j, a := &x.w.job, &x.w.att[n]
	if a.state != unknown || !j.state.live() || !executed && a.window && !x.is(windowIgnored) {
		return
	}
	before := j.state
	j.open--
	if executed {
		if j.winner != 0 {
			x.breaks("an operator's result took the place of another")
		}
		a.state = succeeded
		j.state, j.winner, j.held, j.leased = succeeded, n, false, false
		x.bump()
		x.moved("resolve", before, n, unknown)
		return
	}
	a.state, j.claims = failed, 0
	if j.open == 0 {
		j.held, j.leased = false, false
		x.bump()
		j.state = queued
		if j.budgetOut || j.attempts >= attempts {
			j.state = failed
		}
	}
	x.moved("resolve", before, n, unknown)
}

func (x *step) cancel() {
	j := &x.w.job
	before, open := j.state, x.w.att
	j.state, j.open, j.held, j.leased = cancelled, 0, false, false
	for n := uint8(1); n <= j.attempts; n++ {
		if open[n].state.open() {
			x.w.att[n].state = cancelled
			x.moved("cancel", before, n, open[n].state)
		}
	}
	if before == queued {
		x.moved("cancel", before, 0, none)
	}
	x.bump()
}

// bump gives the job another version than every attempt has read.
func (x *step) bump() {
	for i := range x.w.att {
		x.w.att[i].fresh = false
	}
}

// moved books a move of the store, so that it can be held against jobstore.Moves.
func (x *step) moved(name string, before phase, n uint8, from phase) {
	m := jobstore.Move{Name: name, JobFrom: before.job(), JobTo: x.w.job.state.job()}
	if n > 0 {
		m.AttemptFrom, m.AttemptTo = from.attempt(), x.w.att[n].state.attempt()
	}
	x.moves = append(x.moves, m)
}
