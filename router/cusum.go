package router

import "inferonce/jobstore"

// A cumulative sum (Page, Biometrika 41, 1954; for yes-or-no observations
// Reynolds and Stoumbos, J. Quality Technology 31, 1999) tells early that answers
// became worse than they were when they were certified: each wrong case adds
// 1 − k, each right one takes k away, never below 0, and h is too much. Here k is
// 1/m, so that the sum is whole in units of 1/m.
//
// k is the reference value between a certified rate of wrong cases and a worse
// one, by the likelihood ratio and rounded to 1/m. h is set so that a target that
// stays as it was raises an alarm once in more than 50,000 cases on average.
type cusumPlan struct {
	upTo, worse float64 // certified share of wrong cases, and the share to find
	m, h        int     // k = 1/m
}

// cusumPlans are by certified share; a contract never lets more than 20 percent
// pass. Average run lengths at the certified and at the worse share, in cases:
// 62,126 and 62 · 211,540 and 64 · 133,567 and 89 · 56,144 and 108 · 93,349 and 170.
func cusumPlans() []cusumPlan {
	return []cusumPlan{{0.02, 0.12, 17, 4}, {0.05, 0.20, 9, 6}, {0.10, 0.25, 6, 8}, {0.15, 0.30, 4, 7}, {0.20, 0.35, 3, 7}}
}

// planFor is the plan for what was certified.
func planFor(certified jobstore.Share) cusumPlan {
	plans := cusumPlans()
	wrong := float64(certified.N-certified.OK) / float64(max(certified.N, 1))
	for _, p := range plans {
		if wrong <= p.upTo {
			return p
		}
	}
	return plans[len(plans)-1]
}

// next is the sum after one case, in units of 1/m.
func (p cusumPlan) next(sum int, right bool) int {
	if right {
		return max(0, sum-1)
	}
	return sum + p.m - 1
}

func (p cusumPlan) alarm(sum int) bool { return sum >= p.h*p.m }

// cusum goes on with a sum over the cases of one run. They have no order that
// would mean something, so the wrong ones are spread evenly among the right ones.
// It is pure.
func cusum(sum int, certified, run jobstore.Share) (after int, alarm bool) {
	p, wrong := planFor(certified), run.N-run.OK
	for i := range run.N {
		sum = p.next(sum, (i+1)*wrong/run.N == i*wrong/run.N)
		if p.alarm(sum) {
			return sum, true
		}
	}
	return sum, false
}
