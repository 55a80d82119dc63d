package router

import (
	"sync"
	"time"
)

// crew runs drivers and calls on goroutines that are used again. A new
// goroutine begins with a small stack, and growing it anew for the validator
// and the JSON of every call cost as much as both of them.
type crew struct {
	busy sync.WaitGroup
	next chan func()
	quit chan struct{}
	stop func() // closes quit; twice is the same as once
}

// idleTime is how long a goroutine waits for more work. It is short, so that a
// rush leaves nothing behind.
const idleTime = time.Second

func newCrew() *crew {
	c := &crew{next: make(chan func()), quit: make(chan struct{})}
	c.stop = sync.OnceFunc(func() { close(c.quit) })
	return c
}

// run runs f beside its caller, and never waits for a free hand.
func (c *crew) run(f func()) {
	c.busy.Add(1)
	select {
	case c.next <- f:
	default:
		go c.work(f)
	}
}

func (c *crew) work(f func()) {
	idle := time.NewTimer(idleTime)
	defer idle.Stop()
	for {
		f()
		c.busy.Done()
		idle.Reset(idleTime)
		select {
		case f = <-c.next:
		case <-idle.C:
			return
		case <-c.quit:
			return
		}
	}
}

// hold counts its caller as busy until release, so that wait cannot miss what
// it goes on to run.
func (c *crew) hold()    { c.busy.Add(1) }
func (c *crew) release() { c.busy.Done() }

// wait waits until everything that was run has ended, and lets the
// goroutines go.
func (c *crew) wait() {
	c.busy.Wait()
	c.stop()
}
