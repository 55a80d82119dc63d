package jobstore

import (
	"net"
	"sync"
)

// buffered is a connection whose writes do not wait for the reader. An
// in-memory pipe has no buffer of its own, so a pipeline and its replies would
// wait for each other.
type buffered struct {
	net.Conn
	mu      sync.Mutex
	ready   *sync.Cond
	waiting []byte
	err     error
}

func newBuffered(c net.Conn) *buffered {
	b := &buffered{Conn: c}
	b.ready = sync.NewCond(&b.mu)
	go b.pump()
	return b
}

func (b *buffered) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, b.err
	}
	b.waiting = append(b.waiting, p...)
	b.ready.Signal()
	return len(p), nil
}

func (b *buffered) pump() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.err == nil {
		if len(b.waiting) == 0 {
			b.ready.Wait()
			continue
		}
		out := b.waiting
		b.waiting = nil
		b.mu.Unlock()
		_, err := b.Conn.Write(out)
		b.mu.Lock()
		if err != nil {
			b.err = err
		}
	}
}

func (b *buffered) Close() error {
	b.mu.Lock()
	if b.err == nil {
		b.err = net.ErrClosed
	}
	b.ready.Signal()
	b.mu.Unlock()
	return b.Conn.Close()
}
