package transport

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire is a server at the level of TCP. It counts the requests whose head it
// has read, which is what a provider would count as a call.
type wire struct {
	url   string
	calls atomic.Int64
}

// turn handles one request and says whether the connection stays open.
type turn func(n int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool

func serve(t *testing.T, handle turn) *wire {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{url: "http://" + ln.Addr().String()}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			wg.Go(func() { w.talk(c.(*net.TCPConn), handle) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return w
}

func (w *wire) talk(c *net.TCPConn, handle turn) {
	defer c.Close()
	br := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		if !handle(w.calls.Add(1), c, r, br) {
			return
		}
	}
}

// answers reads the whole request and writes raw.
func answers(raw string, keep bool) turn {
	return func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
		io.Copy(io.Discard, r.Body)
		io.WriteString(c, raw)
		return keep
	}
}

// reset makes the next Close send a TCP reset.
func reset(c *net.TCPConn) bool {
	c.SetLinger(0)
	return false
}

const ok200 = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

func newClient(t *testing.T, o Options, urls ...string) *Client {
	t.Helper()
	o.Origins = append(o.Origins, urls...)
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// post builds a POST as go-openai does: from a buffer, which gives it a GetBody.
func post(ctx context.Context, t *testing.T, url string, size int) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewBuffer(make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcome is what one call came to.
type outcome struct {
	answer  Answer
	failure *contracts.Failure
	sent    *Sent
}

func send(ctx context.Context, t *testing.T, c *Client, url string, l providers.Limits, size int) outcome {
	t.Helper()
	ctx, sent := Track(ctx, l, nil)
	return do(c, post(ctx, t, url, size), sent)
}

func do(c *Client, r *http.Request, sent *Sent) outcome {
	resp, err := c.Do(r)
	if err != nil {
		return outcome{failure: FromError(err, r.Context(), sent), sent: sent}
	}
	a, err := Read(resp)
	if err != nil {
		return outcome{failure: FromError(err, r.Context(), sent), sent: sent}
	}
	return outcome{answer: a, sent: sent}
}

func wantFailure(t *testing.T, f *contracts.Failure, class contracts.Class, effect contracts.Effect, code string) {
	t.Helper()
	if f == nil {
		t.Fatalf("the call succeeded, want %s/%s/%s", class, effect, code)
	}
	if f.Class != class || f.Effect != effect || f.Code != code {
		t.Errorf("got %s/%s/%s, want %s/%s/%s", f.Class, f.Effect, f.Code, class, effect, code)
	}
}

func wantCalls(t *testing.T, w *wire, n int64) {
	t.Helper()
	if got := w.calls.Load(); got != n {
		t.Errorf("the server saw %d requests, want %d", got, n)
	}
}
