package jobstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Memory is how full the fullest primary is, in bytes. Most is 0 where one has
// no bound or does not tell.
type Memory struct{ Used, Most int64 }

// Memory reads how much room the store has left.
func (s *Store) Memory(ctx context.Context) (Memory, error) {
	c, ok := s.client.(*redis.ClusterClient)
	if !ok {
		return memoryOf(ctx, s.client)
	}
	var mu sync.Mutex
	var fullest Memory
	first := true
	err := c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		m, err := memoryOf(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		if first || fuller(m, fullest) {
			fullest, first = m, false
		}
		return err
	})
	return fullest, err
}

// fuller: one without a bound comes before all others, since it is what to act on.
func fuller(a, b Memory) bool {
	if a.Most == 0 || b.Most == 0 {
		return a.Most == 0 && b.Most != 0
	}
	return float64(a.Used)/float64(a.Most) > float64(b.Used)/float64(b.Most)
}

func memoryOf(ctx context.Context, node redis.Cmdable) (Memory, error) {
	text, err := node.Info(ctx, "memory").Result()
	if err != nil {
		return Memory{}, fmt.Errorf("INFO memory: %w: %w", ErrUnavailable, err)
	}
	info := parseInfo(text)
	return Memory{Used: number(info["used_memory"]), Most: number(info["maxmemory"])}, nil
}
