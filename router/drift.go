package router

import (
	"fmt"
	"math"

	"inferonce/jobstore"
)

// driftAuthor makes the changes that live traffic calls for.
const driftAuthor = "drift"

// The rules for live answers. Infrastructure is not among the answers: an
// outage is no drift.
const (
	driftRow   = 5    // failures in a row
	driftRate  = 0.02 // of failures, that a pair must not be worse than…
	driftDoubt = 0.05 // …with 95 percent confidence
	// driftLeast is how many failures it takes, so that the very first failed
	// answer is not held for a rate.
	driftLeast = 5
)

// otherModel is the check that the model which was asked answered.
const otherModel = "ENV-06"

// drifted decides from a window of live answers. It is pure.
func drifted(e jobstore.Evidence) drift {
	switch {
	case e.Row >= driftRow:
		return live("%d live answers in a row broke the contract", e.Row)
	case e.Failed >= driftLeast && atLeast(e.Failed, e.Calls, driftRate) < driftDoubt:
		return live("%d of the newest %d live answers broke the contract: more than 2 percent, with 95 percent confidence", e.Failed, e.Calls)
	}
	return drift{}
}

func live(format string, values ...any) drift {
	return drift{rule: ruleLive, reason: fmt.Sprintf(format, values...)}
}

// atLeast is the chance of k or more failures in n calls at a true rate of p,
// from the binomial distribution. It is below 5 percent exactly if the one-sided
// 95 percent lower bound of Clopper and Pearson (Biometrika 26, 1934) for k of n
// is above p.
func atLeast(k, n int, p float64) float64 {
	term, sum := math.Pow(1-p, float64(n)), 0.0
	for i := range n + 1 {
		if i >= k {
			sum += term
		}
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return sum
}
