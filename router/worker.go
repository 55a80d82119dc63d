package router

import (
	"context"
	"sync"
	"time"

	"inferonce/jobstore"
)

// Run looks for jobs whose router is gone, drops index entries whose time is
// over, watches live answers for drift and makes scheduled conformance runs,
// until ctx ends. Then it drains: nothing new begins, and what is under
// way goes on until Close.
func (r *Router) Run(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { r.watch(ctx) })
	beside.Go(func() { r.canaries(ctx) })
	tick := time.NewTicker(r.Poll)
	defer tick.Stop()
	r.lookAtPrimaries(ctx)
	for shard := 0; ; shard = (shard + sweepShards) % jobstore.Shards {
		select {
		case <-ctx.Done():
			r.drainNow()
			return
		case <-tick.C:
			r.lookAround(ctx)
			r.sweep(ctx, shard)
		}
	}
}

const (
	dueBatch    = 8 // a shard and look; one shard's backlog does not starve the others
	sweepShards = 8 // a tick
	sweepBatch  = 1000
)

func (r *Router) lookAround(ctx context.Context) {
	sctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	ids, err := r.Store.Due(sctx, dueBatch)
	if err != nil {
		r.observer.Observe(Observation{Event: StoreTrouble, Code: "due", Err: err})
		return
	}
	r.lookAtPrimaries(sctx)
	r.readRests(sctx)
	for _, id := range ids {
		r.adopt(id)
	}
}

func (r *Router) sweep(ctx context.Context, from int) {
	sctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	for shard := from; shard < from+sweepShards; shard++ {
		if _, err := r.Store.Sweep(sctx, shard, sweepBatch); err != nil {
			r.observer.Observe(Observation{Event: StoreTrouble, Code: "sweep", Err: err})
			return
		}
	}
}

// Drain lets nothing new begin. Submissions are refused with ErrDraining.
func (r *Router) Drain() { r.drainNow() }

// drained gives up the next attempt: another router will make it. Answers that
// can no longer count are not waited for.
func (d *driver) drained() {
	d.after = step{}
	d.retry.Stop()
	if !d.job.State.Live() {
		d.hangUp()
	}
}

// Close drains and waits for what is under way until ctx ends. Connections
// that are still listened to are closed then, and their attempts are on record
// as unknown. It returns how many jobs that left.
func (r *Router) Close(ctx context.Context) int {
	r.drainNow()
	done := make(chan struct{})
	go func() { r.drivers.wait(); close(done) }()
	left := 0
	select {
	case <-done:
	case <-ctx.Done():
		left = r.liveFlights()
	}
	r.end()
	select {
	case <-done:
	case <-time.After(2 * storeTime):
		r.endAll()
		<-done
	}
	r.endAll()
	return left
}

func (r *Router) liveFlights() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.flights {
		if j, _, _ := f.state(); j.State.Live() {
			n++
		}
	}
	return n
}
