package conformance

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"strings"
	"sync"
	"time"

	"inferonce/contracts"
)

// Run holds a target against a contract and reports what it found. It makes
// calls until the mode's runs are done, until nothing more can change the
// verdict, or until a bound of the options is met. Its error is about options
// alone: whatever the target does, and the end of ctx too, is in the report.
// Run may be repeated; each run has a report of its own.
func Run(ctx context.Context, o Options) (contracts.Report, error) {
	o, err := o.complete()
	if err != nil {
		return contracts.Report{}, err
	}
	s := newSuite(o)
	s.run(ctx)
	return s.report(), nil
}

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
	calls    int
	infra    int
	causes   map[string]int // of infra outcomes
	usage    contracts.Usage
	stopped  string // why no further call is made; "" while it goes on
	finished time.Time
}

func newSuite(o Options) *suite {
	cases := o.picked()
	return &suite{Options: o, id: "conf_" + strings.ToLower(rand.Text()), checks: Catalog(), cases: cases,
		judge: NewJudge(o.Contract, o.Target.Model, o.Served...), done: make([][]outcome, len(cases)),
		causes: map[string]int{}, started: time.Now()}
}

func (s *suite) run(ctx context.Context) {
	if !s.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, s.Deadline)
		defer cancel()
	}
	switch {
	case len(s.cases) == 0:
		s.stop("the contract has no cases")
	case s.Mode == Certify && len(s.cases) < certifyCases:
		s.stop("certify needs 20 cases; the contract has fewer")
	default:
		s.block(ctx)
		if s.oneBreak() {
			s.block(ctx)
		}
	}
	s.finished = time.Now()
}

// planned is the number of runs that all blocks so far consist of.
func (s *suite) planned() int { return s.blocks * len(s.cases) * s.Repeats }

// block runs every case as often as it is to be repeated.
func (s *suite) block(ctx context.Context) {
	s.mu.Lock()
	s.blocks++
	jobs := s.order()
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan job)
	var workers sync.WaitGroup
	for range min(s.Concurrency, len(jobs)) {
		workers.Go(func() {
			for j := range queue {
				s.perform(ctx, cancel, j)
			}
		})
	}
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	s.interrupted(ctx)
}

// order is round by round, each round in an order of its own: a target that is
// well for a minute must not meet one case only in that minute.
func (s *suite) order() []job {
	rng := mathrand.New(mathrand.NewPCG(s.Seed, uint64(s.blocks)))
	var all []job
	for r := range s.Repeats {
		for _, k := range rng.Perm(len(s.cases)) {
			all = append(all, job{k, (s.blocks-1)*s.Repeats + r})
		}
	}
	return all
}

// interrupted records that the caller or the deadline ended the suite.
func (s *suite) interrupted(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
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

func (s *suite) ended() int {
	n := 0
	for _, runs := range s.done {
		n += len(runs)
	}
	return n
}

// breaks counts runs that broke the structure of an answer, and says whether a
// hard check failed that knows no tolerance.
func (s *suite) breaks() (structure int, hard bool) {
	for _, runs := range s.done {
		for _, r := range runs {
			if r.Check == "" {
				continue
			}
			c := s.checks[find(s.checks, r.Check)]
			switch {
			case c.structural():
				structure++
			case c.Class == Hard:
				hard = true
			}
		}
	}
	return structure, hard
}

// oneBreak says that a second block is owed: certify met exactly one break.
func (s *suite) oneBreak() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	structure, hard := s.breaks()
	return s.Mode == Certify && s.stopped == "" && structure == 1 && !hard && s.ended() == s.planned()
}

// tolerance is how many broken runs the mode can still forgive.
func (s *suite) tolerance() int {
	if s.Mode == Certify {
		return 1
	}
	return 0
}

// maxInfra is the share of blocked calls above which a suite says nothing.
const maxInfra = 0.10

// blocked says that so many calls were blocked that even if all others went
// well, their share would stay too large.
func (s *suite) blocked() bool { return float64(s.infra) > maxInfra*float64(s.planned()+s.infra) }
