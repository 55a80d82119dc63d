package router

import (
	"context"
	"sync"
)

// joins lets requests that are the same at the same moment share one call to
// the store. Two thousand clicks then cost the store one script call, and none
// of them waits behind the others. The store alone decides still: a request
// that joins gets what the store said to the one that asked, which holds for
// both, since a job that exists goes on existing.
type joins struct {
	mu  sync.Mutex
	all map[joinKey]*joint
}

// joinKey is what makes two requests the same: the same intent under the same
// owner's key. Another intent under that key asks for itself, and is refused.
type joinKey struct{ owner, key, fingerprint string }

type joint struct {
	done chan struct{}
	out  Submitted
	err  error
}

// do asks for req, or joins who is asking already.
func (j *joins) do(ctx context.Context, req Request, ask func() (Submitted, error)) (out Submitted, joined bool, err error) {
	k := joinKey{req.Owner, req.Key, req.Fingerprint}
	j.mu.Lock()
	if other := j.all[k]; other != nil {
		j.mu.Unlock()
		select {
		case <-other.done:
			return other.out, true, other.err
		case <-ctx.Done():
			return Submitted{}, true, ctx.Err()
		}
	}
	mine := &joint{done: make(chan struct{})}
	j.all[k] = mine
	j.mu.Unlock()
	mine.out, mine.err = ask()
	j.mu.Lock()
	delete(j.all, k)
	j.mu.Unlock()
	close(mine.done)
	return mine.out, false, mine.err
}
