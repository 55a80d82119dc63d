package router

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// scripted is a provider whose calls are answered by a function; it keeps what
// really ran.
type scripted struct {
	mu     sync.Mutex
	calls  []string // attempt ids, in order
	answer func(ctx context.Context, r providers.Request) (contracts.Completion, error)
}

func (s *scripted) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	s.mu.Lock()
	s.calls = append(s.calls, r.AttemptID)
	answer := s.answer
	s.mu.Unlock()
	return answer(ctx, r)
}

func (s *scripted) Traits() providers.Traits { return providers.Traits{} }

func (s *scripted) ran() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

type reply = func(ctx context.Context, r providers.Request) (contracts.Completion, error)

// good answers at once with a valid output.
func good(context.Context, providers.Request) (contracts.Completion, error) { return okay, nil }

var okay = contracts.Completion{Content: `{"category":"card","urgent":true}`, Model: "m", FinishReason: "stop"}

// after answers later, whoever still listens.
func after(d time.Duration, then reply) reply {
	return func(ctx context.Context, r providers.Request) (contracts.Completion, error) {
		select {
		case <-time.After(d):
			return then(ctx, r)
		case <-ctx.Done():
			return contracts.Completion{}, &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open, Code: "gone"}
		}
	}
}

func fails(f contracts.Failure) reply {
	return func(context.Context, providers.Request) (contracts.Completion, error) {
		return contracts.Completion{}, &f
	}
}

func says(content string) reply {
	return func(context.Context, providers.Request) (contracts.Completion, error) {
		return contracts.Completion{Content: content}, nil
	}
}

// inTurn gives one reply a call, and the last one from then on.
func inTurn(replies ...reply) reply {
	var mu sync.Mutex
	return func(ctx context.Context, r providers.Request) (contracts.Completion, error) {
		mu.Lock()
		next := replies[0]
		if len(replies) > 1 {
			replies = replies[1:]
		}
		mu.Unlock()
		return next(ctx, r)
	}
}

// world is a router over an embedded store, in fake time.
type world struct {
	t        *testing.T
	store    *jobstore.Store
	embedded *jobstore.Embedded
	router   *Router
	config   Config
	a, b     *scripted
	seen     *recorder
	stop     []func()
}

type recorder struct {
	mu   sync.Mutex
	list []Observation
}

func (r *recorder) Observe(o Observation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, o)
}

func (r *recorder) count(e Event) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.list {
		if o.Event == e {
			n++
		}
	}
	return n
}

// inWorld runs a story in a bubble of fake time.
func inWorld(t *testing.T, story func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.close()
		story(w)
	})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	catalog, err := contracts.LoadDir(os.DirFS("../configs/contracts"), ".")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, embedded: jobstore.NewEmbedded(), a: &scripted{answer: good}, b: &scripted{answer: good}, seen: &recorder{}}
	w.store = w.open()
	w.config = Config{Store: w.store, Contracts: catalog, Observer: w.seen, Name: "router-1", SuiteVersion: "test", Poll: 5 * time.Second,
		Providers: map[string]providers.Provider{"a": w.a, "b": w.b},
		Targets:   map[string]providers.Target{"a": {Name: "a", Provider: "a", Model: "ma"}, "b": {Name: "b", Provider: "b", Model: "mb"}}}
	for _, ref := range catalog.Refs() {
		c, _ := catalog.Get(ref)
		w.config.Routes = append(w.config.Routes, Route{Contract: c, Primary: "a", Fallbacks: []string{"b"}, Attempts: 3,
			Budget: 30 * time.Second, Connect: 2 * time.Second, FirstByte: 10 * time.Second, AnswerWithin: 20 * time.Second,
			ListenFor: 10 * time.Minute, Needs: time.Second})
	}
	w.router = w.start("router-1", w.store)
	return w
}

func (w *world) open() *jobstore.Store {
	w.t.Helper()
	s, err := jobstore.Open(context.Background(), w.embedded.Options())
	if err != nil {
		w.t.Fatal(err)
	}
	w.stop = append(w.stop, func() { _ = s.Close() })
	return s
}

// cable is a connection to the store that can be pulled and plugged in again.
type cable struct{ out atomic.Bool }

type wire struct {
	net.Conn
	cable *cable
}

func (w wire) Write(p []byte) (int, error) {
	if w.cable.out.Load() {
		return 0, net.ErrClosed
	}
	return w.Conn.Write(p)
}

func (w *world) openBy(c *cable) *jobstore.Store {
	w.t.Helper()
	o := w.embedded.Options()
	dial := o.Dialer
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if c.out.Load() {
			return nil, net.ErrClosed
		}
		conn, err := dial(ctx, network, addr)
		return wire{conn, c}, err
	}
	s, err := jobstore.Open(context.Background(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.stop = append(w.stop, func() { _ = s.Close() })
	return s
}

// start runs another router on a store.
func (w *world) start(name string, s *jobstore.Store) *Router {
	w.t.Helper()
	c := w.config
	c.Name, c.Store = name, s
	r, err := New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	w.stop = append(w.stop, func() {
		cancel()
		<-done
		gone, end := context.WithCancel(context.Background())
		end()
		r.Close(gone)
	})
	return r
}

func (w *world) close() {
	for _, f := range slices.Backward(w.stop) {
		f()
	}
	w.embedded.Close()
}

// prove makes target b a proven fallback for every contract.
func (w *world) prove() {
	w.t.Helper()
	for _, c := range w.config.Contracts.All() {
		if _, err := w.router.AcceptReport(context.Background(), report(c, "b", contracts.Pass), "ci"); err != nil {
			w.t.Fatal(err)
		}
	}
}

func report(c *contracts.Contract, target string, v contracts.Verdict, with ...func(*contracts.Report)) []byte {
	r := contracts.Report{SchemaVersion: contracts.ReportSchema, SuiteVersion: "test", ID: "rep-" + c.Ref() + target + string(v) + fmt.Sprint(time.Now().UnixNano()),
		Mode: "certify", Contract: contracts.ReportContract{Name: c.Name, Version: c.Version, Digest: c.Digest}, Target: target, Provider: target,
		Model: contracts.ReportModel{Asked: "m" + target}, Finished: time.Now(), Verdict: v, Totals: contracts.ReportTotals{Runs: 3},
		Checks: []contracts.ReportCheck{{ID: "STR-01"}}}
	for _, f := range with {
		f(&r)
	}
	b, _ := json.Marshal(r)
	return b
}

func request(contract, key string) Request {
	body := fmt.Sprintf(`{"contract":%q,"input":{"text":"my card is gone"}}`, contract)
	canonical, err := contracts.Canonical([]byte(body))
	if err != nil {
		panic(err)
	}
	return Request{Owner: "acme", Key: key, Contract: contract, Input: json.RawMessage(`{"text":"my card is gone"}`),
		Intent: canonical, Fingerprint: contracts.Fingerprint("POST", "/v1/infer", canonical)}
}

// infer submits and waits until the job is at rest or d is over.
func (w *world) infer(r *Router, contract, key string, d time.Duration) jobstore.Job {
	w.t.Helper()
	s, err := r.Submit(context.Background(), request(contract, key))
	if err != nil {
		w.t.Fatalf("submit: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	j, err := r.Wait(ctx, s)
	if err != nil {
		w.t.Fatalf("wait: %v", err)
	}
	return j
}

// stored reads the job as the store has it.
func (w *world) stored(id string) jobstore.Job {
	w.t.Helper()
	j, err := w.store.Load(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

// expect compares a job with a line such as "succeeded by 2: a failed, b succeeded".
func (w *world) expect(j jobstore.Job, want string) {
	w.t.Helper()
	if got := line(j); got != want {
		w.t.Errorf("job is %q, want %q", got, want)
	}
}

func line(j jobstore.Job) string {
	s := string(j.State)
	if j.CompletedBy > 0 {
		s += fmt.Sprintf(" by %d", j.CompletedBy)
	}
	if j.Error != nil {
		s += " " + j.Error.Code
	}
	var attempts []string
	for _, a := range j.Attempts {
		attempts = append(attempts, a.Target+" "+string(a.State))
	}
	return s + ": " + strings.Join(attempts, ", ")
}
