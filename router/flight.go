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
	status  flightStatus
	changed chan struct{} // closed and replaced when job or status changes
}

// flightStatus says what waiters are waiting for.
type flightStatus int

const (
	flying   flightStatus = iota // something is under way or about to start
	resting                      // ended, or unknown with nothing about to start
	gaveAway                     // another router drives the job
)

func rests(yes bool) flightStatus {
	if yes {
		return resting
	}
	return flying
}

func newFlight(j jobstore.Job, route *Route) *flight {
	return &flight{id: j.ID, route: route, job: j, look: make(chan struct{}, 1), changed: make(chan struct{})}
}

// show publishes what the driver knows.
func (f *flight) show(j jobstore.Job, status flightStatus) {
	j.Attempts = slices.Clone(j.Attempts)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.job = j
	f.status = status
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *flight) state() (jobstore.Job, flightStatus, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.job, f.status, f.changed
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
	r.intents[keyOf(&j)] = f
	return f
}

func keyOf(j *jobstore.Job) joinKey { return joinKey{j.Owner, j.Key, j.Fingerprint} }

func (r *Router) land(f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flights[f.id] == f {
		delete(r.flights, f.id)
		delete(r.intents, keyOf(&f.job)) // these fields of a job never change
	}
}

func (r *Router) flight(id string) *flight {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flights[id]
}

// Wait waits until a submitted job is at rest: it has ended, or is unknown with
// nothing about to start. When ctx ends first it gives the newest state, and no
// error.
func (r *Router) Wait(ctx context.Context, s Submitted) (jobstore.Job, error) {
	if s.flight != nil {
		if j, gone := s.flight.wait(ctx); !gone {
			return j, nil
		}
	}
	return r.waitStored(ctx, s.Job.ID)
}

// wait waits for this router's driver. gone means that another router drives
// the job now.
func (f *flight) wait(ctx context.Context) (j jobstore.Job, gone bool) {
	for {
		j, status, changed := f.state()
		if status != flying {
			return j, status == gaveAway
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return j, false
		}
	}
}

// waitStored waits for a job that another router drives, or nobody.
func (r *Router) waitStored(ctx context.Context, id string) (jobstore.Job, error) {
	for {
		// Watch first, so that no change falls between reading and waiting.
		changed, stop := r.Store.Watch(id)
		sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
		j, err := r.Store.Load(sctx, id)
		cancel()
		if err != nil || !j.State.Live() || j.State == jobstore.JobUnknown {
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
