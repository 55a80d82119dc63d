package router

import (
	"sync"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// guard keeps what this router knows of its targets: their breakers, which it
// fills itself, and which of them rest, which all routers share through the store.
// No question asked of it costs a call.
type guard struct {
	mu       sync.Mutex
	breakers map[string]*breaker
	rests    map[string]rest // by target
}

// rest is a target that refused.
type rest struct {
	until time.Time // nothing is sent before
	paced time.Time // until then each call takes a turn
	cut   int64
	since time.Time // when this router learnt of the cut
}

func newGuard(targets []string, rules map[string]BreakerRules) *guard {
	g := &guard{breakers: map[string]*breaker{}, rests: map[string]rest{}}
	for _, t := range targets {
		b := newBreaker(rules[t])
		g.breakers[t] = &b
	}
	return g
}

// outcomeOf is what an answer says about its target. What the intent, the
// account or we ourselves are to blame for says nothing; throttling is answered
// by a rest.
func outcomeOf(f *contracts.Failure, asked bool) outcome {
	switch {
	case !asked:
		return saysNothing
	case f == nil:
		return didWell
	case f.Code == "send_window":
		return saysNothing
	}
	switch f.Class {
	case contracts.Overloaded, contracts.Connection, contracts.ProviderError, contracts.Timeout, contracts.Truncated, contracts.BadResponse:
		return didBadly
	}
	return saysNothing
}

// begin counts a call in. moved is the breaker's new state, "" if it is the old one.
func (g *guard) begin(target string) (p permit, moved circuit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.breakers[target]
	before := b.state
	p = b.begin(time.Now())
	return p, movedTo(before, b.state)
}

func movedTo(before, after circuit) circuit {
	if before == after {
		return ""
	}
	return after
}

// end counts a call out.
func (g *guard) end(target string, p permit, o outcome) (moved circuit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.breakers[target]
	before := b.state
	b.end(p, o, time.Now())
	return movedTo(before, b.state)
}

// off says that a target is never left alone.
func (g *guard) off(target string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.breakers[target].rules.Off
}

// shun says why a target should rather not be called now, and for how long; no
// code where nothing speaks against it.
func (g *guard) shun(target string) (code string, left time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if left := g.rests[target].until.Sub(now); left > 0 {
		return codeResting, left
	}
	if !g.breakers[target].lets(now) {
		return codeCircuitOpen, 0
	}
	return "", 0
}

// paced says whether a call to a target needs a turn, and for which cut.
func (g *guard) paced(target string) (cut int64, yes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.rests[target]
	return r.cut, time.Now().Before(r.paced)
}

// mark notes a refusal before the store knows of it. It says whether the store
// should be told: not of one that belongs to a cut which is known already and
// asks for no longer rest.
func (g *guard) mark(name string, wait, ago time.Duration, pace bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	r, known := g.rests[name]
	if known && now.Add(-ago).Before(r.since) && !now.Add(wait).After(r.until) {
		return false
	}
	if until := now.Add(wait); until.After(r.until) {
		r.until = until
	}
	if pace && r.paced.Before(r.until.Add(time.Second)) {
		r.paced = r.until.Add(time.Second) // the store says for how long
	}
	if !known {
		r.since = now
	}
	g.rests[name] = r
	return true
}

// learn takes what the store says of one name.
func (g *guard) learn(s jobstore.Rest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rests[s.Name] = g.rests[s.Name].with(s, time.Now())
}

func (r rest) with(s jobstore.Rest, now time.Time) rest {
	if s.Cut != r.cut || r.since.IsZero() {
		r.since = now
	}
	return rest{until: now.Add(s.Left), paced: now.Add(s.Paced), cut: s.Cut, since: r.since}
}

// learnAll takes all that the store says, and gives the names that rest or are
// paced now and were not before, and the other way round. What this router
// marked a moment ago stays: the store may not have it yet.
func (g *guard) learnAll(all []jobstore.Rest) (begun, over []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, told := time.Now(), map[string]rest{}
	for _, s := range all {
		told[s.Name] = g.rests[s.Name].with(s, now)
		if _, known := g.rests[s.Name]; !known {
			begun = append(begun, s.Name)
		}
	}
	for name, r := range g.rests {
		if _, ok := told[name]; ok {
			continue
		}
		if now.Before(r.paced) || now.Before(r.until) {
			told[name] = r
		} else {
			over = append(over, name)
		}
	}
	g.rests = told
	return begun, over
}
