package router

import (
	"fmt"
	"math"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// verdict is what a failed attempt means for the job and for its target.
type verdict int

const (
	endJob      verdict = iota // the intent is at fault: no target can do better
	leaveTarget                // the target is at fault: never again there, another may
	tryAgain                   // neither: the same target may be tried again
	mustHold                   // it may still run: nothing may start
)

// decide reads class and effect, and what the contract says of repeats (R18).
func decide(f *contracts.Failure, effects contracts.Effects) verdict {
	if f == nil || f.Effect == contracts.Open {
		return mustHold
	}
	if f.Effect == contracts.Ended && effects != contracts.EffectsNone {
		return endJob // the inference triggered something: it is not done twice
	}
	switch f.Class {
	case contracts.InvalidRequest, contracts.ContentFiltered:
		return endJob
	case contracts.RateLimited, contracts.Overloaded, contracts.Connection, contracts.Timeout, contracts.ProviderError,
		contracts.Truncated, contracts.BadResponse, contracts.RouterLost:
		return tryAgain
	case contracts.Auth, contracts.QuotaExhausted:
		if f.Code == contracts.CodeAnotherKey {
			return tryAgain
		}
		return leaveTarget
	case contracts.NotFound, contracts.ContextLength, contracts.ContractViolation:
		return leaveTarget
	case contracts.Internal:
		return endJob
	}
	return mustHold
}

// Back-off between tries at one target: full jitter over base·2ⁿ, capped.
const (
	backoffBase = 250 * time.Millisecond
	backoffCap  = 8 * time.Second
)

// waitFor is how long to leave a target alone after its n-th failure in a row.
// The provider's stated wait is a floor; jitter spreads those who wait beside us.
// random is in [0,1).
func waitFor(f *contracts.Failure, n int, random float64) time.Duration {
	ceiling := min(backoffCap, backoffBase*time.Duration(math.Pow(2, float64(min(n, 10)-1))))
	if f.RetryAfter > 0 {
		return f.RetryAfter + time.Duration(random*float64(min(ceiling, f.RetryAfter/10)))
	}
	if f.Class == contracts.RateLimited {
		return ceiling/2 + time.Duration(random*float64(ceiling/2)) // pure jitter sometimes waits almost nothing
	}
	return time.Duration(random * float64(ceiling))
}

// failed is the error of a job that nothing more can be done for.
func failed(last *jobstore.Attempt, why string) *jobstore.JobError {
	return &jobstore.JobError{Code: "job_failed",
		Message: fmt.Sprintf("attempt %d at %s ended with %s: %s", last.Number, last.Target, last.Failure.Class, why)}
}
