package transport

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

// closesSecond answers the first request and keeps the connection; later ones
// it reads to the end, and then it closes without a word.
func closesSecond(n int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
	io.Copy(io.Discard, r.Body)
	if n > 1 {
		return false
	}
	io.WriteString(c, ok200)
	return true
}

// keyed is the request that net/http takes for repeatable.
func keyed(ctx context.Context, t *testing.T, url, header string) *http.Request {
	r := post(ctx, t, url, 100)
	r.Header[header] = []string{"k1"}
	return r
}

func TestAKeyedPostOnAReusedConnectionIsSentOnce(t *testing.T) {
	t.Run("net/http left to itself sends it again", func(t *testing.T) {
		w := serve(t, closesSecond)
		tr := &http.Transport{}
		t.Cleanup(tr.CloseIdleConnections)
		plain := &http.Client{Transport: tr}
		for range 2 {
			if resp, err := plain.Do(keyed(t.Context(), t, w.url, "Idempotency-Key")); err == nil {
				Read(resp)
			}
		}
		if got := w.calls.Load(); got < 3 {
			t.Errorf("the server saw %d requests for two calls: the trap is gone, and so is this test's sense", got)
		}
	})
	for _, header := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		for _, honoured := range []bool{true, false} {
			t.Run("ours is sent once with "+header, func(t *testing.T) {
				w := serve(t, closesSecond)
				c := newClient(t, Options{MaxIdle: 2, HonoursIdempotencyKey: honoured}, w.url)
				if o := send(t.Context(), t, c, w.url, providers.Limits{}, 100); o.failure != nil {
					t.Fatal(o.failure)
				}
				ctx, sent := Track(t.Context(), providers.Limits{}, nil)
				o := do(c, keyed(ctx, t, w.url, header), sent)
				// "eof" or "broken" is the peer's close; a refused repeat would be a
				// failure of "once", even though nothing left.
				if o.failure == nil || o.failure.Effect != contracts.Open {
					t.Fatalf("got %v, want a failure with effect open", o.failure)
				}
				if f := sent.refused(); f != nil {
					t.Errorf("net/http tried to send again: %v", f)
				}
				wantCalls(t, w, 2)
			})
		}
	}
}

func TestTheRequestHandedToNetHTTPCanNotBeRepeated(t *testing.T) {
	spellings := []string{"Idempotency-Key", "X-Idempotency-Key", "idempotency-key", "X-IDEMPOTENCY-KEY"}
	for _, honoured := range []bool{true, false} {
		c := newClient(t, Options{HonoursIdempotencyKey: honoured})
		r := post(t.Context(), t, "http://a.test/", 10)
		for _, s := range spellings {
			r.Header[s] = nil // an empty list counts as a key for net/http
		}
		once := c.once(r)
		if once.GetBody != nil {
			t.Error("the body can be rewound")
		}
		for _, s := range spellings {
			if _, there := once.Header[s]; there != honoured {
				t.Errorf("header %s: there is %v, want %v", s, there, honoured)
			}
			if _, there := r.Header[s]; !there {
				t.Errorf("header %s is gone from the caller's request", s)
			}
		}
	}
}

func TestABodilessKeyedPostIsSentOnce(t *testing.T) {
	w := serve(t, closesSecond)
	c := newClient(t, Options{MaxIdle: 2, HonoursIdempotencyKey: true}, w.url)
	send(t.Context(), t, c, w.url, providers.Limits{}, 100)
	ctx, sent := Track(t.Context(), providers.Limits{}, nil)
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.url, nil)
	r.Header.Set("Idempotency-Key", "k1")
	o := do(c, r, sent)
	if o.failure == nil || o.failure.Effect != contracts.Open {
		t.Errorf("got %v, want a failure with effect open", o.failure)
	}
	wantCalls(t, w, 2) // net/http does try again here; the connection refuses
	if f := sent.refused(); f == nil || f.code != "repeat" {
		t.Errorf("refusal %v, want repeat", f)
	}
}

func TestATrackedContextCarriesOneRequest(t *testing.T) {
	w := serve(t, answers(ok200, true))
	c := newClient(t, Options{}, w.url)
	ctx, sent := Track(t.Context(), providers.Limits{}, nil)
	if o := do(c, post(ctx, t, w.url, 10), sent); o.failure != nil {
		t.Fatal(o.failure)
	}
	if o := do(c, post(ctx, t, w.url, 10), sent); o.failure == nil {
		t.Error("a second request went out under the same context")
	}
	wantCalls(t, w, 1)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	for _, status := range []string{"301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"} {
		t.Run(status, func(t *testing.T) {
			other := serve(t, answers(ok200, false))
			w := serve(t, answers("HTTP/1.1 "+status+"\r\nLocation: "+other.url+"/\r\nContent-Length: 0\r\n\r\n", false))
			c := newClient(t, Options{}, w.url, other.url)
			o := send(t.Context(), t, c, w.url, providers.Limits{}, 100)
			if o.failure != nil {
				t.Fatal(o.failure)
			}
			wantFailure(t, Classify(o.answer), contracts.NotFound, contracts.None, "redirect")
			wantCalls(t, w, 1)
			wantCalls(t, other, 0)
		})
	}
	t.Run("net/http left to itself follows a 307 with body and key", func(t *testing.T) {
		other := serve(t, func(_ int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
			if r.Header.Get("X-Api-Key") != "k" {
				t.Error("the key stayed behind: the trap is gone")
			}
			return answers(ok200, false)(0, c, r, br)
		})
		w := serve(t, answers("HTTP/1.1 307 Temporary Redirect\r\nLocation: "+other.url+"/\r\nContent-Length: 0\r\n\r\n", false))
		tr := &http.Transport{DisableKeepAlives: true}
		r := post(t.Context(), t, w.url, 100)
		r.Header.Set("X-Api-Key", "k")
		resp, err := (&http.Client{Transport: tr}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		wantCalls(t, other, 1)
	})
}

func TestOnlyConfiguredOriginsAreCalled(t *testing.T) {
	c := newClient(t, Options{}, "https://API.example.com/v1", "http://127.0.0.1:9")
	for url, allowed := range map[string]bool{
		"https://api.example.com/v1/chat": true,
		"https://api.example.com:443/":    true,
		"http://api.example.com/":         false,
		"https://api.example.com:8443/":   false,
		"https://evil.example.com/":       false,
		"http://127.0.0.1:10/":            false,
	} {
		r := httptest.NewRequest(http.MethodPost, url, nil)
		if got := c.origins[origin(r.URL)]; got != allowed {
			t.Errorf("%s: allowed is %v, want %v", url, got, allowed)
		}
	}
	o := send(t.Context(), t, c, "http://127.0.0.1:10/", providers.Limits{}, 10)
	wantFailure(t, o.failure, contracts.Internal, contracts.None, "origin")
	if c.inner.Proxy != nil {
		t.Error("a proxy may be taken from the environment")
	}
}

func TestAnOriginMustBeAnAddress(t *testing.T) {
	for _, s := range []string{"", "api.example.com", "ftp://api.example.com", "http://", "://"} {
		if _, err := New(Options{Origins: []string{s}}); err == nil {
			t.Errorf("%q was taken", s)
		} else if s != "" && strings.Contains(err.Error(), "example") {
			t.Errorf("the error repeats the address: %v", err)
		}
	}
}
