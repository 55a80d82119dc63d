package bedrock

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestARecordedCallIsSentAndReadAsDocumented(t *testing.T) {
	var x struct {
		Path         string
		Body, Answer json.RawMessage
	}
	b, err := os.ReadFile("testdata/converse.json")
	if err != nil || json.Unmarshal(b, &x) != nil {
		t.Fatal(err)
	}
	p := newFake(t, says(200, string(x.Answer), "X-Amzn-Requestid", "req-1"))
	nought, half, told := 0.0, 0.5, 0
	c, f := ask(t, p, providers.Request{
		Model: "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.some.model-v1:0", AttemptID: "job_3f.1",
		Messages:    []providers.Message{{Role: "system", Content: "be brief"}, {Role: "user", Content: "my card is lost"}},
		Schema:      json.RawMessage(`{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"enum":["<b>"]}}}`),
		SchemaName:  "ticket-triage@1",
		Temperature: &nought, TopP: &half, Stop: []string{"END"}, MaxTokens: 64, OnFirstByte: func() { told++ },
	})
	wanted := contracts.Completion{Content: `{"zeta":"z","alpha":"<b>"}`, FinishReason: "stop", Reference: "req-1",
		Usage: contracts.Usage{InputTokens: 12, OutputTokens: 5, Reported: true}}
	if f != nil || !reflect.DeepEqual(c, wanted) {
		t.Errorf("got %+v, %v\nwant %+v", c, f, wanted)
	}
	a := <-p.asked
	if a.RequestURI != x.Path || a.Method != http.MethodPost || !sameJSON(t, a.body, string(x.Body)) {
		t.Errorf("sent %s %s %s", a.Method, a.RequestURI, a.body)
	}
	if told != 1 {
		t.Errorf("the first byte was told %d times", told)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatalf("no JSON: %s or %s", a, b)
	}
	return reflect.DeepEqual(x, y)
}

func TestOneRequestOnTheWire(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		"the connection is closed once the request was read": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, contracts.Connection, contracts.Open, "eof"},
		"a redirect with 307":                                {says(307, "", "Location", "/model/x/converse"), contracts.NotFound, contracts.None, "redirect"},
		"a redirect with 308":                                {says(308, "", "Location", "/model/x/converse"), contracts.NotFound, contracts.None, "redirect"},
		"a storm of 500":                                     {fails(500, "InternalServerException", "m"), contracts.ProviderError, contracts.Ended, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := ask(t, newFake(t, row.answer), request())
			want(t, f, row.class, row.effect, row.code)
		})
	}
	t.Run("a connection used again that closes", func(t *testing.T) {
		calls := 0
		p := newFake(t, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls > 1 {
				panic(http.ErrAbortHandler)
			}
			says(200, good)(w, r)
		})
		c := newClient(t, p.URL)
		if _, err := c.Complete(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
		_, err := c.Complete(t.Context(), request())
		if f := checked(t, err); f.Effect != contracts.Open || p.calls.Load() != 2 {
			t.Errorf("got %v after %d requests", f, p.calls.Load())
		}
	})
}

func TestTransportFailuresKeepTheirEffect(t *testing.T) {
	t.Run("a refused connection ran nothing", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = ln.Close()
		_, err = newClient(t, "http://"+ln.Addr().String()).Complete(t.Context(), request())
		want(t, checked(t, err), contracts.Connection, contracts.None, "refused")
	})
	t.Run("too late to send is none", func(t *testing.T) {
		p := newFake(t, says(200, good))
		r := request()
		r.Limits.SendBy = time.Now().Add(-time.Second)
		_, err := newClient(t, p.URL).Complete(t.Context(), r)
		want(t, checked(t, err), contracts.Connection, contracts.None, "send_window")
		if n := p.calls.Load(); n != 0 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("silence until the call is given up is open", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newFake(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
		_, err := newClient(t, p.URL).Complete(ctx, request())
		want(t, checked(t, err), contracts.Timeout, contracts.Open, "canceled")
	})
	t.Run("what Converse has no words for is never sent", func(t *testing.T) {
		p := newFake(t, says(200, good))
		r := request()
		r.Messages = nil
		_, err := newClient(t, p.URL).Complete(t.Context(), r)
		want(t, checked(t, err), contracts.InvalidRequest, contracts.None, "unsupported")
		if n := p.calls.Load(); n != 0 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("an answer over the limit ended", func(t *testing.T) {
		r := request()
		r.Limits.MaxBody = 50
		_, f := ask(t, newFake(t, says(200, good)), r)
		want(t, f, contracts.BadResponse, contracts.Ended, "too_large")
	})
}

func TestHalfAnAnswerIsNeverASuccess(t *testing.T) {
	for name, head := range map[string]string{
		"by its length":           fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(good)),
		"by its chunks":           fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", len(good)),
		"by nothing but its text": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
	} {
		for cut := 1; cut < len(good); cut += 23 {
			p := newFake(t, func(w http.ResponseWriter, _ *http.Request) {
				c, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, head+good[:cut])
				_ = c.Close()
			})
			c, f := ask(t, p, request())
			if f == nil || f.Class != contracts.Truncated || f.Effect != contracts.Ended {
				t.Errorf("cut at %d, to be seen %s: got %+v, %v", cut, name, c, f)
			}
		}
	}
}

func TestNoSecretLeavesItsHeader(t *testing.T) {
	all := strings.Join(canaries[:2], " ")
	for _, answer := range []http.HandlerFunc{
		fails(403, "InvalidSignatureException", "The Canonical String for this request should have been x-amz-security-token:"+all),
		fails(400, "ValidationException", strings.Repeat("x", 280)+all),
		fails(500, "Unheard", all),
		says(403, "<html>"+all+"</html>"),
		says(200, said(`{"text":"x"}`, all)+"x"),
		says(200, `{"error":{"message":"`+all+`"}}`),
	} {
		if _, f := ask(t, newFake(t, answer), request()); f == nil {
			t.Error("it was a success")
		} else if strings.Contains(f.Detail, "canary") {
			t.Errorf("a part of a secret is in %q", f.Detail)
		}
	}
	c, f := ask(t, newFake(t, says(200, said(`{"text":"x"}`, canaryToken), "X-Amzn-Requestid", canarySecret)), request())
	if f != nil || strings.Contains(c.FinishReason+c.Reference, "canary") {
		t.Errorf("got %+v, %v", c, f)
	}
	var log bytes.Buffer
	config := Config{BaseURL: "http://a.test", Region: "r", APIKey: func() string { return canaryKey },
		Credentials: func() Credentials { return Credentials{"AKID", canarySecret, canaryToken} }}
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	slog.New(slog.NewTextHandler(&log, nil)).Info("built", "config", config, "client", client)
	fmt.Fprintf(&log, "%v %+v %#v %v %+v %#v", config, config, config, client, client, client)
	for _, secret := range canaries {
		if strings.Contains(log.String(), secret) {
			t.Errorf("printing the client shows %s", secret)
		}
	}
}

func TestNewRefusesWhatItCanNotCall(t *testing.T) {
	for _, s := range []string{"", "bedrock-runtime.eu-central-1.amazonaws.com", "ftp://a.test", "https://user:" + canaryKey + "@a.test", "https://a.test?key=" + canaryKey} {
		if _, err := New(Config{BaseURL: s}); err == nil {
			t.Errorf("%q was taken", s)
		} else if strings.Contains(err.Error(), canaryKey) {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
	for _, region := range []string{"", "eu central", "../x"} {
		if _, err := New(Config{BaseURL: "http://a.test", Region: region, Credentials: func() Credentials { return Credentials{} }}); err == nil {
			t.Errorf("region %q was taken for a signature", region)
		}
	}
}

func TestNothingCanBeLearntOfALostCall(t *testing.T) {
	traits := newClient(t, "http://a.test").Traits()
	if traits.Lookup != providers.LookupNone || traits.Push != providers.PushNone || traits.Cancel != providers.CancelNone || traits.CreateToken {
		t.Errorf("got %+v", traits)
	}
	if len(traits.Operations) != 1 || !traits.Operations[0].Changes || traits.Operations[0].Source == "" {
		t.Errorf("operations %+v", traits.Operations)
	}
}
