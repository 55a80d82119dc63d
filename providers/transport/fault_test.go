package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

const big = 1 << 20 // more than any socket buffer here takes at once

func TestACallThatBreaks(t *testing.T) {
	cases := []struct {
		name   string
		handle turn
		class  contracts.Class
		effect contracts.Effect
		codes  string
	}{
		{"a reset after half of the request leaves the outcome open", func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
			io.CopyN(io.Discard, r.Body, 1000)
			return reset(c)
		}, contracts.Connection, contracts.Open, "reset broken"},
		{"a reset after the whole request leaves the outcome open", func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
			io.Copy(io.Discard, r.Body)
			return reset(c)
		}, contracts.Connection, contracts.Open, "reset"},
		{"a close after the whole request leaves the outcome open", func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
			io.Copy(io.Discard, r.Body)
			return false
		}, contracts.Connection, contracts.Open, "eof"},
		{"a broken status line leaves the outcome open", answers("HTTP/1.1 2\r\n\r\n", false),
			contracts.Connection, contracts.Open, "broken"},
		{"headers without an end leave the outcome open", answers("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("a", 2*maxHeader), false),
			contracts.Connection, contracts.Open, "broken"},
		{"a body shorter than its length was cut", answers("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":", false),
			contracts.Truncated, contracts.Ended, "cut"},
		{"a body whose chunks do not end was cut", answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{\"id\":\r\n", false),
			contracts.Truncated, contracts.Ended, "cut"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := serve(t, tc.handle)
			c := newClient(t, Options{MaxIdle: 1}, w.url)
			o := send(t.Context(), t, c, w.url, providers.Limits{}, big)
			if o.failure == nil || !strings.Contains(tc.codes, o.failure.Code) {
				t.Fatalf("got %v, want a code of %q", o.failure, tc.codes)
			}
			wantFailure(t, o.failure, tc.class, tc.effect, o.failure.Code)
			wantCalls(t, w, 1)
			noAddress(t, o.failure)
		})
	}
}

func noAddress(t *testing.T, f *contracts.Failure) {
	t.Helper()
	for _, s := range []string{f.Error(), f.Code, f.Detail} {
		if strings.Contains(s, "127.0.0.1") || strings.Contains(s, "::1") {
			t.Errorf("%q names an address", s)
		}
	}
}

func TestNothingRanWhereNothingLeft(t *testing.T) {
	t.Run("a refused connection", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + ln.Addr().String()
		ln.Close()
		o := send(t.Context(), t, newClient(t, Options{}, url), url, providers.Limits{}, 10)
		wantFailure(t, o.failure, contracts.Connection, contracts.None, "refused")
		noAddress(t, o.failure)
	})
	t.Run("a certificate that nobody vouches for", func(t *testing.T) {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") }))
		s.Config.ErrorLog = nolog
		s.StartTLS()
		defer s.Close()
		o := send(t.Context(), t, newClient(t, Options{}, s.URL), s.URL, providers.Limits{}, 10)
		wantFailure(t, o.failure, contracts.Connection, contracts.None, "tls")
	})
	t.Run("a handshake that takes longer than connecting may", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts; nobody speaks
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		url := "https://" + ln.Addr().String()
		o := send(t.Context(), t, newClient(t, Options{}, url), url, providers.Limits{Connect: 20 * time.Millisecond}, 10)
		wantFailure(t, o.failure, contracts.Connection, contracts.None, "connect")
	})
	t.Run("a context that was over before", func(t *testing.T) {
		w := serve(t, answers(ok200, false))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o := send(ctx, t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
		wantFailure(t, o.failure, contracts.Connection, contracts.None, "unsent")
		wantCalls(t, w, 0)
	})
	t.Run("a host without an address", func(t *testing.T) {
		f := FromError(dialFault(t.Context(), &net.OpError{Op: "dial", Err: &net.DNSError{Name: "secret.example", IsNotFound: true}}), t.Context(), &Sent{})
		wantFailure(t, f, contracts.Connection, contracts.None, "dns")
	})
	t.Run("a reset when the first byte was to be written", func(t *testing.T) {
		f := overFake(t, &fakeConn{n: 0, err: syscall.ECONNRESET})
		wantFailure(t, f, contracts.Connection, contracts.None, "unsent")
	})
	t.Run("but one byte is enough to leave it open", func(t *testing.T) {
		f := overFake(t, &fakeConn{n: 1, err: syscall.ECONNRESET})
		wantFailure(t, f, contracts.Connection, contracts.Open, "reset")
	})
}

func TestAResetBeforeAnythingWasReadIsNeverASuccess(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		if c, err := ln.Accept(); err == nil {
			reset(c.(*net.TCPConn))
			c.Close()
		}
	}()
	url := "http://" + ln.Addr().String()
	o := send(t.Context(), t, newClient(t, Options{}, url), url, providers.Limits{}, 10)
	want := contracts.Open // the kernel may have taken the bytes before the reset came
	if o.sent.Bytes() == 0 {
		want = contracts.None
	}
	if o.failure == nil || o.failure.Effect != want {
		t.Errorf("got %v with %d bytes sent, want effect %s", o.failure, o.sent.Bytes(), want)
	}
}

// expiring is a context whose deadline passes when the test says so.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }
func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// silent reads the request, calls then, and waits until the client is gone.
func silent(say string, then func()) turn {
	return func(_ int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
		io.Copy(io.Discard, r.Body)
		io.WriteString(c, say)
		then()
		br.ReadByte()
		return false
	}
}

func TestOurClockLeavesTheOutcomeOpen(t *testing.T) {
	t.Run("when no answer began", func(t *testing.T) {
		ctx := expiring{context.Background(), make(chan struct{})}
		w := serve(t, silent("", func() { close(ctx.over) }))
		o := send(ctx, t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
		wantFailure(t, o.failure, contracts.Timeout, contracts.Open, "first_byte")
		wantCalls(t, w, 1)
	})
	t.Run("when the answer began and did not end", func(t *testing.T) {
		over := expiring{context.Background(), make(chan struct{})}
		w := serve(t, silent("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", func() {}))
		ctx, sent := Track(over, providers.Limits{}, func() { close(over.over) })
		o := do(newClient(t, Options{}, w.url), post(ctx, t, w.url, 10), sent)
		wantFailure(t, o.failure, contracts.Timeout, contracts.Open, "answer")
	})
	t.Run("when the caller gave up", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		w := serve(t, silent("", func() { cancel(errors.New("shutting down")) }))
		o := send(ctx, t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
		wantFailure(t, o.failure, contracts.Timeout, contracts.Open, "canceled")
		wantCalls(t, w, 1)
		if strings.Contains(o.failure.Error()+o.failure.Detail, "shutting") {
			t.Error("the cause of the context leaked")
		}
	})
}

func TestARefusalOutlivesTheErrorItCaused(t *testing.T) {
	s := &Sent{limits: providers.Limits{SendBy: time.Now().Add(-time.Second)}}
	if err := s.admit(&conn{}); err == nil {
		t.Fatal("admitted too late")
	}
	f := FromError(errors.New("http: transport connection broken"), t.Context(), s)
	wantFailure(t, f, contracts.Connection, contracts.None, "send_window")
}
