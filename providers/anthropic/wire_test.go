package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

func TestOneCallIsOneRequestOnTheWire(t *testing.T) {
	cases := []struct {
		name   string
		answer http.HandlerFunc
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		{"the connection closes once the request was read", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			contracts.Connection, contracts.Open, "eof"},
		{"a 307", says(307, "", "Location", "/elsewhere"), contracts.NotFound, contracts.None, "redirect"},
		{"a 308", says(308, "", "Location", "/elsewhere"), contracts.NotFound, contracts.None, "redirect"},
		{"a 500 with the provider's own account", says(500, failing500), contracts.ProviderError, contracts.Ended, ""},
		{"a 500 of somebody in between", says(500, "<html>"), contracts.ProviderError, contracts.Open, "edge"},
		{"a 503 of somebody in between", says(503, ""), contracts.Connection, contracts.Open, "edge"},
		{"a 429", says(429, throttled), contracts.RateLimited, contracts.None, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newProvider(t, tc.answer)
			if _, f := ask(t, p, plain()); f == nil || f.Class != tc.class || f.Effect != tc.effect || f.Code != tc.code {
				t.Errorf("got %v, want %s/%s/%s", f, tc.class, tc.effect, tc.code)
			}
		})
	}
}

func TestAReusedConnectionThatClosesIsNotTriedAgain(t *testing.T) {
	n := 0
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 2 {
			panic(http.ErrAbortHandler)
		}
		says(200, good)(w, r)
	})
	c := newClient(t, p.URL)
	if _, err := c.Complete(t.Context(), plain()); err != nil {
		t.Fatal(err)
	}
	_, err := c.Complete(t.Context(), plain())
	if f := checked(t, err); f.Class != contracts.Connection || f.Effect != contracts.Open {
		t.Errorf("got %v", f)
	}
	if got := p.calls.Load(); got != 2 {
		t.Errorf("the provider saw %d requests for two calls", got)
	}
	for range 2 {
		if h := (<-p.asked).head; h.Get("Idempotency-Key") != "" || h.Get("X-Client-Request-Id") != "job_3f.1" {
			t.Errorf("headers %v", h)
		}
	}
}

func TestTransportFailuresKeepTheirEffect(t *testing.T) {
	t.Run("a refused connection ran nothing", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
		_, err = newClient(t, "http://"+ln.Addr().String()).Complete(t.Context(), plain())
		if f := checked(t, err); f.Class != contracts.Connection || f.Effect != contracts.None {
			t.Errorf("got %v", f)
		}
	})
	t.Run("silence until our clock runs out is open", func(t *testing.T) {
		ctx := expiring{context.Background(), make(chan struct{})}
		p := newProvider(t, func(_ http.ResponseWriter, r *http.Request) { close(ctx.over); <-r.Context().Done() })
		_, err := newClient(t, p.URL).Complete(ctx, plain())
		if f := checked(t, err); f.Class != contracts.Timeout || f.Effect != contracts.Open || f.Code != "first_byte" {
			t.Errorf("got %v", f)
		}
		if n := p.calls.Load(); n != 1 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("too late to send is none", func(t *testing.T) {
		p := newProvider(t, says(200, good))
		r := plain()
		r.Limits.SendBy = time.Now().Add(-time.Second)
		_, err := newClient(t, p.URL).Complete(t.Context(), r)
		if f := checked(t, err); f.Effect != contracts.None || f.Code != "send_window" {
			t.Errorf("got %v", f)
		}
		if n := p.calls.Load(); n != 0 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("an answer over the limit ended", func(t *testing.T) {
		p := newProvider(t, says(200, good))
		r := plain()
		r.Limits.MaxBody = 50
		if _, f := ask(t, p, r); f == nil || f.Class != contracts.BadResponse || f.Effect != contracts.Ended || f.Code != "too_large" {
			t.Errorf("got %v", f)
		}
	})
}

func TestHalfAnAnswerIsNeverASuccess(t *testing.T) {
	raw := func(head string, cut int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			io.WriteString(c, head+good[:cut])
			c.Close()
		}
	}
	for name, head := range map[string]string{
		"by its length":           fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(good)),
		"by its chunks":           fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", len(good)),
		"by nothing but its text": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
	} {
		for cut := 1; cut < len(good); cut += 29 {
			p := newProvider(t, raw(head, cut))
			c, f := ask(t, p, plain())
			if f == nil || f.Class != contracts.Truncated || f.Effect != contracts.Ended {
				t.Errorf("cut at %d, to be seen %s: got %+v, %v", cut, name, c, f)
			}
		}
	}
}

func TestTheKeyStaysInItsHeader(t *testing.T) {
	for _, body := range canaries {
		for _, status := range []int{200, 400, 401, 429, 500} {
			p := newProvider(t, says(status, body, "X-Echo", canary))
			if _, f := ask(t, p, plain()); f == nil {
				t.Errorf("%s with status %d was a success", body, status)
			} else if strings.Contains(f.Detail, "sk-can") {
				t.Errorf("a part of the key is in %q", f.Detail)
			}
		}
	}
	c := Config{BaseURL: "http://a.test", APIKey: func() string { return canary }}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("built", "config", c, "client", client)
	fmt.Fprintf(&log, "%v %+v %#v %v %+v %#v %s", c, c, c, client, client, client, client.Reproduce(plain()))
	if strings.Contains(log.String(), canary) {
		t.Error("printing the client shows its key")
	}
	p := newProvider(t, says(200, strings.ReplaceAll(good, "m-2026", "m "+canary), "Request-Id", canary))
	if got, f := ask(t, p, plain()); f != nil || strings.Contains(fmt.Sprintf("%+v", got), canary) {
		t.Errorf("%+v, %v", got, f)
	}
}

func TestNewRefusesWhatIsNoBaseURL(t *testing.T) {
	for _, s := range []string{"", "api.example.com/v1", "ftp://a.test", "https://user:" + canary + "@a.test/v1", "https://a.test/v1?key=" + canary} {
		_, err := New(Config{BaseURL: s})
		if err == nil {
			t.Errorf("%q was taken", s)
		} else if strings.Contains(err.Error(), canary) {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
}

func TestTraitsSayThatALostCallIsLost(t *testing.T) {
	tr := newClient(t, "http://a.test").Traits()
	if tr.Lookup != providers.LookupNone || tr.Push != providers.PushNone || tr.Cancel != providers.CancelNone || tr.CreateToken || tr.Duplicate == "" {
		t.Errorf("traits %+v", tr)
	}
	if len(tr.Operations) != 1 || !tr.Operations[0].Changes || tr.Operations[0].Source == "" {
		t.Errorf("operations %+v", tr.Operations)
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

func TestRecordedExchanges(t *testing.T) {
	for _, x := range exchanges(t) {
		t.Run(x.Says, func(t *testing.T) {
			var head []string
			for k, v := range x.Header {
				head = append(head, k, v)
			}
			p := newProvider(t, says(x.Status, string(x.Body), head...))
			c, f := ask(t, p, x.Asked)
			got := <-p.asked
			if want := compact(t, x.Sent); got.body != want || got.path != x.Path {
				t.Errorf("sent %s\n%s\nwant %s\n%s", got.path, got.body, x.Path, want)
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

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// refusedWithoutACall holds what is true of every request that has no rendering.
func refusedWithoutACall(t *testing.T, r providers.Request, part string) {
	t.Helper()
	p := newProvider(t, says(200, good))
	c := newClient(t, p.URL)
	u, ok := c.Takes(r).(*providers.Unsupported)
	if !ok || u.Part != part || u.Reason == "" {
		t.Errorf("Takes says %v, want the part %s", u, part)
	}
	_, err := c.Complete(t.Context(), r)
	if err == nil {
		t.Fatal("the call succeeded")
	}
	if f := checked(t, err); f.Class != contracts.InvalidRequest || f.Effect != contracts.None || f.Code != "unsupported" || !strings.HasPrefix(f.Detail, part) {
		t.Errorf("got %+v", f)
	}
	if n := p.calls.Load(); n != 0 {
		t.Errorf("the provider saw %d requests", n)
	}
}

func answer(status int, body string) transport.Answer {
	return transport.Answer{Status: status, Header: http.Header{}, Body: []byte(body)}
}
