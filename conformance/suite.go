package conformance

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"inferonce/contracts"
)

// job is one planned run: a repeat of a case.
type job struct{ kase, repeat int }

// suite is one run of the catalogue. mu guards what follows it.
type suite struct {
	Options
	id     string
	judge  *Judge
	checks []Check
	cases  []contracts.Case

	mu       sync.Mutex
	started  time.Time
	blocks   int // of cases × repeats that were planned
	done     [][]outcome
	ended    int // runs that came to an end: all of done
	calls    int
	asked    int // of the calls, by probes
	found    map[string]finding
	infra    int
	causes   map[string]int // of infra outcomes
	usage    contracts.Usage
	spent    spending
	broken   int    // runs that broke the form of an answer
	hard     bool   // a hard check failed that knows no tolerance
	gone     bool   // the provider has no such model
	stopped  string // why no further call is made; "" while it goes on
	finished time.Time
}

func newSuite(o Options) *suite {
	cases := o.picked()
	return &suite{Options: o, id: "conf_" + strings.ToLower(rand.Text()), checks: checksFor(o.Contract), cases: cases,
		judge: NewJudge(o.Contract, o.Target.Model, o.Served...).With(o.Calls), done: make([][]outcome, len(cases)),
		causes: map[string]int{}, found: map[string]finding{}, started: time.Now()}
}

// interrupted records that the caller or the deadline ended the suite. An end
// that comes after the last run took nothing away.
func (s *suite) interrupted(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended < s.planned() {
		s.endedBy(ctx)
	}
}

func (s *suite) endedBy(ctx context.Context) {
	switch ctx.Err() {
	case context.Canceled:
		s.stop("the suite was cancelled")
	case context.DeadlineExceeded:
		s.stop("the time for the suite was over")
	}
}

// stop ends the suite; the first reason counts.
func (s *suite) stop(why string) {
	if s.stopped == "" {
		s.stopped = why
	}
}

// note counts what a failed check means for the suite.
func (s *suite) note(id string) {
	if id == "" {
		return
	}
	switch c := s.checks[find(s.checks, id)]; {
	case c.structural():
		s.broken++
	case c.Class == Hard:
		s.hard = true
	}
}

// hopeless says that no further run can make the suite pass.
func (s *suite) hopeless() bool {
	forgiven := 0
	if s.Mode == Certify {
		forgiven = 1
	}
	return s.hard || s.broken > forgiven
}

// oneBreak says that a second block is owed: certify met exactly one break.
func (s *suite) oneBreak() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Mode == Certify && s.stopped == "" && s.broken == 1 && !s.hard && s.ended == s.planned()
}

// maxInfra is the share of blocked calls above which a suite says nothing.
const maxInfra = 0.10

// blocked says that so many calls were blocked that even if all others went
// well, their share would stay too large.
func (s *suite) blocked() bool {
	return float64(s.infra) > maxInfra*float64(s.planned()+s.asked+s.infra)
}
