package jobstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Two things must be known of a record before a request leaves on the strength
// of it: that the store which took it is the one that took all before it, and,
// at level replicated, that a replica has it too.

var (
	// ErrNotReplicated says that a record was written and that no replica has
	// confirmed it in time. Nothing may be sent on its account.
	ErrNotReplicated = errors.New("the record is stored, but no replica has confirmed it")
	// ErrRolledBack says that the store lost something that it had acknowledged:
	// a failover to a replica that lagged behind, or a restored backup. Nothing is
	// sent until an operator says that it may go on.
	ErrRolledBack = errors.New("the store has lost acknowledged records")
)

// replicas must confirm a record at level replicated, within replicaTime. Longer
// waits hide trouble: a replica in step confirms in about a round trip.
const (
	replicas    = 1
	replicaTime = 200 * time.Millisecond
)

// promise is what one call must learn before it counts. Its commands travel
// behind the call, on the same connection: on another one, WAIT would speak of
// another one's writes.
type promise struct {
	unit string // the key of the sequence that stands for the part of the store
	low  int64  // seen before the call left
	seq  *redis.IntCmd
	wait *redis.IntCmd // nil below level replicated
	sent bool          // it has travelled behind a call of its own
}

// unrepeated is a command that go-redis never sends twice; see once.
type unrepeated struct{ *redis.IntCmd }

// NoRetry is asked by every path of go-redis that would repeat a command.
func (unrepeated) NoRetry() bool { return true }

func (s *Store) newPromise(unit string) *promise {
	ctx := context.Background()
	p := &promise{unit: unit, low: s.marks.seen(unit), seq: redis.NewIntCmd(ctx, "incr", unit)}
	if s.durability == Replicated {
		p.wait = redis.NewIntCmd(ctx, "wait", replicas, replicaTime.Milliseconds())
	}
	return p
}

// follow puts the promise's commands behind what pipe holds.
func (p *promise) follow(ctx context.Context, pipe redis.Pipeliner) {
	_ = pipe.Process(ctx, unrepeated{p.seq})
	if p.wait != nil {
		_ = pipe.Process(ctx, unrepeated{p.wait})
	}
}

// kept says whether the promise holds, once its commands have been answered.
func (s *Store) kept(p *promise) error {
	n, err := p.seq.Result()
	if err != nil {
		return fmt.Errorf("the store's sequence: %w: %w: %w", ErrUnavailable, ErrIndeterminate, err)
	}
	if n <= p.low {
		s.marks.fell(p.unit, n)
		s.reportRollback(p.unit, p.low)
		return fmt.Errorf("%w: %w", ErrIndeterminate, rolledBack(p.unit, n, p.low))
	}
	s.marks.rose(p.unit, n)
	if p.wait == nil {
		return nil
	}
	if got, err := p.wait.Result(); err != nil || got < replicas {
		return fmt.Errorf("%w: %w: %w", ErrUnavailable, ErrIndeterminate, ErrNotReplicated)
	}
	return nil
}

func rolledBack(unit string, got, low int64) error {
	return fmt.Errorf("%w: %w: sequence %s stands at %d and was at %d", ErrUnavailable, ErrRolledBack, unit, got, low)
}

// promised makes a call that must not count before its promise is kept.
func (s *Store) promised(ctx context.Context, shard int, sc script, keys []string, args ...any) ([]string, error) {
	if !s.promises {
		return s.words(ctx, sc, keys, args...)
	}
	unit := s.unit(shard)
	if err := s.standing(ctx, unit); err != nil {
		return nil, err
	}
	reply, p, err := s.runUnder(ctx, unit, sc, keys, args...)
	if err != nil {
		return nil, err
	}
	w, err := split(sc, reply)
	if err != nil {
		return nil, err
	}
	return w, s.kept(p)
}

// unit is the sequence of a shard. One server has one order of writes, so that
// one sequence stands for all of it; in a cluster every shard has its own.
func (s *Store) unit(shard int) string {
	if _, cluster := s.client.(*redis.ClusterClient); cluster {
		return s.keys.tag(shard) + "seq"
	}
	return s.keys.prefix + "seq"
}

// standing refuses what must not be begun in a part of the store that has rolled
// back, and looks whether somebody has let it go on.
func (s *Store) standing(ctx context.Context, unit string) error {
	low, fallen := s.marks.fallen(unit)
	if !fallen {
		return nil
	}
	n, err := s.client.Get(ctx, unit).Int64()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("the store's sequence: %w: %w", ErrUnavailable, err)
	}
	if n <= low {
		return rolledBack(unit, n, low)
	}
	s.marks.rose(unit, n)
	return nil
}

// marks are the highest numbers that this process has seen acknowledged.
type marks struct {
	mu   sync.Mutex
	high map[string]int64
	down map[string]bool
}

func (m *marks) seen(unit string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.high[unit]
}

func (m *marks) rose(unit string, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > m.high[unit] {
		m.high[unit] = n
		delete(m.down, unit)
	}
}

func (m *marks) fell(unit string, _ int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down[unit] = true
}

func (m *marks) fallen(unit string) (high int64, fallen bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.high[unit], m.down[unit]
}

func (m *marks) any() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.down) > 0
}

// reportRollback leaves word for operators and other routers: the highest number
// that anybody saw. If it cannot be written now, the next refused call tries again.
func (s *Store) reportRollback(unit string, high int64) {
	ctx, cancel := context.WithTimeout(context.Background(), replyTime)
	defer cancel()
	_ = s.client.ZAddArgs(ctx, s.keys.rollback(), redis.ZAddArgs{GT: true, Members: []redis.Z{{Score: float64(high), Member: unit}}}).Err()
}

// RollbackAccepted is an operator's word on rollbacks.
type RollbackAccepted struct {
	At     time.Time  `json:"at"`
	By     string     `json:"by"`
	Reason string     `json:"reason"`
	What   []Rollback `json:"what"`
}

// rollbacksKept bounds how many of them are remembered.
const rollbacksKept = 100

// RollbacksAccepted reads what was accepted before, newest first.
func (s *Store) RollbacksAccepted(ctx context.Context) ([]RollbackAccepted, error) {
	raw, err := s.client.LRange(ctx, s.keys.rollbackLog(), 0, rollbacksKept-1).Result()
	if err != nil {
		return nil, fmt.Errorf("rollbacks: %w: %w", ErrUnavailable, err)
	}
	out := make([]RollbackAccepted, 0, len(raw))
	for _, line := range raw {
		var one RollbackAccepted
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, fmt.Errorf("%w: a rollback that was accepted: %w", ErrBroken, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// Rollback is a part of the store that has lost acknowledged records.
type Rollback struct {
	Unit string `json:"unit"` // the key of its sequence
	Seen int64  `json:"seen"` // the highest number that a router saw acknowledged
	Now  int64  `json:"now"`  // where it stands
}

// Rollbacks reads what has been found and not yet been accepted.
func (s *Store) Rollbacks(ctx context.Context) ([]Rollback, error) {
	marks, err := s.client.ZRangeWithScores(ctx, s.keys.rollback(), 0, -1).Result()
	if err != nil {
		return nil, fmt.Errorf("rollbacks: %w: %w", ErrUnavailable, err)
	}
	var out []Rollback
	for _, z := range marks {
		unit := fmt.Sprint(z.Member)
		n, err := s.client.Get(ctx, unit).Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("rollbacks: %w: %w", ErrUnavailable, err)
		}
		out = append(out, Rollback{Unit: unit, Seen: int64(z.Score), Now: n})
	}
	return out, nil
}

// AcceptRollback lets work go on after a rollback, by an operator's word, and
// tells what it accepted. It raises each sequence above what any router saw, so
// that every router sees by itself that it may go on. Doing it again changes
// nothing. Who accepted what, and why, is kept. What was lost stays lost: jobs
// that are gone are unknown to the store, and their keys are free again.
func (s *Store) AcceptRollback(ctx context.Context, by, reason string) ([]Rollback, error) {
	found, err := s.Rollbacks(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	entry, err := json.Marshal(RollbackAccepted{time.Now().UTC(), by, reason, found})
	if err != nil {
		return nil, err
	}
	if err := s.client.LPush(ctx, s.keys.rollbackLog(), entry).Err(); err != nil {
		return nil, fmt.Errorf("accept the rollback: %w: %w", ErrUnavailable, err)
	}
	if err := s.client.LTrim(ctx, s.keys.rollbackLog(), 0, rollbacksKept-1).Err(); err != nil {
		return nil, fmt.Errorf("accept the rollback: %w: %w", ErrUnavailable, err)
	}
	for _, r := range found {
		if r.Now <= r.Seen {
			if err := s.client.IncrBy(ctx, r.Unit, r.Seen-r.Now+1).Err(); err != nil {
				return nil, fmt.Errorf("accept the rollback: %w: %w", ErrUnavailable, err)
			}
		}
		if err := s.client.ZRem(ctx, s.keys.rollback(), r.Unit).Err(); err != nil {
			return nil, fmt.Errorf("accept the rollback: %w: %w", ErrUnavailable, err)
		}
	}
	return found, nil
}
