package configs

import (
	"fmt"
	"time"
)

// limit is one of a route's times and what else has to hold it.
type limit struct {
	name string
	of   func(Route) time.Duration
}

// within lists which limit must not be longer than which.
func within() [][2]limit {
	connect := limit{"connect", func(r Route) time.Duration { return r.Connect }}
	firstByte := limit{"first_byte", func(r Route) time.Duration { return r.FirstByte }}
	answer := limit{"answer_within", func(r Route) time.Duration { return r.AnswerWithin }}
	listen := limit{"listen_for", func(r Route) time.Duration { return r.ListenFor }}
	budget := limit{"budget", func(r Route) time.Duration { return r.Budget }}
	needs := limit{"needs", func(r Route) time.Duration { return r.Needs }}
	return [][2]limit{{connect, firstByte}, {firstByte, answer}, {answer, budget}, {answer, listen}, {needs, budget}}
}

// checkLimits reports every inner limit that is longer than its outer one, at
// the inner one or, where that is a default, at the outer.
func (d *decoder) checkLimits(at string, r Route) {
	if d.given(at, "attempts") && (r.Attempts < 1 || r.Attempts > MaxAttempts) {
		d.show(child(at, "attempts"))
		d.fault(at, "attempts", "out of range", fmt.Sprintf("allow from 1 to %d", MaxAttempts))
	}
	for _, pair := range within() {
		inner, outer := pair[0], pair[1]
		if d.bad[child(at, inner.name)] || d.bad[child(at, outer.name)] || inner.of(r) <= outer.of(r) {
			continue
		}
		blame := inner.name
		if !d.given(at, inner.name) {
			blame = outer.name
		}
		d.fault(at, blame,
			fmt.Sprintf("%s is longer than %s", d.amount(at, inner, r), d.amount(at, outer, r)),
			fmt.Sprintf("set %s to at most %s, or %s to at least %s", inner.name, short(outer.of(r)), outer.name, short(inner.of(r))))
	}
}

func (d *decoder) given(parent, name string) bool {
	_, ok := d.values[child(parent, name)]
	return ok
}

// amount is a limit's name and length, and whether somebody chose it.
func (d *decoder) amount(at string, l limit, r Route) string {
	if d.given(at, l.name) {
		return fmt.Sprintf("%s (%s)", l.name, short(l.of(r)))
	}
	return fmt.Sprintf("%s (%s by default)", l.name, short(l.of(r)))
}

// checkAmounts bounds what one router takes on.
func (d *decoder) checkAmounts(l Limits) {
	d.positive("limits", "max_inflight", int64(l.MaxInflight), 1<<20, false)
	d.positive("limits", "body_bytes", l.BodyBytes, 64<<20, false)
}

// positive reports a number outside 1 to most. An optional one may be left out.
func (d *decoder) positive(parent, name string, n, most int64, optional bool) {
	if n >= 1 && n <= most || optional && !d.given(parent, name) {
		return
	}
	d.show(child(parent, name))
	d.fault(parent, name, "out of range", fmt.Sprintf("give a whole number from 1 to %d", most))
}
