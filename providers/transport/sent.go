package transport

import (
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// Sent knows what left of one request. It is safe for concurrent use.
type Sent struct {
	limits    providers.Limits
	onFirst   func()
	firstOnce sync.Once
	first     atomic.Bool
	answered  atomic.Bool // a status line and headers came back

	clock clock

	mu      sync.Mutex
	home    *conn // the connection that carries the request
	writing bool
	bytes   int64
	sealed  bool
	refusal *fault // why a write was refused
}

type trackKey struct{}

// Track returns a context for one request under the given limits, and the Sent
// that will know what became of it. onFirstByte may be nil; it is called once,
// on a goroutine of the connection, when the answer's first byte arrives, and
// must not block. A second request under the same context is refused.
func Track(ctx context.Context, l providers.Limits, onFirstByte func()) (context.Context, *Sent) {
	s := &Sent{limits: l, onFirst: onFirstByte}
	return context.WithValue(ctx, trackKey{}, s), s
}

func tracked(ctx context.Context) (context.Context, *Sent) {
	if s, ok := ctx.Value(trackKey{}).(*Sent); ok {
		return ctx, s
	}
	return Track(ctx, providers.Limits{}, nil)
}

// Effect is None while no byte of the request has left, and Open from then on.
// Saying None closes the gate: net/http writes on another goroutine, and a
// byte that left after the answer None would make it a lie.
func (s *Sent) Effect() contracts.Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes > 0 || s.writing {
		return contracts.Open
	}
	s.sealed = true
	return contracts.None
}

// Bytes is the number of bytes of the request that left, head and body,
// before encryption.
func (s *Sent) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// FirstByte says whether a byte of the answer has arrived.
func (s *Sent) FirstByte() bool { return s.first.Load() }

// refused is why the connection would not write, nil if it never refused.
func (s *Sent) refused() *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusal
}

func (s *Sent) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) {
			if c, ok := i.Conn.(*conn); ok {
				c.sent.Store(s)
			}
			s.clock.set(s.limits.FirstByte, "first_byte")
		},
		GotFirstResponseByte: func() {
			s.first.Store(true)
			s.clock.set(s.limits.Idle, "idle")
			s.firstOnce.Do(func() {
				if s.onFirst != nil {
					s.onFirst()
				}
			})
		},
	}
}

// admit decides whether c may write for this request: the first bytes only
// before SendBy, later ones only on the connection that has the first.
func (s *Sent) admit(c *conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.sealed:
		return s.refuse("sealed")
	case s.home != nil && s.home != c:
		return s.refuse("repeat")
	case s.home == nil && !s.limits.SendBy.IsZero() && time.Now().After(s.limits.SendBy):
		return s.refuse("send_window")
	}
	s.home, s.writing = c, true
	return nil
}

func (s *Sent) refuse(code string) error {
	if s.refusal == nil {
		s.refusal = &fault{code: code}
	}
	return s.refusal
}

// wrote books n bytes after a write. Where none left, the request is still at home.
func (s *Sent) wrote(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing = false
	s.bytes += int64(n)
	if s.bytes == 0 {
		s.home = nil
	}
}
