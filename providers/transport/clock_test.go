package transport

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

const brief = 20 * time.Millisecond

func TestEachLimitHasItsOwnCause(t *testing.T) {
	half := "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
	for _, tc := range []struct {
		name, say string
		limits    providers.Limits
		code      string
	}{
		{"no first byte came", "", providers.Limits{FirstByte: brief}, "first_byte"},
		{"the first byte came and the next did not", "H", providers.Limits{Idle: brief}, "idle"},
		{"the body stopped coming", half, providers.Limits{Idle: brief}, "idle"},
		{"the first byte came in time, and then the gap counts", half, providers.Limits{FirstByte: time.Hour, Idle: brief}, "idle"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := serve(t, silent(tc.say, func() {}))
			o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, tc.limits, 10)
			wantFailure(t, o.failure, contracts.Timeout, contracts.Open, tc.code)
			wantCalls(t, w, 1)
		})
	}
}

func TestALimitThatPassesBeforeAByteLeftRanNothing(t *testing.T) {
	f := &fakeConn{entered: make(chan struct{}), leave: make(chan struct{})}
	s := &Sent{}
	s.clock.start(t.Context(), time.Hour)
	s.clock.set(time.Hour, "first_byte")
	s.clock.pass("first_byte")
	wantFailure(t, FromError(io.EOF, t.Context(), s), contracts.Connection, contracts.None, "unsent")
	c := &conn{Conn: f}
	c.sent.Store(s)
	if n, err := c.Write([]byte("POST")); n != 0 || err == nil {
		t.Errorf("%d bytes left after effect none (%v)", n, err)
	}
}

func TestALimitThatIsKeptCutsNothing(t *testing.T) {
	said := make(chan struct{})
	w := serve(t, func(_ int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
		io.Copy(io.Discard, r.Body)
		io.WriteString(c, ok200[:10])
		<-said
		io.WriteString(c, ok200[10:])
		return true
	})
	c := newClient(t, Options{MaxIdle: 1}, w.url)
	ctx, sent := Track(t.Context(), providers.Limits{FirstByte: time.Hour, Idle: time.Hour}, func() { close(said) })
	o := do(c, post(ctx, t, w.url, 10), sent)
	if o.failure != nil || string(o.answer.Body) != "{}" {
		t.Fatalf("%q, %v", o.answer.Body, o.failure)
	}
	sent.clock.mu.Lock()
	defer sent.clock.mu.Unlock()
	if sent.clock.timer != nil || sent.clock.end != nil {
		t.Error("the clock goes on after the answer")
	}
}

func TestALimitThatWasReplacedDoesNotCut(t *testing.T) {
	var c clock
	ctx := c.start(t.Context(), time.Hour)
	c.set(time.Hour, "first_byte")
	c.set(time.Hour, "idle")
	c.pass("first_byte")
	if ctx.Err() != nil || c.passed() != nil {
		t.Errorf("cut by %v", c.passed())
	}
	c.stop()
	c.stop()
	c.pass("idle")
	if c.passed() != nil {
		t.Error("cut after the end")
	}
}
