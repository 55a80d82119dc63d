package adaptertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// Client is an adapter as the tests need it.
type Client interface {
	providers.Provider
	providers.Checker
}

// Adapter says what the tests need to know of an adapter for a foreground API.
type Adapter struct {
	// New builds a client that calls url with Canary as its key.
	New        func(t *testing.T, url string) Client
	Good       string   // an answer from a model "m-2026"
	Failing500 string   // the API's own account of a 500
	Throttled  string   // and of a 429
	Canaries   []string // bodies in which the API repeats the key
}

// Wire runs what holds for every adapter over a real connection.
func (a Adapter) Wire(t *testing.T) {
	for says, test := range map[string]func(*testing.T){
		"one call is one request on the wire":                a.oneRequest,
		"a reused connection that closes is not tried again": a.reused,
		"transport failures keep their effect":               a.transportFailures,
		"half an answer is never a success":                  a.halfAnAnswer,
		"the key stays in its header":                        a.keyStays,
		"recorded exchanges":                                 a.recorded,
	} {
		t.Run(says, test)
	}
}

// Ask makes one call and checks that there was one request, and what holds for
// every failure.
func (a Adapter) Ask(t *testing.T, p *Server, r providers.Request) (contracts.Completion, *contracts.Failure) {
	t.Helper()
	c, err := a.New(t, p.URL).Complete(context.Background(), r)
	if n := p.Calls.Load(); n != 1 {
		t.Errorf("the provider saw %d requests, want 1", n)
	}
	if err == nil {
		return c, nil
	}
	return c, Checked(t, err)
}

func (a Adapter) oneRequest(t *testing.T) {
	cases := []struct {
		name   string
		answer http.HandlerFunc
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		{"the connection closes once the request was read", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			contracts.Connection, contracts.Open, "eof"},
		{"a 307", Says(307, "", "Location", "/elsewhere"), contracts.NotFound, contracts.None, "redirect"},
		{"a 308", Says(308, "", "Location", "/elsewhere"), contracts.NotFound, contracts.None, "redirect"},
		{"a 500 with the provider's own account", Says(500, a.Failing500), contracts.ProviderError, contracts.Ended, ""},
		{"a 500 of somebody in between", Says(500, "<html>"), contracts.ProviderError, contracts.Open, "edge"},
		{"a 503 of somebody in between", Says(503, ""), contracts.Connection, contracts.Open, "edge"},
		{"a 429", Says(429, a.Throttled), contracts.RateLimited, contracts.None, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := NewServer(t, tc.answer)
			if _, f := a.Ask(t, p, Plain()); f == nil || f.Class != tc.class || f.Effect != tc.effect || f.Code != tc.code {
				t.Errorf("got %v, want %s/%s/%s", f, tc.class, tc.effect, tc.code)
			}
		})
	}
}

func (a Adapter) reused(t *testing.T) {
	n := 0
	p := NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 2 {
			panic(http.ErrAbortHandler)
		}
		Says(200, a.Good)(w, r)
	})
	c := a.New(t, p.URL)
	if _, err := c.Complete(t.Context(), Plain()); err != nil {
		t.Fatal(err)
	}
	_, err := c.Complete(t.Context(), Plain())
	if f := Checked(t, err); f.Class != contracts.Connection || f.Effect != contracts.Open {
		t.Errorf("got %v", f)
	}
	if got := p.Calls.Load(); got != 2 {
		t.Errorf("the provider saw %d requests for two calls", got)
	}
	for range 2 {
		if h := (<-p.Asked).Head; h.Get("Idempotency-Key") != "" || h.Get("X-Client-Request-Id") != "job_3f.1" {
			t.Errorf("headers %v", h)
		}
	}
}

func (a Adapter) transportFailures(t *testing.T) {
	t.Run("a refused connection ran nothing", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
		_, err = a.New(t, "http://"+ln.Addr().String()).Complete(t.Context(), Plain())
		if f := Checked(t, err); f.Class != contracts.Connection || f.Effect != contracts.None {
			t.Errorf("got %v", f)
		}
	})
	t.Run("silence until our clock runs out is open", func(t *testing.T) {
		ctx := expiring{context.Background(), make(chan struct{})}
		p := NewServer(t, func(_ http.ResponseWriter, r *http.Request) { close(ctx.over); <-r.Context().Done() })
		_, err := a.New(t, p.URL).Complete(ctx, Plain())
		if f := Checked(t, err); f.Class != contracts.Timeout || f.Effect != contracts.Open || f.Code != "first_byte" {
			t.Errorf("got %v", f)
		}
		if n := p.Calls.Load(); n != 1 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("too late to send is none", func(t *testing.T) {
		p := NewServer(t, Says(200, a.Good))
		r := Plain()
		r.Limits.SendBy = time.Now().Add(-time.Second)
		_, err := a.New(t, p.URL).Complete(t.Context(), r)
		if f := Checked(t, err); f.Effect != contracts.None || f.Code != "send_window" {
			t.Errorf("got %v", f)
		}
		if n := p.Calls.Load(); n != 0 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("an answer over the limit ended", func(t *testing.T) {
		p := NewServer(t, Says(200, a.Good))
		r := Plain()
		r.Limits.MaxBody = 50
		if _, f := a.Ask(t, p, r); f == nil || f.Class != contracts.BadResponse || f.Effect != contracts.Ended || f.Code != "too_large" {
			t.Errorf("got %v", f)
		}
	})
}

func (a Adapter) halfAnAnswer(t *testing.T) {
	raw := func(head string, cut int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			io.WriteString(c, head+a.Good[:cut])
			c.Close()
		}
	}
	for name, head := range map[string]string{
		"by its length":           fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(a.Good)),
		"by its chunks":           fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", len(a.Good)),
		"by nothing but its text": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
	} {
		for cut := 1; cut < len(a.Good); cut += 29 {
			p := NewServer(t, raw(head, cut))
			c, f := a.Ask(t, p, Plain())
			if f == nil || f.Class != contracts.Truncated || f.Effect != contracts.Ended {
				t.Errorf("cut at %d, to be seen %s: got %+v, %v", cut, name, c, f)
			}
		}
	}
}

func (a Adapter) keyStays(t *testing.T) {
	for _, body := range a.Canaries {
		for _, status := range []int{200, 400, 401, 429, 500} {
			p := NewServer(t, Says(status, body, "X-Echo", Canary))
			if _, f := a.Ask(t, p, Plain()); f == nil {
				t.Errorf("%s with status %d was a success", body, status)
			} else if strings.Contains(f.Detail, "sk-can") {
				t.Errorf("a part of the key is in %q", f.Detail)
			}
		}
	}
	p := NewServer(t, Says(200, strings.ReplaceAll(a.Good, "m-2026", "m "+Canary), "Request-Id", Canary))
	if got, f := a.Ask(t, p, Plain()); f != nil || strings.Contains(fmt.Sprintf("%+v", got), Canary) {
		t.Errorf("%+v, %v", got, f)
	}
}

// exchange is a recorded exchange: see testdata/README.md.
type exchange struct {
	Says     string               `json:"says"`
	Asked    providers.Request    `json:"asked"`
	Path     string               `json:"path"`
	Sent     json.RawMessage      `json:"sent"`
	Status   int                  `json:"status"`
	Header   map[string]string    `json:"header"`
	Body     json.RawMessage      `json:"body"`
	Want     contracts.Completion `json:"want"`
	Reported bool                 `json:"reported"`
	Failure  *contracts.Failure   `json:"failure"`
}

func (a Adapter) recorded(t *testing.T) {
	for _, x := range exchanges(t) {
		t.Run(x.Says, func(t *testing.T) {
			var head []string
			for k, v := range x.Header {
				head = append(head, k, v)
			}
			p := NewServer(t, Says(x.Status, string(x.Body), head...))
			c, f := a.Ask(t, p, x.Asked)
			got := <-p.Asked
			if want := compact(t, x.Sent); got.Body != want || got.Path != x.Path {
				t.Errorf("sent %s\n%s\nwant %s\n%s", got.Path, got.Body, x.Path, want)
			}
			if x.Want.Usage.Reported = x.Reported; !reflect.DeepEqual(c, x.Want) {
				t.Errorf("got  %+v\nwant %+v", c, x.Want)
			}
			if !reflect.DeepEqual(f, x.Failure) {
				t.Errorf("got  %+v\nwant %+v", f, x.Failure)
			}
		})
	}
}

func exchanges(t *testing.T) (all []exchange) {
	t.Helper()
	files, err := filepath.Glob("testdata/exchanges/*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d exchanges, %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var x exchange
		if err := json.Unmarshal(raw, &x); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, x)
	}
	return all
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Refuses holds what is true of every request that has no rendering.
func (a Adapter) Refuses(t *testing.T, r providers.Request, part string) {
	t.Helper()
	p := NewServer(t, Says(200, a.Good))
	c := a.New(t, p.URL)
	u, ok := c.Takes(r).(*providers.Unsupported)
	if !ok || u.Part != part || u.Reason == "" {
		t.Errorf("Takes says %v, want the part %s", u, part)
	}
	_, err := c.Complete(t.Context(), r)
	if err == nil {
		t.Fatal("the call succeeded")
	}
	if f := Checked(t, err); f.Class != contracts.InvalidRequest || f.Effect != contracts.None || f.Code != "unsupported" || !strings.HasPrefix(f.Detail, part) {
		t.Errorf("got %+v", f)
	}
	if n := p.Calls.Load(); n != 0 {
		t.Errorf("the provider saw %d requests", n)
	}
}
