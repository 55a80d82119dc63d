package router

import (
	"fmt"
	"math"
	"slices"

	"inferonce/contracts"
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

// drifted decides from a window of live answers. An empty reason means that
// nothing is to be done. It is pure.
func drifted(e jobstore.Evidence) string {
	switch {
	case e.Row >= driftRow:
		return fmt.Sprintf("%d live answers in a row broke the contract", e.Row)
	case e.Failed >= driftLeast && atLeast(e.Failed, e.Calls, driftRate) < driftDoubt:
		return fmt.Sprintf("%d of the newest %d live answers broke the contract: more than 2 percent, with 95 percent confidence", e.Failed, e.Calls)
	}
	return ""
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

// stray says that a model answered whose name the proof of a pair does not have.
// A pair without proof, or whose proof has no names, has none that could stray.
func stray(proof *jobstore.Proof, served string) bool {
	return proof != nil && proof.Verdict == string(contracts.Pass) && len(proof.Served) > 0 && !slices.Contains(proof.Served, served)
}
