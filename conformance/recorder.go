package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// Recorder is a Provider that passes every call on and writes down what came
// of it. It is safe for concurrent use.
type Recorder struct {
	providers.Provider
	redact *Redactor

	mu     sync.Mutex
	out    *json.Encoder
	counts map[string]int
	err    error // the first failure to write
}

// NewRecorder writes head to w, and after it every exchange with p as it ends,
// without the secrets and anything else that has the shape of a key.
func NewRecorder(w io.Writer, head Recording, p providers.Provider, secrets ...string) *Recorder {
	r := &Recorder{Provider: p, redact: NewRedactor(secrets...), out: json.NewEncoder(w), counts: map[string]int{}}
	r.out.SetEscapeHTML(false)
	r.err = r.out.Encode(head)
	return r
}

// Complete makes the call. One that was cancelled leaves no line: it says
// nothing about the provider.
func (r *Recorder) Complete(ctx context.Context, q providers.Request) (contracts.Completion, error) {
	got, err := r.Provider.Complete(ctx, q)
	if errors.Is(ctx.Err(), context.Canceled) {
		return got, err
	}
	digest, bad := requestDigest(q)
	r.mu.Lock()
	defer r.mu.Unlock()
	if bad != nil {
		r.note(bad)
		return got, err
	}
	r.counts[digest]++
	x := recordedExchange{Time: time.Now().UTC(), Request: digest, N: r.counts[digest]}
	r.fill(&x, got, err)
	r.note(r.out.Encode(x))
	return got, err
}

func (r *Recorder) fill(x *recordedExchange, got contracts.Completion, err error) {
	if err != nil {
		f := contracts.Failure{Class: contracts.Internal, Effect: contracts.Open}
		if e, ok := errors.AsType[*contracts.Failure](err); ok {
			f = *e
		}
		f.Detail = "" // the provider's own words; nothing is judged by them
		r.redact.failure(&f)
		x.Failure = &f
		return
	}
	x.Answer = &recordedAnswer{r.redact.Text(got.Content), r.calls(got.ToolCalls), r.redact.Text(got.Model),
		r.redact.Text(got.FinishReason), got.Usage.InputTokens, got.Usage.OutputTokens, got.Usage.Reported, r.redact.Text(got.SystemFingerprint)}
	x.Redacted = x.Answer.Content != got.Content || x.Answer.Model != got.Model || !slices.Equal(x.Answer.Calls, got.ToolCalls)
}

// calls are tool calls without secrets.
func (r *Recorder) calls(in []contracts.ToolCall) (out []contracts.ToolCall) {
	for _, c := range in {
		c.Name, c.Arguments = r.redact.Text(c.Name), r.redact.Text(c.Arguments)
		out = append(out, c)
	}
	return out
}

func (r *Recorder) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Err says whether the recording is whole: the first failure to write a line.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Reproduce asks the provider that is recorded.
func (r *Recorder) Reproduce(q providers.Request) string { return reproduceBy(r.Provider, q) }

func reproduceBy(p providers.Provider, q providers.Request) string {
	if able, ok := p.(providers.Reproducer); ok {
		return able.Reproduce(q)
	}
	return ""
}
