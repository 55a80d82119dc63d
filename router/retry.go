package router

import (
	"time"

	"inferonce/jobstore"
)

// maxBackoff is the longest wait between two tries to prove a pair anew, and how
// long a pair has to go without one for the count to begin anew.
const maxBackoff = 24 * time.Hour

// nextTry is when a pair may be proved anew: from base on, and after each try an
// hour later, then two, doubled up to a day. So a pair that passes and drifts
// again and again comes back ever more seldom. It is pure.
func nextTry(base time.Time, was jobstore.Canary) (at time.Time, tries int) {
	if was.Tries == 0 || base.Sub(was.Tried) > maxBackoff {
		return base, 0
	}
	wait := maxBackoff
	if was.Tries < 6 { // 1, 2, 4, 8, 16 hours
		wait = hysteresis << (was.Tries - 1)
	}
	if again := was.Tried.Add(wait); again.After(base) {
		return again, was.Tries
	}
	return base, was.Tries
}

// errand is what a scheduled run is for.
type errand string

const (
	idle     errand = ""
	look     errand = "look"     // whether the pair still does what it proved
	renew    errand = "renew"    // a pass that ends soon, or has ended
	recovery errand = "recovery" // a pair that drift took out
)

// errandOf says what is to be done about a pair now. What an operator or a report
// from elsewhere decided is theirs to undo. It is pure.
func errandOf(p pairing, was jobstore.Canary, now time.Time) errand {
	j, rec := p.judge(now), p.rec
	due := func(base time.Time) bool {
		at, _ := nextTry(base, was)
		return !now.Before(at)
	}
	switch {
	case rec.State == jobstore.Disabled:
		return idle
	case !overridden(rec, now) && (rec.State == jobstore.Suspended || rec.State == jobstore.Revoked) && !rec.Suspended.IsZero():
		if due(rec.Suspended.Add(hysteresis)) {
			return recovery
		}
	case (j.code == "" || j.state == jobstore.Expired) && passes(rec.Proof) && !overridden(rec, now):
		if from := renewFrom(rec.Proof); !now.Before(from) && due(from) {
			return renew
		}
		if j.code == "" {
			return look
		}
	case j.code == "":
		return look
	}
	return idle
}
