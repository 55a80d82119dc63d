// Package adaptertest holds what is true of every adapter, whatever API it speaks:
// one call is one request, half an answer is no answer, and a key stays where it
// belongs.
package adaptertest

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

	"inferonce/contracts"
	"inferonce/providers"
)

// Canary is a key that must turn up nowhere but in its header.
const Canary = "sk-canary/5f3c0e9a7b21"

// Server is a provider that gives one answer to everything and keeps what it was asked.
type Server struct {
	*httptest.Server
	Calls atomic.Int64
	Asked chan Asked
}

// Asked is a request as it arrived.
type Asked struct {
	Path string
	Head http.Header
	Body string
}

// NewServer starts one for the length of a test.
func NewServer(t *testing.T, answer http.HandlerFunc) *Server {
	t.Helper()
	p := &Server{Asked: make(chan Asked, 16)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Calls.Add(1)
		b, _ := io.ReadAll(r.Body)
		p.Asked <- Asked{r.URL.EscapedPath(), r.Header, string(b)}
		answer(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// Says answers with a status, a body and headers.
func Says(status int, body string, head ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// Plain is a request without anything special.
func Plain() providers.Request {
	return providers.Request{Model: "m", AttemptID: "job_3f.1", Messages: []providers.Message{{Role: "user", Content: "my card is lost"}}}
}

// Checked takes an error for a Failure and checks what holds for all of them: that
// the key is not in it, and that its detail is one short line.
func Checked(t *testing.T, err error) *contracts.Failure {
	t.Helper()
	var f *contracts.Failure
	if !errors.As(err, &f) || f == nil {
		t.Fatalf("error %T is no Failure: %v", err, err)
	}
	asJSON, _ := json.Marshal(f)
	for name, text := range map[string]string{"Error": err.Error(), "JSON": string(asJSON), "Detail": f.Detail} {
		if strings.Contains(text, Canary) {
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
