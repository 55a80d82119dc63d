package router

import (
	"testing"
	"testing/synctest"
	"time"
)

// Leftover goroutines would end the bubble with a deadlock.
func TestACrew(t *testing.T) {
	t.Run("runs everything beside its caller, also while all hands are busy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newCrew()
			gate, ran := make(chan struct{}), make(chan int, 3)
			for i := range 3 {
				c.run(func() { <-gate; ran <- i })
			}
			close(gate)
			c.wait()
			if len(ran) != 3 {
				t.Errorf("%d of 3 ran", len(ran))
			}
		})
	})
	t.Run("lets an idle hand go", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newCrew()
			c.run(func() {})
			time.Sleep(2 * idleTime) // of the bubble's clock
			select {
			case c.next <- func() {}:
				t.Error("somebody still waits for work")
			default:
			}
		})
	})
	t.Run("uses an idle hand again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newCrew()
			c.run(func() {})
			synctest.Wait()
			again := false
			c.busy.Add(1)
			select {
			case c.next <- func() { again = true }:
			default:
			}
			synctest.Wait()
			if !again {
				t.Error("nobody waited for more work")
			}
			c.wait()
		})
	})
	t.Run("may be waited for twice", func(t *testing.T) {
		c := newCrew()
		c.run(func() {})
		c.wait()
		c.wait()
	})
}
