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
}

type pending struct {
	cmd  once
	done chan struct{}
}

const (
	senders   = 3  // more bring nothing: one Redis runs one script at a time
	batchSize = 64 // keeps one pipeline's replies well within the wait for them
)

var errNotQueued = errors.New("the call was given up before it was sent")

func newCollector(client redis.UniversalClient, wait time.Duration) *collector {
	c := &collector{client: client, wait: wait, queue: make(chan *pending, 1024), closed: make(chan struct{}), empty: make(chan struct{})}
	for range senders {
		c.wg.Go(c.send)
	}
	return c
}

// do sends cmd once and waits for its reply or for ctx.
func (c *collector) do(ctx context.Context, cmd once) (any, error) {
	p := &pending{cmd: cmd, done: make(chan struct{})}
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
	if len(batch) == 1 {
		_ = c.client.Process(ctx, batch[0].cmd)
	} else {
		pipe := c.client.Pipeline()
		for _, p := range batch {
			_ = pipe.Process(ctx, p.cmd)
		}
		_, _ = pipe.Exec(ctx) // each command keeps its own error
	}
	for _, p := range batch {
		close(p.done)
	}
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
