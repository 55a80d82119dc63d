package jobstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// RefusedError says why a Redis cannot keep the promises made on it, and what
// to do about it.
type RefusedError struct{ Reason, Fix string }

func (e *RefusedError) Error() string { return "the store is refused: " + e.Reason + "; " + e.Fix }

// checkServer reads what every primary says of itself and refuses what breaks a promise.
func (s *Store) checkServer(ctx context.Context) error {
	if err := s.checkShards(ctx); err != nil {
		return err
	}
	if c, ok := s.client.(*redis.ClusterClient); ok {
		var mu sync.Mutex // the client calls back from several goroutines
		return c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			mu.Lock()
			defer mu.Unlock()
			return s.checkNode(ctx, node)
		})
	}
	return s.checkNode(ctx, s.client)
}

func (s *Store) checkNode(ctx context.Context, node redis.Cmdable) error {
	info, err := node.Info(ctx).Result()
	if err != nil {
		return fmt.Errorf("INFO: %w: %w", ErrUnavailable, err)
	}
	known := parseInfo(info)
	// The embedded store, also when another process serves it, has no version.
	s.embedded = known["redis_version"] == ""
	fsync := ""
	if c, err := node.ConfigGet(ctx, "appendfsync").Result(); err == nil {
		fsync = c["appendfsync"]
	}
	return judge(known, fsync, s.durability)
}

func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if k, v, ok := strings.Cut(strings.TrimRight(line, "\r"), ":"); ok {
			info[k] = v
		}
	}
	return info
}

// judge is the pure part: what a server says against what the level needs.
// fsync is "" where the server does not tell.
func judge(info map[string]string, fsync string, level Durability) error {
	major, _ := strconv.Atoi(strings.Split(info["redis_version"], ".")[0])
	aof := info["aof_enabled"] == "1"
	switch {
	case info["redis_version"] == "" && level == Volatile:
		return nil
	case info["redis_version"] == "":
		return &RefusedError{"it is the embedded store, which loses everything at exit", "use Redis, or choose durability: volatile"}
	case major < 7:
		return &RefusedError{"it is version " + info["redis_version"], "use Redis 7.0 or newer, or Valkey"}
	case info["role"] != "" && info["role"] != "master":
		return &RefusedError{"it is a replica", "give the address of the primary, or the sentinels"}
	case info["maxmemory_policy"] != "" && info["maxmemory_policy"] != "noeviction":
		return &RefusedError{"maxmemory-policy is " + info["maxmemory_policy"] + ", which drops idempotency keys when memory is short",
			"CONFIG SET maxmemory-policy noeviction"}
	case level != Volatile && !aof:
		return &RefusedError{"it keeps no append-only file, so a restart loses acknowledged jobs",
			"CONFIG SET appendonly yes, or accept the loss with durability: volatile"}
	case level == Replicated && (info["connected_slaves"] == "" || info["connected_slaves"] == "0"):
		return &RefusedError{"durability replicated needs a replica, and none is connected",
			"connect one, and set min-replicas-to-write 1 and min-replicas-max-lag 5, or choose durability: strict"}
	case level == Strict && fsync != "always":
		return &RefusedError{"durability strict needs appendfsync always, and it is " + strconv.Quote(fsync),
			"CONFIG SET appendfsync always, or choose durability: single"}
	}
	return nil
}

// checkShards stores the number of shards at first use. Another number would
// look for every job in the wrong place.
func (s *Store) checkShards(ctx context.Context) error {
	if err := s.client.SetNX(ctx, s.keys.shards(), Shards, 0).Err(); err != nil {
		return fmt.Errorf("connect: %w: %w", ErrUnavailable, err)
	}
	n, err := s.client.Get(ctx, s.keys.shards()).Int()
	if err != nil {
		return fmt.Errorf("read the shard count: %w: %w", ErrUnavailable, err)
	}
	if n != Shards {
		return &RefusedError{fmt.Sprintf("its jobs are spread over %d shards, and this program uses %d", n, Shards),
			"use the program version that wrote them, or another prefix"}
	}
	return nil
}

// Health is what the store says of itself.
type Health struct {
	Durability Durability
	Embedded   bool
	RoundTrip  time.Duration
	ClockSkew  time.Duration // the server's clock less ours
}

// Ping checks the store with a real write and tells how it is.
func (s *Store) Ping(ctx context.Context) (Health, error) {
	h := Health{Durability: s.durability, Embedded: s.embedded}
	begin := time.Now()
	if err := s.client.Set(ctx, s.keys.prefix+"ready", "1", time.Hour).Err(); err != nil {
		return h, fmt.Errorf("ping: %w: %w", ErrUnavailable, err)
	}
	h.RoundTrip = time.Since(begin)
	now, err := s.client.Time(ctx).Result()
	if err != nil {
		return h, fmt.Errorf("ping: %w: %w", ErrUnavailable, err)
	}
	h.ClockSkew = now.Sub(begin.Add(time.Since(begin) / 2))
	return h, nil
}
