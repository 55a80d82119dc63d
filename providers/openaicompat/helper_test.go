package openaicompat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary is a key that must turn up nowhere but in the Authorization header.
const canary = "sk-canary/5f3c0e9a7b21"

const good = `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m-2024","choices":[{"index":0,` +
	`"message":{"role":"assistant","content":"{\"category\":\"billing\"}"},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17}}`

// provider is a server that gives one answer to everything and keeps what it was asked.
type provider struct {
	*httptest.Server
	calls atomic.Int64
	asked chan asked
}

type asked struct {
	path  string
	query string
	head  http.Header
	body  string
}

func newProvider(t *testing.T, answer http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{asked: make(chan asked, 16)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		b, _ := io.ReadAll(r.Body)
		p.asked <- asked{r.URL.Path, r.URL.RawQuery, r.Header, string(b)}
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
		io.WriteString(w, body)
	}
}

func newClient(t *testing.T, url string, traits providers.Traits) *Client {
	t.Helper()
	c, err := New(Config{BaseURL: url + "/v1", APIKey: func() string { return canary }, Traits: traits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func request() providers.Request {
	return providers.Request{Model: "m", AttemptID: "job_3f.1", Messages: []providers.Message{{Role: "user", Content: "my card is lost"}}}
}

// ask makes one call and checks what holds for every failure: its type, that
// there was one request, and that the key and the provider's words stay inside.
func ask(t *testing.T, p *provider, r providers.Request) (contracts.Completion, *contracts.Failure) {
	t.Helper()
	c, err := newClient(t, p.URL, providers.Traits{}).Complete(context.Background(), r)
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
		if strings.Contains(text, canary) {
			t.Errorf("the key is in %s: %s", name, text)
		}
	}
	if len([]rune(f.Detail)) > 300 || strings.ContainsAny(f.Detail, "\r\n") {
		t.Errorf("detail is not one short line: %q", f.Detail)
	}
	return f
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

// contextUntil is a context that ends when something has happened n times.
func contextUntil(t *testing.T, happens <-chan struct{}, n int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range n {
			select {
			case <-happens:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	}()
	return ctx, func() { cancel(); <-done }
}
