package transport

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func packed(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

func response(encoding string, b []byte) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", encoding, len(b), b)
}

// noise is text that gzip can not make much smaller.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestAnAnswerInAnEncodingNobodyAskedFor(t *testing.T) {
	text := []byte(`{"id":"x"}`)
	cut := packed(noise(5000))
	wrong := packed(noise(5000))
	wrong[2000] ^= 0xff
	cases := []struct {
		name, raw string
		class     contracts.Class // "": success
		code      string
	}{
		{"gzip is undone", response("gzip", packed(text)), "", ""},
		{"its older name is undone", response("X-Gzip", packed(text)), "", ""},
		{"identity is nothing", response("identity", text), "", ""},
		{"brotli is not read", response("br", text), contracts.BadResponse, "encoding"},
		{"two encodings are not read", response("gzip, gzip", packed(packed(text))), contracts.BadResponse, "encoding"},
		{"gzip that is none is a bad answer", response("gzip", text), contracts.BadResponse, "encoding"},
		{"gzip with a changed byte is a bad answer", response("gzip", wrong), contracts.BadResponse, "encoding"},
		{"gzip that ends early was cut", response("gzip", cut[:len(cut)-20]), contracts.Truncated, "cut"},
		{"what unpacks to more than the limit is too large", response("gzip", packed(noise(providers.DefaultMaxBody+1))), contracts.BadResponse, "too_large"},
		{"a bomb below the limit bursts by its ratio", response("gzip", packed(make([]byte, 1<<20))), contracts.BadResponse, "too_large"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := serve(t, answers(tc.raw, false))
			o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
			if tc.class != "" {
				wantFailure(t, o.failure, tc.class, contracts.Ended, tc.code)
				return
			}
			if o.failure != nil || !bytes.Equal(o.answer.Body, text) {
				t.Errorf("body %q, %v", o.answer.Body, o.failure)
			}
			if o.answer.Header.Get("Content-Encoding") != "" {
				t.Error("the header still claims an encoding")
			}
		})
	}
}

func TestWeAskForNoEncoding(t *testing.T) {
	asked := make(chan string, 1)
	w := serve(t, func(_ int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
		asked <- r.Header.Get("Accept-Encoding")
		return answers(ok200, false)(0, c, r, br)
	})
	send(t.Context(), t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
	if got := <-asked; got != "identity" {
		t.Errorf("Accept-Encoding %q, want identity", got)
	}
}

// endless writes up to 100 MB and reports how much the client took.
func endless(head string, wrote chan<- int) turn {
	return func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
		io.Copy(io.Discard, r.Body)
		io.WriteString(c, head)
		block, n := bytes.Repeat([]byte("x"), 1<<16), 0
		for n < 100<<20 {
			m, err := c.Write(block)
			n += m
			if err != nil {
				break
			}
		}
		wrote <- n
		return reset(c)
	}
}

func TestAHundredMegabytesAreNotRead(t *testing.T) {
	t.Run("of an answer", func(t *testing.T) {
		wrote := make(chan int, 1)
		w := serve(t, endless("HTTP/1.1 200 OK\r\n\r\n", wrote))
		o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
		wantFailure(t, o.failure, contracts.BadResponse, contracts.Ended, "too_large")
		if n := <-wrote; n >= 100<<20 {
			t.Errorf("the server got rid of all its %d bytes", n)
		}
	})
	t.Run("of an error", func(t *testing.T) {
		wrote := make(chan int, 1)
		w := serve(t, endless("HTTP/1.1 500 No\r\n\r\n", wrote))
		o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
		if o.failure != nil || len(o.answer.Body) != ErrorBody {
			t.Fatalf("%d bytes kept, %v", len(o.answer.Body), o.failure)
		}
		wantFailure(t, Classify(o.answer), contracts.ProviderError, contracts.Open, "edge")
		if n := <-wrote; n >= 100<<20 {
			t.Errorf("the server got rid of all its %d bytes", n)
		}
	})
}

func TestTheLimitIsExact(t *testing.T) {
	for size, fits := range map[int]bool{99: true, 100: true, 101: false} {
		w := serve(t, answers(response("identity", bytes.Repeat([]byte("x"), size)), false))
		o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, providers.Limits{MaxBody: 100}, 10)
		if (o.failure == nil) != fits {
			t.Errorf("%d bytes under a limit of 100: %v", size, o.failure)
		}
	}
}

func TestAnErrorThatBreaksOffKeepsItsStatus(t *testing.T) {
	w := serve(t, answers("HTTP/1.1 429 Slow\r\nRetry-After: 2\r\nContent-Length: 100\r\n\r\n{\"err", false))
	o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, providers.Limits{}, 10)
	if o.failure != nil {
		t.Fatal(o.failure)
	}
	wantFailure(t, Classify(o.answer), contracts.RateLimited, contracts.None, "")
}
