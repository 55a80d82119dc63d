package conformance

import (
	"context"
	mathrand "math/rand/v2"
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
	case s.lint():
		s.block(ctx)
		if s.oneBreak() {
			s.block(ctx)
		}
		s.probes(ctx, true)
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
	if s.blocks == 1 { // one request, and then questions, before many
		s.perform(ctx, cancel, jobs[0])
		s.probes(ctx, false)
		jobs = jobs[1:]
	}
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
