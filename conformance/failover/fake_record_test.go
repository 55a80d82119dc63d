package failover

import (
	"time"

	"inferonce/contracts"
)

func (r *record) last() *Attempt {
	if len(r.Attempts) == 0 {
		return nil
	}
	return &r.Attempts[len(r.Attempts)-1]
}

// touch tells everybody who waits for the job; the caller holds mu.
func (r *record) touch() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *record) openAttempts() (n int) {
	for _, a := range r.Attempts {
		if a.State == running || a.State == unknown {
			n++
		}
	}
	return n
}

// waitFor is how long a stated Retry-After lasts.
func (f *fake) waitFor(failure *contracts.Failure) time.Duration {
	if f.flaw == "ignores Retry-After" {
		return 0
	}
	return failure.RetryAfter
}
