package failover

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"inferonce/providers/sim"
)

// stage is what a story of either kind stands on: its checks and transcript,
// the simulator, and the order to clear up.
type stage struct {
	ctx      context.Context // of this story alone
	patience time.Duration   // the deadline of every wait
	sim      sim.Client
	names    *namer
	result   *Result

	gates   []string
	cleanup []func(context.Context)
}

// namer gives out names that no story has used before, in this run or another.
type namer struct {
	run string
	n   int
}

func newNamer() *namer {
	b := make([]byte, 6)
	rand.Read(b) // never fails (crypto/rand)
	return &namer{run: hex.EncodeToString(b)}
}

func (n *namer) next() string {
	n.n++
	return fmt.Sprintf("verify-%s-%d", n.run, n.n)
}

// stopped ends a story early; perform recovers it.
type stopped struct{ reason string }

// Check notes whether a sentence holds. The story goes on.
func (s *stage) Check(ok bool, format string, args ...any) bool {
	s.result.Checks = append(s.result.Checks, Check{Says: fmt.Sprintf(format, args...), OK: ok})
	return ok
}

// Equal checks that something is as it should be, and says what it is if not.
func (s *stage) Equal(what string, got, want any) bool {
	if got == want {
		return s.Check(true, "%s is %v", what, want)
	}
	return s.Check(false, "%s should be %v and is %v", what, want, got)
}

// Must is Check for what the rest of the story cannot do without.
func (s *stage) Must(ok bool, format string, args ...any) {
	if !s.Check(ok, format, args...) {
		s.stop(format, args...)
	}
}

func (s *stage) stop(format string, args ...any) { panic(stopped{fmt.Sprintf(format, args...)}) }

// note adds a line to the transcript.
func (s *stage) note(format string, args ...any) {
	s.result.Transcript = append(s.result.Transcript, fmt.Sprintf(format, args...))
}

// later is done when the story is over, however it ends; last come, first done.
func (s *stage) later(f func(context.Context)) { s.cleanup = append(s.cleanup, f) }

// wait returns a context that ends when a wait has taken too long.
func (s *stage) wait() (context.Context, context.CancelFunc) {
	return context.WithTimeout(s.ctx, s.patience)
}

// order gives the simulator an order, which must work.
func (s *stage) order(what string, f func(context.Context) error) {
	ctx, cancel := s.wait()
	defer cancel()
	if err := f(ctx); err != nil {
		s.stop("%s: %v", what, err)
	}
}

// Faults says what the next calls of a provider do.
func (s *stage) Faults(provider string, faults ...sim.Fault) {
	s.order("order faults", func(ctx context.Context) error { return s.sim.SetFaults(ctx, provider, faults...) })
}

// Gate names a new gate at which a fault can hold a call. It is opened at the
// end of the story, so that no call waits on.
func (s *stage) Gate() string {
	gate := s.names.next()
	s.gates = append(s.gates, gate)
	return gate
}

// Open lets everything through the gate.
func (s *stage) Open(gate string) {
	s.note("the simulator opens the gate")
	s.order("open a gate", func(ctx context.Context) error { return s.sim.OpenGate(ctx, gate) })
}

// Arrived waits until a call is at the gate.
func (s *stage) Arrived(gate string) {
	s.order("no call came to the provider", func(ctx context.Context) error {
		_, err := s.sim.WaitGate(ctx, gate, 1)
		return err
	})
}

// giveBack undoes what the story has done to the deployment, and lets every
// held call go.
func (s *stage) giveBack(ctx context.Context) {
	for _, g := range s.gates {
		_ = s.sim.OpenGate(ctx, g) // a call held on ends at the simulator's own limit
	}
	for _, f := range slices.Backward(s.cleanup) {
		f(ctx)
	}
}

// calmDown takes away faults that no call has taken.
func (s *stage) calmDown(ctx context.Context, providers ...string) {
	for _, p := range providers {
		_ = s.sim.SetFaults(ctx, p) // the next story orders again, and stops if it cannot
	}
}
