package openairesponses

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary is a key that must turn up nowhere but in the Authorization header.
const canary = "sk-canary/5f3c0e9a7b21"

const created = `{"id":"resp_1","status":"queued","output":[],"error":null,"metadata":{"inferonce_attempt":"job_3f.1"}}`

// state is the response resp_1 in a status, with more members.
func state(status string, more ...string) string {
	return `{"id":"resp_1","status":"` + status + `","model":"m-2026","error":null,"metadata":{"inferonce_job":"job_3f","inferonce_attempt":"job_3f.1"}` +
		strings.Join(more, "") + `}`
}

func output(items string) string { return `,"output":[` + items + `]` }

func message(text string) string {
	return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]}`
}

// fake answers creates with one handler and looks with one after the other, the
// last of them for ever. It counts what reached it.
type fake struct {
	*httptest.Server
	mu                     sync.Mutex
	creates, looks, cancel int
	asked                  []asked
}

type asked struct {
	method, path, body string
	head               http.Header
}

func newFake(t *testing.T, create http.HandlerFunc, looks ...http.HandlerFunc) *fake {
	t.Helper()
	p := &fake{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		p.pick(asked{r.Method, r.URL.Path, string(b), r.Header}, create, looks)(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// times is how often it was asked.
func (p *fake) times() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

func (p *fake) pick(a asked, create http.HandlerFunc, looks []http.HandlerFunc) http.HandlerFunc {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, a)
	switch {
	case a.method == http.MethodPost && a.path == "/v1/responses":
		p.creates++
		return create
	case a.method == http.MethodPost:
		p.cancel++
	default:
		p.looks++
	}
	if len(looks) == 0 {
		return says(500, `{"error":{"message":"nobody should ask"}}`)
	}
	return looks[min(p.looks+p.cancel, len(looks))-1]
}

func (p *fake) counts() (creates, looks, cancels int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.creates, p.looks, p.cancel
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

func hangsUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// cuts sends the beginning of body, under a head that promises all of it.
func cuts(head, body string, at int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, head+body[:at])
		_ = c.Close()
	}
}

// framings are the heads under which a cut answer may arrive.
func framings(body string) map[string]string {
	return map[string]string{
		"by its length":           fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body)),
		"by its chunks":           fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", len(body)),
		"by nothing but its text": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
	}
}

// newClient is one whose pauses are over at once; they are kept in the returned list.
func newClient(t *testing.T, url string) (*Client, *[]time.Duration) {
	t.Helper()
	c, err := New(Config{BaseURL: url + "/v1", APIKey: func() string { return canary }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var pauses []time.Duration
	c.random = func() float64 { return 0 }
	c.after = func(d time.Duration) <-chan time.Time {
		pauses = append(pauses, d)
		over := make(chan time.Time, 1)
		over <- time.Time{}
		return over
	}
	return c, &pauses
}

func request() providers.Request {
	return providers.Request{Model: "m", AttemptID: "job_3f.1", Messages: []providers.Message{{Role: "user", Content: "my card is lost"}}}
}

// ask makes one call and checks what holds for every one: there was one create,
// and a failure keeps the key and the provider's words inside.
func ask(t *testing.T, p *fake, r providers.Request) (contracts.Completion, *contracts.Failure) {
	t.Helper()
	c, _ := newClient(t, p.URL)
	done, err := c.Complete(context.Background(), r)
	if creates, _, _ := p.counts(); creates != 1 {
		t.Errorf("the provider saw %d creates, want 1", creates)
	}
	if err == nil {
		return done, nil
	}
	return done, checked(t, err)
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

func want(t *testing.T, f *contracts.Failure, class contracts.Class, effect contracts.Effect, code string) {
	t.Helper()
	if f == nil || f.Class != class || f.Effect != effect || f.Code != code {
		t.Errorf("got %v, want %s: %s (effect %s)", f, class, code, effect)
	}
}
