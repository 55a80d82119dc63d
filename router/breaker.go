package router

import "time"

// BreakerRules say when a target that fails is left alone for a while.
type BreakerRules struct {
	Off      bool          // never, also where the target asks for fewer calls
	Failures int           // in a row that open the breaker; default 5
	OpenFor  time.Duration // until probes are let through; default 30s
	Probes   int           // at once, and passed before it closes; default 1
}

func (b BreakerRules) withDefaults() BreakerRules {
	b.Failures, b.Probes = orDefault(b.Failures, 5), orDefault(b.Probes, 1)
	b.OpenFor = orDefault(b.OpenFor, 30*time.Second)
	return b
}

// circuit is where a breaker stands.
type circuit string

const (
	closed   circuit = "closed"
	halfOpen circuit = "half_open"
	opened   circuit = "open"
)

// outcome is what a call says about its target.
type outcome int

const (
	saysNothing outcome = iota // it was not asked, or the fault was not its own
	didWell
	didBadly
)

// breaker keeps one target's failures in a row. It is pure: time is told, and
// whoever uses it holds the lock.
type breaker struct {
	rules BreakerRules
	state circuit
	row   int       // failures in a row, while closed
	since time.Time // when the state began
	age   int       // number of changes of state: a call that began before one says nothing after it
	out   int       // probes under way
	well  int       // probes that did well
}

// permit is a call's part in the breaker's count, given back once.
type permit struct {
	age   int
	probe bool
}

func newBreaker(rules BreakerRules) breaker {
	return breaker{rules: rules.withDefaults(), state: closed}
}

// lets says whether a call may be sent this way. It takes nothing.
func (b *breaker) lets(now time.Time) bool {
	switch {
	case b.rules.Off || b.state == closed:
		return true
	case b.state == opened:
		return !now.Before(b.since.Add(b.rules.OpenFor))
	}
	return b.out < b.rules.Probes
}

// begin counts a call in. One that lets would refuse is the last resort of its
// job: what it shows counts, but it is no probe.
func (b *breaker) begin(now time.Time) permit {
	if b.state == opened && b.lets(now) {
		b.turn(halfOpen, now)
	}
	p := permit{age: b.age, probe: b.state == halfOpen && b.out < b.rules.Probes}
	if p.probe {
		b.out++
	}
	return p
}

// end counts a call out.
func (b *breaker) end(p permit, o outcome, now time.Time) {
	if b.rules.Off || p.age != b.age {
		return
	}
	if p.probe {
		b.out--
	}
	switch {
	case o == saysNothing:
	case o == didBadly && b.state == closed:
		if b.row++; b.row >= b.rules.Failures {
			b.turn(opened, now)
		}
	case o == didBadly && b.state == halfOpen:
		b.turn(opened, now)
	case o == didWell && b.state == closed:
		b.row = 0
	case o == didWell && b.state == opened:
		b.turn(closed, now)
	case o == didWell:
		if b.well++; b.well >= b.rules.Probes {
			b.turn(closed, now)
		}
	}
}

func (b *breaker) turn(to circuit, now time.Time) {
	b.state, b.since, b.row, b.out, b.well = to, now, 0, 0, 0
	b.age++
}
