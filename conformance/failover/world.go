package failover

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// World is the deployment as one story sees it. Like a testing.T it lives for
// one story and is used by it alone; a method that cannot do what it says ends
// the story as failed.
type World struct {
	*stage
	d         *Deployment
	api       client
	secondary string // base address of the second router

	intents []*Intent
	told    *[]ranAs // of the stories before
	restart func()   // starts the killed router
}

// Intent is something an app wants, under a key of its own.
type Intent struct {
	Key      string
	Ref      string // by which the ledger knows it
	Contract Contract
	Body     []byte
	APIKey   string // of its owner
	Job      string // its job's id, once an answer has named it
}

// Primary and Fallback are the names by which the simulator knows them.
func (w *World) Primary() string  { return w.d.Primary.provider() }
func (w *World) Fallback() string { return w.d.Fallback.provider() }

// Intent makes a new intent under a new key.
func (w *World) Intent(c Contract) *Intent {
	name := w.names.next()
	in := &Intent{Key: name, Ref: name, Contract: c, Body: body(c, c.Input(name)), APIKey: w.d.Key}
	w.intents = append(w.intents, in)
	return in
}

// SameKey makes another intent under the key of in.
func (w *World) SameKey(in *Intent) *Intent {
	other := w.Intent(in.Contract)
	other.Key = in.Key
	return other
}

func body(c Contract, input json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"contract":%q,"input":%s}`, c.Name, input)
}

func (in *Intent) request() request {
	return request{method: http.MethodPost, path: "/v1/infer", body: in.Body, header: http.Header{"Idempotency-Key": {in.Key}, "Authorization": {"Bearer " + in.APIKey}}}
}

func (in *Intent) async() request {
	r := in.request()
	r.header.Set("Prefer", "respond-async")
	return r
}

// Try makes one exchange and notes it. No answer is an answer too.
func (w *World) Try(r request) Answer {
	ctx, cancel := w.wait()
	defer cancel()
	a := w.api.do(ctx, r)
	w.note("%s %s: %s", r.method, r.path, a.line())
	return a
}

// Ask is Try where an answer must come.
func (w *World) Ask(r request) Answer {
	a := w.Try(r)
	if a.Err != nil {
		w.stop("no answer to %s %s: %v", r.method, r.path, a.Err)
	}
	return a
}

// Infer asks for an intent and waits as long as the router lets it.
func (w *World) Infer(in *Intent) Answer { return w.heard(in, w.Ask(in.request())) }

// Submit asks for an intent without waiting; its job must be accepted.
func (w *World) Submit(in *Intent) Job {
	a := w.heard(in, w.Ask(in.async()))
	w.Must(a.Job != nil && (a.Status == http.StatusAccepted || a.Status == http.StatusOK), "the job is accepted (%s)", a.line())
	return *a.Job
}

func (w *World) heard(in *Intent, a Answer) Answer {
	if id := a.jobID(); id != "" && in.Job == "" && a.code() != "idempotency_key_reused" {
		in.Job = id
	}
	return a
}

// StartAndLeave asks for an intent in the background; hangUp is the caller
// going away, gone is closed when there is nobody on the line any more.
func (w *World) StartAndLeave(in *Intent) (hangUp func(), gone <-chan struct{}) {
	ctx, cancel := w.wait()
	ended := make(chan struct{})
	w.note("POST /v1/infer, in the background")
	go func() {
		defer close(ended)
		w.api.do(ctx, in.request())
	}()
	w.later(func(context.Context) { cancel() })
	return cancel, ended
}

// AtOnce sends n identical requests at the same moment, to the given routers in
// turn, and returns all answers. sent is called when the last one is on its way.
func (w *World) AtOnce(in *Intent, n int, sent func(), bases ...string) []Answer {
	ctx, cancel := w.wait()
	defer cancel()
	answers := make([]Answer, n)
	start := make(chan struct{})
	var all, written sync.WaitGroup
	written.Add(n)
	for i := range n {
		r := in.request()
		r.base = bases[i%len(bases)]
		once := sync.OnceFunc(written.Done)
		r.sent = once
		all.Go(func() {
			defer once() // a request that could not be sent must not hold the others up
			<-start
			answers[i] = w.api.do(ctx, r)
		})
	}
	close(start)
	written.Wait()
	sent()
	all.Wait()
	w.note("%d × POST /v1/infer at once: %s", n, tally(answers))
	return answers
}
