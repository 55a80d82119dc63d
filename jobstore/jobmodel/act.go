package jobmodel

import "fmt"

// step is one way from a world to the next, while it is being made.
type step struct {
	*explorer
	w     world
	name  string
	fault bool // something went wrong: a loss, a crash, a lapse
}

func (x *step) is(m Mutant) bool { return x.mutant&m != 0 }

// steps calls yield with every world that can follow w.
func (e *explorer) steps(w world) {
	try := func(name string, fault bool, act func(*step)) {
		x := &step{explorer: e, w: w, name: name, fault: fault}
		act(x)
		x.w = x.w.plain()
		if x.w != w {
			e.arrive(x)
		}
	}
	for i := range w.routers {
		e.routerSteps(w, i, func(name string, fault bool, act func(*step, *router)) {
			try("a router "+name, fault, func(x *step) { act(x, &x.w.routers[i]) })
		})
	}
	e.worldSteps(w, try)
}

// worldSteps are those of everybody who is no router.
func (e *explorer) worldSteps(w world, try func(string, bool, func(*step))) {
	j := w.job
	for n := uint8(1); n <= attempts; n++ {
		a := w.att[n]
		if a.work == going {
			try(fmt.Sprintf("the provider finishes attempt %d", n), false, func(x *step) { x.w.att[n].work = done })
			try(fmt.Sprintf("the provider refuses attempt %d", n), false, func(x *step) { x.w.att[n].work = refused })
		}
		if a.window {
			try(fmt.Sprintf("the send window of attempt %d closes", n), false, func(x *step) { x.w.att[n].window = false })
		}
		if (a.work == done || a.work == refused) && a.pushes > 0 && a.state != none {
			try(fmt.Sprintf("a webhook tells of attempt %d", n), false, func(x *step) {
				x.w.att[n].pushes--
				if x.w.att[n].state == unknown { // an event only proposes; the state refuses what is stale
					x.settle(n, false, a.work)
				}
			})
		}
		if a.state == unknown && a.work == done {
			try(fmt.Sprintf("an operator says that attempt %d was executed", n), false, func(x *step) { x.resolve(n, true) })
		}
		if a.state == unknown && (a.work == unsent || a.work == refused) {
			try(fmt.Sprintf("an operator says that attempt %d was not executed", n), false, func(x *step) { x.resolve(n, false) })
		}
	}
	if !j.exists {
		return
	}
	if j.state.live() {
		try("the owner cancels", false, func(x *step) { x.cancel() })
		if !j.budgetOut {
			try("the job's time is over", false, func(x *step) { x.w.job.budgetOut = true })
		}
	}
	if j.leased {
		try("the lease lapses", true, func(x *step) { x.w.job.leased = false })
	}
}

// routerSteps are what router i can do next.
func (e *explorer) routerSteps(w world, i int, try func(string, bool, func(*step, *router))) {
	r := w.routers[i]
	if r.at != idle && w.crashes > 0 {
		try("is killed", true, func(x *step, r *router) { *r = router{}; x.w.crashes-- })
	}
	switch r.at {
	case idle:
		if !w.job.exists {
			try("submits", false, func(x *step, r *router) { r.call(submitting) })
		} else if w.job.state.live() && !w.job.leased {
			try("claims", false, func(x *step, r *router) { r.call(claiming) })
		}
	case holding:
		e.holdingSteps(w, r, try)
	case begun:
		try("sends", false, (*step).send)
	case waiting, listening:
		e.waitingSteps(w, r, try)
	default:
		e.callSteps(w, r, try)
	}
}

func (e *explorer) holdingSteps(w world, r router, try func(string, bool, func(*step, *router))) {
	if r.n > attempts || w.job.budgetOut {
		try("gives the job up", false, func(x *step, r *router) { r.call(failing) })
	} else {
		try("begins", false, func(x *step, r *router) {
			if x.is(sendBeforeWrite) {
				x.leave(r.n)
			}
			r.call(beginning)
		})
	}
	try("releases", false, func(x *step, r *router) { r.call(releasing) })
	if !w.job.leased && r.newest && w.job.held && w.job.state.live() {
		try("renews", false, func(x *step, _ *router) { x.w.job.leased = true })
	}
}

// send is the moment in which the first byte leaves, or does not, because the
// window has closed.
func (x *step) send(r *router) {
	a := &x.w.att[r.n]
	if x.is(sendBeforeWrite) {
		r.at = waiting
		return
	}
	if !a.window {
		r.has = refused
		r.call(settling)
		return
	}
	x.leave(r.n)
	r.at = waiting
}

// leave has the provider get the request of attempt n.
func (x *step) leave(n uint8) {
	for other := uint8(1); other <= attempts; other++ {
		w := x.w.att[other].work
		if (w == going || w == done) && (other == n || !x.races) {
			x.breaks(fmt.Sprintf("attempt %d is sent although attempt %d runs or ran", n, other))
		}
	}
	x.w.att[n].work = going
}

func (e *explorer) waitingSteps(w world, r router, try func(string, bool, func(*step, *router))) {
	if work := w.att[r.n].work; work == done || work == refused {
		try("gets the answer", false, func(x *step, r *router) {
			r.has = work
			r.call(settling)
		})
	}
	if r.at == waiting {
		try("hears nothing", false, func(x *step, r *router) {
			r.has = going
			r.call(settling)
		})
	} else {
		try("hangs up", false, func(x *step, r *router) { *r = router{} })
		if e.races && w.job.state == unknown && r.newest && w.job.attempts < attempts {
			try("races", false, func(x *step, r *router) {
				r.n = x.w.job.attempts + 1
				r.call(beginning)
			})
		}
	}
}

// callSteps are the three ways of a call to the store.
func (e *explorer) callSteps(w world, r router, try func(string, bool, func(*step, *router))) {
	try(callNames[r.at], false, func(x *step, r *router) { r.answered(x, x.apply(r)) })
	if w.losses == 0 {
		return
	}
	try(callNames[r.at]+", and the reply is lost", true, func(x *step, r *router) {
		x.w.losses--
		r.memo = x.apply(r)
	})
	try(callNames[r.at]+", and the request is lost", true, func(x *step, r *router) { x.w.losses-- })
}

var callNames = map[place]string{submitting: "submits to the store", claiming: "claims at the store", beginning: "begins at the store",
	settling: "settles at the store", releasing: "releases at the store", failing: "fails the job at the store"}

func (r *router) call(p place) { r.at, r.memo = p, unmade }

// apply has the store make the router's present call; the same call again
// answers the same.
func (x *step) apply(r *router) reply {
	if r.memo != unmade && !x.is(noOpToken) {
		return r.memo
	}
	first := r.memo
	got := x.make(r)
	if first == accepted && got == refusedCall {
		x.breaks("a call was taken, and its repeat is refused")
	}
	return got
}

func (x *step) make(r *router) reply {
	switch r.at {
	case submitting:
		return x.submit(r)
	case claiming:
		return x.claim(r)
	case beginning:
		return x.begin(r)
	case settling:
		return x.settle(r.n, r.newest, r.has)
	case releasing:
		return x.release(r)
	}
	return x.fail(r)
}

// answered is what a router makes of the store's reply.
func (r *router) answered(x *step, got reply) {
	at := r.at
	r.memo = unmade
	j := &x.w.job
	switch {
	case at == settling && r.has == going && got == accepted && x.w.att[r.n].state == unknown:
		r.at, r.has = listening, unsent
	case got == refusedCall, at == releasing, at == failing:
		*r = router{}
	case at == submitting, at == beginning:
		r.at = begun
	case at == claiming, at == settling:
		r.has = unsent
		if j.state == queued && r.newest && j.held {
			r.at, r.n = holding, j.attempts+1
			return
		}
		*r = router{} // ended, or unknown: somebody claims it again when there is something to do
	}
}
