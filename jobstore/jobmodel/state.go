package jobmodel

import "inferonce/jobstore"

// The bounds of one exploration. Larger ones find nothing more that is of
// another kind: two routers are enough to race, two attempts to repeat.
const (
	routers  = 2
	attempts = 2
	crashes  = 2
	losses   = 2
	// claimLimit is the most claims without progress; one more is a violation.
	claimLimit = 3
)

// world is everything: the store's record, the routers' memories, and what
// really happened at the provider, which nobody here can see.
type world struct {
	job     job
	att     [attempts + 1]attempt // by number; 0 is not used
	routers [routers]router
	crashes uint8 // left
	losses  uint8 // left
}

// job is the store's record of the job.
type job struct {
	exists    bool
	state     phase
	winner    uint8 // completed_by
	held      bool
	leased    bool // the lease has not lapsed
	claims    uint8
	attempts  uint8
	open      uint8
	budgetOut bool // nothing more may start
}

// attempt is the store's record of one attempt, and the truth about its call.
type attempt struct {
	state  phase
	fresh  bool // the job has the version that the attempt read when it began
	window bool // it may still be sent
	work   work
	pushes uint8 // webhooks that are still to come
}

// phase is a state of a job or an attempt.
type phase uint8

const (
	none phase = iota
	queued
	running // of an attempt: starting or running
	unknown
	succeeded
	failed
	cancelled
	discarded
)

func (p phase) live() bool { return p == queued || p == running || p == unknown }
func (p phase) open() bool { return p == running || p == unknown }

func (p phase) job() jobstore.JobState {
	return [...]jobstore.JobState{"", jobstore.JobQueued, jobstore.JobRunning, jobstore.JobUnknown,
		jobstore.JobSucceeded, jobstore.JobFailed, jobstore.JobCancelled, ""}[p]
}

func (p phase) attempt() jobstore.AttemptState {
	return [...]jobstore.AttemptState{"", "", jobstore.AttemptStarting, jobstore.AttemptUnknown,
		jobstore.AttemptSucceeded, jobstore.AttemptFailed, jobstore.AttemptCancelled, jobstore.AttemptDiscarded}[p]
}

// work is what became of a call at the provider.
type work uint8

const (
	unsent  work = iota
	going        // the request left; the work may be under way
	done         // it ran, and there is a result
	refused      // it was refused and ran nothing
)

// router is the memory of one router process.
type router struct {
	at     place
	newest bool  // its epoch is the job's
	n      uint8 // the attempt it is about
	has    work  // the answer it holds: done, refused, or going for silence
	// memo is the store's note of the router's present call: its op token.
	memo reply
}

// place is where a router stands. In the places that end in "…ing" a call to
// the store is under way and is made again until it is answered.
type place uint8

const (
	idle place = iota
	submitting
	claiming
	holding // the job is queued and this router's
	beginning
	begun     // the attempt is on record; nothing has left
	waiting   // the request has left
	listening // the attempt is unknown; its connection is still open
	settling
	releasing
	failing
)

// reply is what the store answered to a call; silence means that it never applied it.
type reply uint8

const (
	unmade reply = iota
	accepted
	refusedCall
)

// plain makes one world of all that differ only in what can no longer matter.
// Epochs and versions are kept as what is asked of them: equal to the job's or
// not.
func (w world) plain() world {
	settled := !w.job.state.live()
	for i := range w.att {
		a := &w.att[i]
		if !a.state.open() {
			a.pushes, a.fresh = 0, false
		}
		if a.work != unsent {
			a.window = false
		}
		settled = settled && !a.state.open()
	}
	if settled && w.job.exists {
		w.job.budgetOut, w.job.claims = false, 0
		for i := range w.routers {
			if r := &w.routers[i]; r.at != begun && r.at != beginning {
				*r = router{}
			}
		}
	}
	if before(w.routers[1], w.routers[0]) {
		w.routers[0], w.routers[1] = w.routers[1], w.routers[0]
	}
	return w
}

func before(a, b router) bool {
	return a.rank() < b.rank()
}

func (r router) rank() uint32 {
	k := uint32(r.at)<<16 | uint32(r.n)<<12 | uint32(r.has)<<8 | uint32(r.memo)<<4
	if r.newest {
		k |= 1
	}
	return k
}
