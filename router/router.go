package router

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// Route says who serves a contract, and how long each part may take. Every
// limit lies within the one around it; configuration checks that.
type Route struct {
	Name         string // by which clients of chat completions ask for it; "": the contract's
	Contract     *contracts.Contract
	Primary      string
	Fallbacks    []string      // in order; each must have proved itself
	Attempts     int           // most attempts of a job, all targets together
	Budget       time.Duration // from submission to the start of the last attempt, and its answer
	Connect      time.Duration // DNS, dial and TLS
	FirstByte    time.Duration // from the start of an attempt to the first byte of its answer
	AnswerWithin time.Duration // then the attempt is unknown and the caller released
	ListenFor    time.Duration // how long the same connection is listened to in all
	Needs        time.Duration // an attempt does not start with less time left
	MaxCost      int64         // micro-USD; no further attempt begins that could bring a job over it; 0: no cap

	unfit map[string]jobstore.Excluded // targets that have no words for the contract's requests
}

// Targets lists the primary and then the fallbacks.
func (r *Route) Targets() []string { return append([]string{r.Primary}, r.Fallbacks...) }

// Config is what a Router is made of.
type Config struct {
	Store     *jobstore.Store
	Contracts *contracts.Catalog
	Providers map[string]providers.Provider
	Targets   map[string]providers.Target
	Routes    []Route
	Observer  Observer
	// Name tells this router from others in records and logs.
	Name string
	// Lease is how long a job is held without a sign of life; default 15s.
	Lease time.Duration
	// Poll is how often to look for jobs of dead routers; default 1s.
	Poll time.Duration
	// MaxInflight bounds the jobs under way in this router; default 4096.
	MaxInflight int
	// Breakers say, by target, when one that fails is left alone; the default
	// rules where none are given.
	Breakers map[string]BreakerRules
	// SuiteVersion is the only conformance suite whose reports count.
	SuiteVersion string
	// Hosts says where each provider is reached, by its name. A pass is bound to it.
	Hosts map[string]string
	// Classify judges live answers; nil: nobody looks for drift.
	Classify Classifier
	// Canary runs conformance on a schedule; off unless Every is set.
	Canary Canary
}

// Router is safe for concurrent use. Run must be running for jobs of dead
// routers to be taken over.
type Router struct {
	Config
	observer Observer
	routes   map[string]*Route // by contract name@version
	slots    map[string]chan struct{}
	guard    *guard
	life     context.Context // of every provider call
	end      context.CancelFunc
	records  context.Context // of the moves that are still owed when the calls have ended
	endAll   context.CancelFunc
	drain    chan struct{} // closed when no new work may begin
	drainNow func()
	drivers  *crew
	lookout  lookout                         // live answers that are still to be noted
	demoted  atomic.Pointer[map[string]bool] // by contract name@version: its primary is demoted

	joins   joins
	mu      sync.Mutex
	flights map[string]*flight  // by job id
	intents map[joinKey]*flight // the same, by what clients know them by
}

// New checks that the parts fit together.
func New(c Config) (*Router, error) {
	c.Lease = orDefault(c.Lease, 15*time.Second)
	c.Poll = orDefault(c.Poll, time.Second)
	c.MaxInflight = orDefault(c.MaxInflight, 4096)
	r := &Router{Config: c, observer: c.Observer, routes: map[string]*Route{}, drain: make(chan struct{}), drivers: newCrew(),
		slots: map[string]chan struct{}{}, flights: map[string]*flight{}, intents: map[joinKey]*flight{}, joins: joins{all: map[joinKey]*joint{}},
		lookout: lookout{full: make(chan struct{}, 1)}}
	if r.observer == nil {
		r.observer = nobody{}
	}
	r.life, r.end = context.WithCancel(context.Background())
	r.records, r.endAll = context.WithCancel(context.Background())
	r.drainNow = sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		close(r.drain)
	})
	for name, t := range c.Targets {
		if t.MaxConcurrency > 0 {
			r.slots[name] = make(chan struct{}, t.MaxConcurrency)
		}
	}
	r.guard = newGuard(slices.Collect(maps.Keys(c.Targets)), c.Breakers)
	for i := range c.Routes {
		route := &c.Routes[i]
		for _, t := range route.Targets() {
			if _, ok := c.Providers[c.Targets[t].Provider]; !ok {
				return nil, fmt.Errorf("route %s: target %q has no provider", route.Contract.Ref(), t)
			}
		}
		if len(route.Contract.Cases) > 0 {
			route.unfit = r.looked(route, route.Contract.Cases[0].Input)
		}
		r.routes[route.Contract.Ref()] = route
	}
	return r, nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Submit makes req one job, or finds the job that it is already. It returns as
// soon as the record is written; the work goes on whatever becomes of ctx.
// Anything it refuses leaves nothing stored and the key free.
func (r *Router) Submit(ctx context.Context, req Request) (Submitted, error) {
	route, err := r.route(req.Contract)
	if err != nil {
		return Submitted{}, err
	}
	if v := route.Contract.CheckInput(req.Input); len(v) > 0 {
		return Submitted{}, &InputError{Contract: route.Contract.Ref(), Violations: v}
	}
	if req.Key == "" {
		if len(route.Contract.Identity) == 0 {
			return Submitted{}, ErrKeyRequired
		}
		if req.Key, err = route.Contract.DeriveKey(req.Input); err != nil {
			return Submitted{}, fmt.Errorf("%w: %w", ErrKeyRequired, err)
		}
	}
	if out, ok := r.underWay(req); ok {
		return out, nil
	}
	unfit := r.unfit(route, req.Input)
	if err := r.refuseUnfit(route, unfit, req.Input); err != nil {
		return Submitted{}, err
	}
	if err := r.admit(); err != nil {
		return Submitted{}, err
	}
	defer r.drivers.release()
	out, joined, err := r.joins.do(ctx, req, func() (Submitted, error) { return r.submit(ctx, route, req, unfit) })
	if joined && err == nil {
		out.Replayed = true
		if out.flight != nil {
			out.Job, _, _ = out.flight.state()
		}
		r.see(&out.Job, Observation{Event: JobReplayed})
	}
	return out, err
}

// underWay finds the job of a request that this router makes an attempt at
// right now: its record was acknowledged, so there is nothing to ask the store.
func (r *Router) underWay(req Request) (Submitted, bool) {
	r.mu.Lock()
	f := r.intents[joinKey{req.Owner, req.Key, req.Fingerprint}]
	r.mu.Unlock()
	if f == nil {
		return Submitted{}, false
	}
	j, _, _ := f.state()
	if j.State != jobstore.JobRunning {
		return Submitted{}, false
	}
	r.see(&j, Observation{Event: JobReplayed})
	return Submitted{Job: j, Replayed: true, flight: f}, true
}

// submit writes the record and starts the driver. The send window is measured
// from before the call, so that the record's own is never the shorter one.
func (r *Router) submit(ctx context.Context, route *Route, req Request, unfit map[string]jobstore.Excluded) (Submitted, error) {
	begun := time.Now()
	id := r.Store.NewID(req.Owner, req.Key)
	// The caller may be gone by now; the record is still owed.
	sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	first, err := r.firstTarget(sctx, route, unfit)
	if err != nil {
		return Submitted{}, err
	}
	sub := r.submission(route, req, r.Targets[first])
	done, err := r.Store.Resubmit(sctx, id, sub)
	var reused *jobstore.KeyReusedError
	switch {
	case errors.As(err, &reused):
		r.observer.Observe(Observation{Event: KeyConflict, Owner: req.Owner, Job: reused.JobID, Contract: sub.Contract})
		return Submitted{}, err
	case errors.Is(err, jobstore.ErrIndeterminate):
		r.drivers.run(func() { r.findOut(route, id, sub) })
		return Submitted{}, err
	case err != nil:
		return Submitted{}, err
	case done.Created:
		f := r.launch(done.Job, route)
		r.see(&done.Job, Observation{Event: JobSubmitted})
		r.drive(f, begun.Add(sub.First.SendWithin))
		return Submitted{Job: done.Job, flight: f}, nil
	}
	out, err := r.replay(sctx, done.ID)
	if err == nil {
		r.see(&out.Job, Observation{Event: JobReplayed})
	}
	return out, err
}

// replay finds the job that a key stands for already. While this router makes
// an attempt at it, its driver knows best. Otherwise the record does: an unknown
// job may have been settled through another router.
func (r *Router) replay(ctx context.Context, id string) (Submitted, error) {
	f := r.flight(id)
	var known jobstore.Job
	if f != nil {
		if known, _, _ = f.state(); known.State == jobstore.JobRunning {
			return Submitted{Job: known, Replayed: true, flight: f}, nil
		}
	}
	j, err := r.Store.Load(ctx, id)
	if err != nil {
		return Submitted{}, err
	}
	if f != nil && (j.State != known.State || j.Version != known.Version || j.Epoch != known.Epoch) {
		f.tell()
		f = nil
	}
	return Submitted{Job: j, Replayed: true, flight: f}, nil
}

// storeTime bounds a move that must be made although its caller may be gone.
const storeTime = 3 * time.Second

func (r *Router) submission(route *Route, req Request, t providers.Target) jobstore.Submission {
	budget := route.Budget
	if req.Budget > 0 {
		budget = min(budget, req.Budget)
	}
	return jobstore.Submission{Owner: req.Owner, Key: req.Key, Fingerprint: req.Fingerprint,
		Contract: route.Contract.Ref(), Digest: route.Contract.Digest, Route: route.Contract.Name,
		Intent: req.Intent, Budget: budget, Lease: r.Lease, Holder: r.Name,
		First: &jobstore.Start{Target: t.Name, Provider: t.Provider, Model: t.Model, SendWithin: sendWindow(route)}}
}

// findOut asks again after a submission whose reply was lost twice. If the job
// was created, its attempt was never sent and never will be under that record,
// so it is settled as such and the job goes on.
func (r *Router) findOut(route *Route, id string, sub jobstore.Submission) {
	done := jobstore.Submitted{}
	err := r.untilStored(func() (err error) {
		ctx, cancel := r.storeContext()
		defer cancel()
		done, err = r.Store.Resubmit(ctx, id, sub)
		return err
	})
	if err == nil && done.Created {
		r.drive(r.launch(done.Job, route), time.Now().Add(-time.Second))
	}
}

// admit lets one more piece of work begin. Who was admitted counts as a driver
// until drivers.release, so that Close cannot miss what it goes on to start.
func (r *Router) admit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining() {
		return ErrDraining
	}
	if len(r.flights) >= r.MaxInflight {
		return ErrBusy
	}
	r.drivers.hold()
	return nil
}

func (r *Router) draining() bool {
	select {
	case <-r.drain:
		return true
	default:
		return false
	}
}

func (r *Router) route(ref string) (*Route, error) {
	c, err := r.Contracts.Get(ref)
	if err != nil {
		return nil, err
	}
	if route, ok := r.routes[c.Ref()]; ok {
		return route, nil
	}
	e := &NoRouteError{Contract: c.Ref()}
	for ref := range r.routes {
		e.Known = append(e.Known, ref)
	}
	slices.Sort(e.Known)
	return nil, e
}

// Get reads a job of an owner. Somebody else's job is ErrNotFound, like one
// that does not exist.
func (r *Router) Get(ctx context.Context, owner, id string) (jobstore.Job, error) {
	j, err := r.Store.Load(ctx, id)
	if err == nil && j.Owner != owner {
		return jobstore.Job{}, jobstore.ErrNotFound
	}
	return j, err
}

// List reads an owner's jobs, newest first.
func (r *Router) List(ctx context.Context, owner string, state jobstore.JobState, after string, limit int) (jobstore.Page, error) {
	return r.Store.List(ctx, owner, state, after, limit)
}

// Unknown reads the jobs of all owners that are unknown, longest first.
func (r *Router) Unknown(ctx context.Context, after string, limit int) (jobstore.Page, error) {
	return r.Store.Unknown(ctx, after, limit)
}

// Health tells how ready the router is; its error is the store's.
func (r *Router) Health(ctx context.Context) (Health, error) {
	h := Health{Draining: r.draining()}
	r.mu.Lock()
	h.Inflight = len(r.flights)
	r.mu.Unlock()
	var err error
	h.Store, err = r.Store.Ping(ctx)
	return h, err
}

func random() float64 { return rand.Float64() }
