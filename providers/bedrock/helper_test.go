package bedrock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The secrets must turn up nowhere; the token and the API key stand in a header each.
const (
	canarySecret = "canary/secret/9a7b21"
	canaryToken  = "canary-token-5f3c0e"
	canaryKey    = "bedrock-api-key-canary"
)

var canaries = []string{canarySecret, canaryToken, canaryKey}

// when is the time at which every test signs.
var when = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

const good = `{"output":{"message":{"role":"assistant","content":[{"text":"{\"category\":\"billing\"}"}]}},"stopReason":"end_turn",` +
	`"usage":{"inputTokens":12,"outputTokens":5,"totalTokens":17}}`

// said is an answer with this content that stopped for this reason.
func said(content, reason string) string {
	return `{"output":{"message":{"role":"assistant","content":[` + content + `]}},"stopReason":"` + reason + `"}`
}

type fake struct {
	*httptest.Server
	calls atomic.Int64
	asked chan asked
}

type asked struct {
	*http.Request
	body string
}

func newFake(t *testing.T, answer http.HandlerFunc) *fake {
	t.Helper()
	p := &fake{asked: make(chan asked, 16)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		b, _ := io.ReadAll(r.Body)
		p.asked <- asked{r, string(b)}
		answer(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func says(status int, body string, head ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// fails answers as Bedrock does: the error's name in a header, the message in the body.
func fails(status int, name, message string) http.HandlerFunc {
	return says(status, fmt.Sprintf(`{"message":%q}`, message), "X-Amzn-Errortype", name+":http://internal.amazon.com/coral/com.amazon.bedrock/")
}

func newClient(t *testing.T, base string) *Client {
	t.Helper()
	c, err := New(Config{BaseURL: base, Region: "eu-central-1", Credentials: func() Credentials {
		return Credentials{"AKIDEXAMPLE", canarySecret, canaryToken}
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.now = func() time.Time { return when }
	t.Cleanup(c.Close)
	return c
}

func request() providers.Request {
	return providers.Request{Model: "some.model-v1:0", AttemptID: "job_3f.1", Messages: []providers.Message{{Role: "user", Content: "my card is lost"}}}
}

// ask makes one call and checks what holds for every one: there was one
// request, and a failure keeps the secrets and the provider's words inside.
func ask(t *testing.T, p *fake, r providers.Request) (contracts.Completion, *contracts.Failure) {
	t.Helper()
	c, err := newClient(t, p.URL).Complete(context.Background(), r)
	if n := p.calls.Load(); n != 1 {
		t.Errorf("the provider saw %d requests, want 1", n)
	}
	if err == nil {
		return c, nil
	}
	return c, checked(t, err)
}

func checked(t *testing.T, err error) *contracts.Failure {
	t.Helper()
	var f *contracts.Failure
	if !errors.As(err, &f) || f == nil {
		t.Fatalf("error %T is no Failure: %v", err, err)
	}
	asJSON, _ := json.Marshal(f)
	for name, text := range map[string]string{"Error": err.Error(), "JSON": string(asJSON), "Detail": f.Detail} {
		for _, secret := range canaries {
			if strings.Contains(text, secret) {
				t.Errorf("a secret is in %s: %s", name, text)
			}
		}
	}
	if len([]rune(f.Detail)) > 300 || strings.ContainsAny(f.Detail, "\r\n") {
		t.Errorf("detail is not one short line: %q", f.Detail)
	}
	return f
}

func want(t *testing.T, f *contracts.Failure, class contracts.Class, effect contracts.Effect, code string) {
	t.Helper()
	if f == nil || f.Class != class || f.Effect != effect || f.Code != code {
		t.Errorf("got %v, want %s: %s (effect %s)", f, class, code, effect)
	}
}
