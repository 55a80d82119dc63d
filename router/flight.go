package router

import (
	"context"
	"slices"
	"sync"

	"inferonce/jobstore"
)

// flight is a job under way in this router: what its driver knows of it, and
// where callers wait.
type flight struct {
	id    string
	route *Route
	// look tells the driver that the record was changed by somebody else.
	look chan struct{}

	mu      sync.Mutex
	job     jobstore.Job
	resting bool          // ended, or unknown with nothing about to start
	changed chan struct{} // closed and replaced when resting changes
}

func newFlight(j jobstore.Job, route *Route) *flight {
	return &flight{id: j.ID, route: route, job: j, look: make(chan struct{}, 1), changed: make(chan struct{})}
}

// show publishes what the driver knows.
func (f *flight) show(j jobstore.Job, resting bool) {
	j.Attempts = slices.Clone(j.Attempts)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.job = j
	f.resting = resting
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *flight) state() (j jobstore.Job, resting bool, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.job, f.resting, f.changed
}

func (f *flight) tell() {
	select {
	case f.look <- struct{}{}:
	default:
	}
}

// launch registers a job that this router now drives.
func (r *Router) launch(j jobstore.Job, route *Route) *flight {
	f := newFlight(j, route)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flights[j.ID] = f
	return f
}

func (r *Router) land(f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flights[f.id] == f {
		delete(r.flights, f.id)
	}
}

func (r *Router) flight(id string) *flight {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flights[id]
}

// snapshot is the job as this router's driver knows it, or as the store has it.
func (r *Router) snapshot(ctx context.Context, id string) (jobstore.Job, error) {
	if f := r.flight(id); f != nil {
		j, _, _ := f.state()
		return j, nil
	}
	return r.Store.Load(ctx, id)
}

// Wait waits until the job is at rest: it has ended, or is unknown with nothing
// about to start. When ctx ends first it gives the newest state, and no error.
func (r *Router) Wait(ctx context.Context, id string) (jobstore.Job, error) {
	for {
		j, resting, changed, stop, err := r.glance(ctx, id)
		if err != nil || resting {
			stop()
			return j, err
		}
		select {
		case <-changed:
			stop()
		case <-ctx.Done():
			stop()
			return j, nil
		}
	}
}

// glance looks at a job once, here or in the store, and says where to wait.
func (r *Router) glance(ctx context.Context, id string) (jobstore.Job, bool, <-chan struct{}, func(), error) {
	if f := r.flight(id); f != nil {
		j, resting, changed := f.state()
		return j, resting, changed, func() {}, nil
	}
	// Watch first, so that no change falls between reading and waiting.
	changed, stop := r.Store.Watch(id)
	sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	j, err := r.Store.Load(sctx, id)
	return j, !j.State.Live() || j.State == jobstore.JobUnknown, changed, stop, err
}
