package transport

import (
	"context"
	"sync"
	"time"
)

// clock holds the one limit of time that runs for a request at a moment: first
// for the first byte of its answer, then for each next one. A limit that passes
// ends the request, and says so as the cause.
type clock struct {
	mu    sync.Mutex
	end   context.CancelCauseFunc // nil: no limit is asked for, or the request is over
	timer *time.Timer
	code  string
	cut   *fault // the limit that passed
}

// start takes the request's end; without a limit there is nothing to run.
func (c *clock) start(ctx context.Context, limits ...time.Duration) context.Context {
	for _, l := range limits {
		if l > 0 {
			c.mu.Lock()
			defer c.mu.Unlock()
			ctx, c.end = context.WithCancelCause(ctx)
			return ctx
		}
	}
	return ctx
}

// set begins a limit in place of the one that runs; 0 runs none.
func (c *clock) set(d time.Duration, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil || c.cut != nil {
		return
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	c.code, c.timer = code, nil
	if d > 0 {
		c.timer = time.AfterFunc(d, func() { c.pass(code) })
	}
}

func (c *clock) pass(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil || c.code != code {
		return // it was replaced while it fired
	}
	c.cut = &fault{code: code}
	c.end(c.cut)
}

// heard begins the gap anew after a byte of the answer.
func (c *clock) heard(gap time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil && c.code == "idle" {
		c.timer.Reset(gap)
	}
}

// stop ends the request's clock. Twice is the same as once.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.end != nil {
		c.end(nil)
	}
	c.end, c.timer = nil, nil
}

// passed is the limit that ended the request, nil if none did.
func (c *clock) passed() *fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut
}
