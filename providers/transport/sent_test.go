package transport

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"sync/atomic"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

var nolog = log.New(io.Discard, "", 0)

// fakeConn answers every Write with n and err, and never has anything to read.
type fakeConn struct {
	net.Conn
	n       int
	err     error
	entered chan struct{} // where set, Write says that it runs
	leave   chan struct{} // and waits for this
	closed  chan struct{}
}

func (f *fakeConn) Write(b []byte) (int, error) {
	if f.entered != nil {
		close(f.entered)
		<-f.leave
	}
	if f.err == nil {
		return len(b), nil
	}
	return f.n, f.err
}
func (f *fakeConn) Read([]byte) (int, error) { <-f.closed; return 0, net.ErrClosed }
func (f *fakeConn) Close() error {
	select {
	case <-f.closed:
	default:
		close(f.closed)
	}
	return nil
}

// overFake makes a call over a connection that behaves like f.
func overFake(t *testing.T, f *fakeConn) *contracts.Failure {
	t.Helper()
	f.closed = make(chan struct{})
	c := newClient(t, Options{}, "http://a.test")
	c.inner.DialContext = func(context.Context, string, string) (net.Conn, error) { return &conn{Conn: f}, nil }
	return send(t.Context(), t, c, "http://a.test/", providers.Limits{}, 10).failure
}

func TestBytesAreThoseOfThisRequest(t *testing.T) {
	var seen atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dump, _ := httputil.DumpRequest(r, true)
		seen.Store(int64(len(dump)))
		io.WriteString(w, "{}")
	}))
	s.StartTLS()
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	c := newClient(t, Options{MaxIdle: 1, RootCAs: pool}, s.URL)
	for _, name := range []string{"on a new TLS connection", "on the same one again"} {
		o := send(t.Context(), t, c, s.URL, providers.Limits{}, 5000)
		if o.failure != nil {
			t.Fatal(name, o.failure)
		}
		if o.sent.Bytes() != seen.Load() {
			t.Errorf("%s: %d bytes counted, the server read %d", name, o.sent.Bytes(), seen.Load())
		}
	}
}

func TestSendBy(t *testing.T) {
	past, future := time.Now().Add(-time.Second), time.Now().Add(time.Hour)
	t.Run("a new connection sends nothing too late", func(t *testing.T) {
		w := serve(t, answers(ok200, true))
		o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, providers.Limits{SendBy: past}, 10)
		wantFailure(t, o.failure, contracts.Connection, contracts.None, "send_window")
		wantCalls(t, w, 0)
	})
	t.Run("neither does a connection that is used again", func(t *testing.T) {
		w := serve(t, answers(ok200, true))
		c := newClient(t, Options{MaxIdle: 1}, w.url)
		if o := send(t.Context(), t, c, w.url, providers.Limits{SendBy: future}, 10); o.failure != nil {
			t.Fatal(o.failure)
		}
		o := send(t.Context(), t, c, w.url, providers.Limits{SendBy: past}, 10)
		wantFailure(t, o.failure, contracts.Connection, contracts.None, "send_window")
		wantCalls(t, w, 1)
	})
	t.Run("a request that has begun may end later", func(t *testing.T) {
		s := &Sent{limits: providers.Limits{SendBy: future}}
		c := &conn{}
		if err := s.admit(c); err != nil {
			t.Fatal(err)
		}
		s.wrote(1)
		s.limits.SendBy = past
		if err := s.admit(c); err != nil {
			t.Errorf("the second write was refused: %v", err)
		}
	})
}

func TestNothingLeavesAfterTheAnswerNone(t *testing.T) {
	s := &Sent{}
	c := &conn{Conn: &fakeConn{}}
	c.sent.Store(s)
	if e := s.Effect(); e != contracts.None {
		t.Fatalf("effect %s, want none", e)
	}
	if n, err := c.Write([]byte("POST")); n != 0 || err == nil {
		t.Errorf("%d bytes left after effect none (%v)", n, err)
	}
}

func TestAWriteUnderWayIsOpen(t *testing.T) {
	s := &Sent{}
	f := &fakeConn{entered: make(chan struct{}), leave: make(chan struct{})}
	c := &conn{Conn: f}
	c.sent.Store(s)
	done := make(chan error)
	go func() { _, err := c.Write([]byte("POST")); done <- err }()
	<-f.entered
	if e := s.Effect(); e != contracts.Open {
		t.Errorf("effect %s while the kernel has the bytes, want open", e)
	}
	close(f.leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAConnectionWithoutARequestWritesNothing(t *testing.T) {
	if n, err := (&conn{Conn: &fakeConn{}}).Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
}

func TestTheFirstByteIsToldOnce(t *testing.T) {
	told := make(chan struct{}, 9)
	begin := make(chan struct{})
	w := serve(t, func(n int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
		io.Copy(io.Discard, r.Body)
		select {
		case <-told:
			t.Error("told before the server had said a word")
		default:
		}
		io.WriteString(c, "H") // the first byte, alone
		<-begin
		io.WriteString(c, ok200[1:])
		return false
	})
	c := newClient(t, Options{}, w.url)
	ctx, sent := Track(t.Context(), providers.Limits{}, func() { told <- struct{}{} })
	result := make(chan outcome)
	r := post(ctx, t, w.url, 10)
	go func() { result <- do(c, r, sent) }()
	<-told
	if !sent.FirstByte() {
		t.Error("told, but FirstByte is false")
	}
	close(begin)
	if o := <-result; o.failure != nil {
		t.Fatal(o.failure)
	}
	if len(told) != 0 {
		t.Error("told twice")
	}
}

func TestAnUntrackedRequestIsSentUnderTheSameRules(t *testing.T) {
	w := serve(t, answers(ok200, false))
	c := newClient(t, Options{}, w.url)
	resp, err := c.Do(post(t.Context(), t, w.url, 10))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := Read(resp); err != nil || string(a.Body) != "{}" {
		t.Errorf("body %q, %v", a.Body, err)
	}
	if _, err := c.Do(post(t.Context(), t, "http://a.test/", 10)); !errors.As(err, new(*fault)) {
		t.Errorf("error %v, want a fault", err)
	}
}
