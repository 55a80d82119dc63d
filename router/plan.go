package router

import (
	"fmt"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// situation is all that the next step of a job is decided from.
type situation struct {
	route    *Route
	effects  contracts.Effects
	policy   contracts.UnknownPolicy
	attempts []jobstore.Attempt
	left     time.Duration // until the job's deadline
	// barred names the fallbacks that may not take over, and every target that can't
	// take the request, with the reason.
	barred map[string]jobstore.Excluded
	// demoted says that the primary comes last: it is suspended.
	demoted bool
	random  float64 // in [0,1), for jitter
	// shunned names targets that are rather not called now.
	shunned map[string]shun
	// mostly is the most that an attempt can cost, by target; used under a cap.
	mostly map[string]int64
}

// step is what to do next: begin an attempt at target after wait, end the job
// with fail, or, with neither, hold.
type step struct {
	target string
	wait   time.Duration
	race   bool
	fail   *jobstore.JobError
}

// next decides. It is pure: the same situation gives the same step.
func next(s situation) step { return s.capped(s.uncapped()) }

func (s situation) uncapped() step {
	if len(s.attempts) == 0 {
		return s.first()
	}
	if s.anyOpen() {
		return s.besideOpen()
	}
	last := &s.attempts[len(s.attempts)-1]
	if decide(last.Failure, s.effects) == endJob {
		return step{fail: failed(last, "nothing that another target could do better")}
	}
	if s.tries() >= s.route.Attempts {
		return step{fail: failed(last, fmt.Sprintf("all %d attempts are used up", s.route.Attempts))}
	}
	if !enough(s.route, s.left, 0) {
		return step{fail: s.late(last, "no time is left for another attempt")}
	}
	return s.another(last)
}

func (s situation) first() step {
	if !enough(s.route, s.left, 0) {
		return step{fail: &jobstore.JobError{Code: "deadline_exceeded", Message: "the job's time was over before its first attempt could begin"}}
	}
	order := s.inOrder()
	if len(order) == 0 {
		return step{fail: &jobstore.JobError{Code: "no_eligible_fallback", Excluded: excluded(s.route, s.barred),
			Message: "no target that can take the request may serve it"}}
	}
	return step{target: s.preferred(order)}
}

// preferred is the first of an order that nothing speaks against, and the first of
// all where something speaks against each.
func (s situation) preferred(order []string) string {
	for _, t := range order {
		if _, no := s.shunned[t]; !no {
			return t
		}
	}
	return order[0]
}

// byRank lists the targets in the order in which they are tried. A primary
// that is demoted is the last resort and not out: every answer is still held
// against the contract.
func (s situation) byRank() []string {
	if s.demoted {
		return append(slices.Clone(s.route.Fallbacks), s.route.Primary)
	}
	return s.route.Targets()
}

// inOrder lists those that may be tried. What bars a primary is only that its API
// can't take the request.
func (s situation) inOrder() []string {
	return slices.DeleteFunc(s.byRank(), func(t string) bool { _, no := s.barred[t]; return no })
}

func (s situation) anyOpen() bool {
	return slices.ContainsFunc(s.attempts, func(a jobstore.Attempt) bool { return a.State.Open() })
}

// besideOpen: only a race may start beside an open attempt, only at a target
// that has none, and only while no attempt is under way (R11, R15).
func (s situation) besideOpen() step {
	last := s.attempts[len(s.attempts)-1]
	if s.policy.Action != contracts.UnknownRaceAfter || last.State == jobstore.AttemptStarting || last.State == jobstore.AttemptRunning ||
		s.tries() >= s.route.Attempts || !enough(s.route, s.left, 0) {
		return step{}
	}
	for _, t := range s.byRank() {
		_, no := s.barred[t]
		_, against := s.shunned[t]
		if !no && !against && s.failures(t) == 0 && !s.openAt(t) {
			return step{target: t, race: true}
		}
	}
	return step{}
}

// another picks an untried target first, and waits for a tried one, or for one that
// rests, if none is left. A target whose breaker is open is the last resort.
func (s situation) another(last *jobstore.Attempt) step {
	best, found, resort := step{}, false, step{}
	var excluded []jobstore.Excluded
	for _, t := range s.byRank() {
		if no, ok := s.barred[t]; ok {
			excluded = append(excluded, no)
			continue
		}
		w, ok := s.waitAt(t)
		against := s.shunned[t]
		switch {
		case !ok:
		case against.excluded.Code == "" && s.failures(t) == 0:
			return step{target: t}
		case against.excluded.Code == codeCircuitOpen:
			resort = step{target: t, wait: w}
		case !found || w < best.wait:
			best, found = step{target: t, wait: w}, true
		}
	}
	if !found && resort.target != "" {
		best, found = resort, true
	}
	switch {
	case found && enough(s.route, s.left, best.wait):
		return best
	case found:
		return step{fail: s.late(last, fmt.Sprintf("the next try at %s would have to wait %s, and %s is left",
			best.target, best.wait.Round(time.Millisecond), s.left.Round(time.Millisecond)))}
	case len(excluded) > 0:
		return step{fail: &jobstore.JobError{Code: "no_eligible_fallback", Excluded: excluded,
			Message: fmt.Sprintf("attempt %d at %s ended with %s, and no fallback may take over", last.Number, last.Target, last.Failure.Class)}}
	}
	return step{fail: failed(last, "no target is left to try")}
}

// waitAt is how long to wait before a target may be tried; false: never again.
func (s situation) waitAt(target string) (time.Duration, bool) {
	f, n := s.lastFailure(target), s.failures(target)
	if n == 0 {
		return s.shunned[target].wait, true
	}
	if decide(f, s.effects) != tryAgain {
		return 0, false
	}
	return max(waitFor(f, n, s.random), s.shunned[target].wait), true
}

func (s situation) late(last *jobstore.Attempt, why string) *jobstore.JobError {
	e := failed(last, why)
	e.Code = "deadline_exceeded"
	return e
}

// tries counts attempts against the route's limit. One that an operator settled
// does not count: the operator asked for another. Neither does one that was never
// sent, because the store did not keep its record or no turn came at its target.
func (s situation) tries() (n int) {
	for _, a := range s.attempts {
		if a.Failure != nil && slices.Contains([]string{codeNotSent, codePaced, codeResting}, a.Failure.Code) {
			continue
		}
		if a.Settlement == nil || a.Settlement.By == PolicyAuthor {
			n++
		}
	}
	return n
}

// codeNotSent is the code of a failure under which nothing was sent.
const codeNotSent = "not_sent"

func (s situation) failures(target string) (n int) {
	for _, a := range s.attempts {
		if a.Target == target && !a.State.Open() {
			n++
		}
	}
	return n
}

func (s situation) lastFailure(target string) (f *contracts.Failure) {
	for _, a := range s.attempts {
		if a.Target == target {
			f = a.Failure
		}
	}
	return f
}

func (s situation) openAt(target string) bool {
	return slices.ContainsFunc(s.attempts, func(a jobstore.Attempt) bool { return a.Target == target && a.State.Open() })
}
