package jobstore

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Watch gives a channel that is closed when the job may have changed: a hint by
// pub/sub, and because a hint can be lost, at the latest after pollEvery. Load
// tells what changed. stop must be called.
func (s *Store) Watch(id string) (changed <-chan struct{}, stop func()) {
	shard, ok := shardOfID(id)
	if !ok {
		never := make(chan struct{})
		return never, func() {}
	}
	return s.hub.watch(id, s.keys.channel(shard))
}

// pollEvery is how long a lost hint can delay a waiter.
const pollEvery = 500 * time.Millisecond

// hub shares one subscription between all waiters of this process. It
// subscribes to a shard's channel only while somebody waits there.
type hub struct {
	ps      *redis.PubSub
	mu      sync.Mutex
	jobs    map[string]*watched
	topics  map[string]int
	done    chan struct{}
	wg      sync.WaitGroup
	changes chan topicChange
}

type watched struct {
	ch    chan struct{}
	timer *time.Timer
	refs  int
}

type topicChange struct {
	name string
	join bool
}

func newHub(s *Store) *hub {
	h := &hub{ps: s.client.Subscribe(context.Background()), jobs: map[string]*watched{}, topics: map[string]int{},
		done: make(chan struct{}), changes: make(chan topicChange, 256)}
	h.wg.Go(h.subscribe)
	h.wg.Go(h.listen)
	return h
}

func (h *hub) watch(id, topic string) (<-chan struct{}, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.jobs[id]
	if w == nil {
		w = &watched{ch: make(chan struct{})}
		w.timer = time.AfterFunc(pollEvery, func() { h.wake(id, w) })
		h.jobs[id] = w
	}
	w.refs++
	if h.topics[topic]++; h.topics[topic] == 1 {
		h.change(topicChange{topic, true})
	}
	return w.ch, sync.OnceFunc(func() { h.leave(id, w, topic) })
}

func (h *hub) leave(id string, w *watched, topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.refs--; w.refs == 0 && h.jobs[id] == w {
		w.timer.Stop()
		delete(h.jobs, id)
	}
	if h.topics[topic]--; h.topics[topic] == 0 {
		delete(h.topics, topic)
		h.change(topicChange{topic, false})
	}
}

// wake closes a job's channel once; the next watcher gets a new one.
func (h *hub) wake(id string, only *watched) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w := h.jobs[id]; w != nil && (only == nil || w == only) {
		w.timer.Stop()
		delete(h.jobs, id)
		close(w.ch)
	}
}

// change hands a subscription change over without blocking: pub/sub is only a
// hint, polling is what waiters rely on.
func (h *hub) change(c topicChange) {
	select {
	case h.changes <- c:
	default:
	}
}

func (h *hub) subscribe() {
	for {
		select {
		case <-h.done:
			return
		case c := <-h.changes:
			ctx, cancel := context.WithTimeout(context.Background(), replyTime)
			if c.join {
				_ = h.ps.Subscribe(ctx, c.name)
			} else {
				_ = h.ps.Unsubscribe(ctx, c.name)
			}
			cancel()
		}
	}
}

func (h *hub) listen() {
	messages := h.ps.Channel()
	for {
		select {
		case <-h.done:
			return
		case m, ok := <-messages:
			if !ok {
				return
			}
			h.wake(m.Payload, nil)
		}
	}
}

func (h *hub) close() {
	close(h.done)
	_ = h.ps.Close()
	h.wg.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.jobs {
		w.timer.Stop()
	}
}
