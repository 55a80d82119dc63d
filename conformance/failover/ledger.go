package failover

import (
	"context"

	"inferonce/providers/sim"
)

// Ran is what the ledger knows of an intent.
func (s *stage) Ran(ref string) (ran []sim.Execution) {
	s.order("read the ledger", func(ctx context.Context) (err error) {
		ran, err = s.sim.Ledger(ctx, sim.Query{Ref: ref})
		return err
	})
	return ran
}

// Ended waits until all calls of an intent are over, and returns them.
func (s *stage) Ended(ref string) (ran []sim.Execution) {
	n := len(s.Ran(ref))
	s.order("a provider call did not end", func(ctx context.Context) (err error) {
		ran, err = s.sim.Await(ctx, sim.Query{Ref: ref}, sim.Ended, n)
		return err
	})
	return ran
}

// Executed waits until the work of an intent has been done once.
func (s *stage) Executed(ref string) {
	s.order("nothing was executed", func(ctx context.Context) error {
		_, err := s.sim.Await(ctx, sim.Query{Ref: ref}, sim.Executed, 1)
		return err
	})
}

// calls counts the calls that reached a provider; "" counts all of them.
func calls(ran []sim.Execution, provider string) int {
	return count(ran, func(e sim.Execution) bool { return provider == "" || e.Provider == provider })
}

// executed counts the calls whose work was done.
func executed(ran []sim.Execution) int {
	return count(ran, func(e sim.Execution) bool { return e.Executed })
}

func count(ran []sim.Execution, that func(sim.Execution) bool) (n int) {
	for _, e := range ran {
		if that(e) {
			n++
		}
	}
	return n
}

// perAttempt counts the calls for each attempt.
func perAttempt(ran []sim.Execution) map[int]int {
	times := map[int]int{}
	for _, e := range ran {
		times[e.Attempt]++
	}
	return times
}
