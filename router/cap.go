package router

import (
	"fmt"
	"math"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// capped lets no next attempt begin that could bring the job over its route's
// cap. The first attempt is not held against it: accepting the job meant that one.
func (s situation) capped(then step) step {
	if s.route.MaxCost == 0 || then.target == "" || len(s.attempts) == 0 || s.affords(then.target) {
		return then
	}
	if then.race {
		return step{} // what is open may still answer
	}
	return step{fail: &jobstore.JobError{Code: "spend_cap",
		Message: fmt.Sprintf("another attempt, at %s, could bring the job over the cap of $%s", then.target, contracts.USD(s.route.MaxCost))}}
}

// affords counts what is not known at its most, and what has no bound as too much.
func (s situation) affords(target string) bool {
	left := s.route.MaxCost - s.most(target)
	for _, a := range s.attempts {
		cost := s.most(a.Target)
		if a.Cost != nil {
			cost = a.Cost.MicroUSD
		}
		if left < 0 || cost > left {
			return false
		}
		left -= cost
	}
	return left >= 0
}

func (s situation) most(target string) int64 {
	if most, known := s.mostly[target]; known {
		return most
	}
	return math.MaxInt64
}

// mostly is the most that one attempt at each of a route's targets can cost;
// a target whose calls have no bound is left out.
func (r *Router) mostly(route *Route, intent []byte) map[string]int64 {
	if route.MaxCost == 0 {
		return nil
	}
	out := map[string]int64{}
	for _, name := range route.Targets() {
		t := r.Targets[name]
		if usage, ok := mostUsage(t, route.Contract, intent); ok {
			if micro, known := t.Price.Cost(usage); known {
				out[name] = micro
			}
		}
	}
	return out
}
