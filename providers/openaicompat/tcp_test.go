package openaicompat

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"inferonce/providers"
	"inferonce/providers/transport"
)

// line is a provider at the level of TCP. It counts the requests whose head has
// arrived: its ledger.
type line struct {
	url  string
	seen atomic.Int64
}

// turn handles the n-th request and says whether the connection stays open.
type turn func(n int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool

func onTheLine(t *testing.T, handle func(*line, *net.TCPConn)) *line {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{url: "http://" + ln.Addr().String()}
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
			wg.Go(func() { defer c.Close(); handle(l, c.(*net.TCPConn)) })
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
	return l
}

// plays is a line that speaks HTTP/1.1.
func plays(t *testing.T, handle turn) *line {
	return onTheLine(t, func(l *line, c *net.TCPConn) {
		br := bufio.NewReader(c)
		for {
			r, err := http.ReadRequest(br)
			if err != nil || !handle(l.seen.Add(1), c, r, br) {
				return
			}
		}
	})
}

// first plays once, and answers well from then on: the process lives.
func first(once turn) turn {
	return func(n int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
		if n == 1 {
			return once(n, c, r, br)
		}
		return raw(whole(200, good))(n, c, r, br)
	}
}

// raw reads the whole request and writes s.
func raw(s string) turn {
	return func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
		io.Copy(io.Discard, r.Body)
		io.WriteString(c, s)
		return false
	}
}

// whole is an answer with its length. head are further lines.
func whole(status int, body string, head ...string) string {
	s := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Length: %d\r\nContent-Type: application/json\r\n", status, http.StatusText(status), len(body))
	for _, h := range head {
		s += h + "\r\n"
	}
	return s + "\r\n" + body
}

// rst makes the next Close a TCP reset.
func rst(c *net.TCPConn) bool {
	c.SetLinger(0)
	return false
}

// calls is a client of a line, with connections that are kept.
func calls(t *testing.T, l *line, o transport.Options, token bool) *Client {
	t.Helper()
	c, err := New(Config{BaseURL: l.url + "/v1", APIKey: func() string { return canary }, Transport: o, Traits: providers.Traits{Lookup: providers.LookupNone, CreateToken: token}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ledger(t *testing.T, l *line, want int64) {
	t.Helper()
	if got := l.seen.Load(); got != want {
		t.Errorf("the provider saw %d requests, want %d", got, want)
	}
}
