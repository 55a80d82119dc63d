package jobstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// collector sends the script calls of concurrent jobs together: whoever is
// waiting when a sender comes free travels in its pipeline. No timer delays
// anybody, and a pipeline holds no-repeat commands only.
type collector struct {
	client redis.UniversalClient
	wait   time.Duration // for the replies of one pipeline
	queue  chan *pending
	closed chan struct{} // nothing more is sent
	empty  chan struct{} // and nothing that was queued still waits
	wg     sync.WaitGroup
	// promise makes what travels behind calls whose records must be held against
	// the sequence unit.
	promise func(unit string) *promise
}

type pending struct {
	cmd     once
	unit    string   // "" where nothing is to be promised
	promise *promise // shared by all calls of a pipeline under one unit
	done    chan struct{}
}

const (
	senders   = 3  // more bring nothing: one Redis runs one script at a time
	batchSize = 64 // keeps one pipeline's replies well within the wait for them
)

var errNotQueued = errors.New("the call was given up before it was sent")

func newCollector(client redis.UniversalClient, wait time.Duration, promise func(string) *promise) *collector {
	c := &collector{client: client, wait: wait, promise: promise, queue: make(chan *pending, 1024), closed: make(chan struct{}), empty: make(chan struct{})}
	for range senders {
		c.wg.Go(c.send)
	}
	return c
}

// do sends cmd once and waits for its reply or for ctx. With a unit there is a
// promise behind the call, to be looked at even where the call was answered.
func (c *collector) do(ctx context.Context, cmd once, unit string) (any, *promise, error) {
	p := &pending{cmd: cmd, unit: unit, done: make(chan struct{})}
	reply, err := c.await(ctx, p)
	if err != nil {
		return nil, nil, err // whoever gave up must not look at what is still under way
	}
	return reply, p.promise, nil
}

func (c *collector) await(ctx context.Context, p *pending) (any, error) {
	cmd := p.cmd
	select {
	case c.queue <- p:
	case <-ctx.Done():
		return nil, errors.Join(errNotQueued, ctx.Err())
	case <-c.closed:
		return nil, errors.Join(errNotQueued, redis.ErrClosed)
	}
	select {
	case <-p.done:
		return cmd.Result()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.empty:
	}
	select {
	case <-p.done:
		return cmd.Result()
	default: // queued when everybody had gone
		return nil, errors.Join(errNotQueued, redis.ErrClosed)
	}
}

func (c *collector) send() {
	for {
		select {
		case <-c.closed:
			return
		case p := <-c.queue:
			c.exchange(c.batch(p))
		}
	}
}

func (c *collector) batch(first *pending) []*pending {
	batch := []*pending{first}
	for len(batch) < batchSize {
		select {
		case p := <-c.queue:
			batch = append(batch, p)
		default:
			return batch
		}
	}
	return batch
}

func (c *collector) exchange(batch []*pending) {
	ctx, cancel := context.WithTimeout(context.Background(), c.wait)
	defer cancel()
	if len(batch) == 1 && batch[0].unit == "" {
		_ = c.client.Process(ctx, batch[0].cmd)
	} else {
		c.pipe(ctx, batch)
	}
	for _, p := range batch {
		close(p.done)
	}
}

// pipe sends a batch down one connection, or one for each node of a cluster, with
// its promises behind it. Each command keeps its own error.
func (c *collector) pipe(ctx context.Context, batch []*pending) {
	pipe, made := c.client.Pipeline(), map[string]*promise{}
	for _, p := range batch {
		if p.unit != "" && made[p.unit] == nil {
			made[p.unit] = c.promise(p.unit)
		}
	}
	for _, p := range batch {
		if p.promise = made[p.unit]; p.promise == nil || !c.alone(ctx, p) {
			_ = pipe.Process(ctx, p.cmd)
		}
	}
	for _, one := range made {
		if !one.sent {
			one.follow(ctx, pipe)
		}
	}
	_, _ = pipe.Exec(ctx)
}

// alone sends a call whose promise asks for a replica to its node of a cluster:
// WAIT names no key, and only on the call's own connection does it speak of it.
func (c *collector) alone(ctx context.Context, p *pending) bool {
	cluster, ok := c.client.(*redis.ClusterClient)
	if !ok || p.promise.wait == nil {
		return false
	}
	p.promise = c.promise(p.unit)
	p.promise.sent = true
	node, err := cluster.MasterForKey(ctx, p.unit)
	if err != nil {
		p.cmd.SetErr(errors.Join(errNotQueued, err))
		return true
	}
	pipe := node.Pipeline()
	_ = pipe.Process(ctx, p.cmd)
	p.promise.follow(ctx, pipe)
	_, _ = pipe.Exec(ctx)
	if redis.HasErrorPrefix(p.cmd.Err(), "MOVED") || redis.HasErrorPrefix(p.cmd.Err(), "ASK") {
		cluster.ReloadState(ctx)
	}
	return true
}

// close ends the senders. A call still queued is answered as never sent.
func (c *collector) close() {
	close(c.closed)
	defer close(c.empty)
	c.wg.Wait()
	for {
		select {
		case p := <-c.queue:
			p.cmd.SetErr(errors.Join(errNotQueued, redis.ErrClosed))
			close(p.done)
		default:
			return
		}
	}
}
