package jobstoretest

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"inferonce/jobstore"

	"github.com/redis/go-redis/v9"
)

// Place is one test's corner of a server: a prefix of its own, a store whose
// messages can be lost to order, and a second way in to look at the data. A
// slow machine loses no message: it waits as long as the test may take.
type Place struct {
	Store  *jobstore.Store
	Faults *Faults
	Raw    redis.UniversalClient
	Prefix string
	Opts   jobstore.Options
}

// testTime bounds one test's calls. A test that needs it has failed.
const testTime = time.Minute

// NewPlace opens a corner for the length of a test, and empties it afterwards.
func NewPlace(t testing.TB, o jobstore.Options) *Place {
	t.Helper()
	p := &Place{Faults: NewFaults(o.Dialer), Prefix: "t" + strings.ToLower(rand.Text()[:12]) + ":", Opts: o}
	p.Raw = connect(o)
	p.Opts.Prefix, p.Opts.Dialer, p.Opts.ReplyTime = p.Prefix, p.Faults.Dial, testTime
	p.Store = p.Open(t, p.Opts)
	t.Cleanup(func() {
		p.empty(t)
		_ = p.Raw.Close()
	})
	return p
}

// Open opens a further store in the same corner.
func (p *Place) Open(t testing.TB, o jobstore.Options) *jobstore.Store {
	t.Helper()
	s, err := jobstore.Open(Context(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	p.Faults.Names(s.ScriptNames())
	return s
}

// Context is a test's context with an end.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	t.Cleanup(cancel)
	return ctx
}

func connect(o jobstore.Options) redis.UniversalClient {
	u := &redis.UniversalOptions{Addrs: o.Addrs, IsClusterMode: o.Cluster, Dialer: o.Dialer, DisableIdentity: true, PoolSize: 4,
		ReadTimeout: testTime, WriteTimeout: testTime}
	if o.URL != "" {
		u.Addrs = []string{strings.TrimPrefix(o.URL, "redis://")}
	}
	if len(u.Addrs) == 0 {
		u.Addrs = []string{"embedded"}
	}
	return redis.NewUniversalClient(u)
}

// keys are all keys of the corner.
func (p *Place) keys(ctx context.Context) ([]string, error) {
	var mu sync.Mutex
	var keys []string
	scan := func(ctx context.Context, node redis.Cmdable) error {
		it := node.Scan(ctx, 0, p.Prefix+"*", 10_000).Iterator()
		for it.Next(ctx) {
			mu.Lock()
			keys = append(keys, it.Val())
			mu.Unlock()
		}
		return it.Err()
	}
	var err error
	if c, ok := p.Raw.(*redis.ClusterClient); ok {
		err = c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return scan(ctx, node) })
	} else {
		err = scan(ctx, p.Raw)
	}
	slices.Sort(keys)
	return slices.Compact(keys), err
}

// empty removes everything from the corner but the sequences: a store that finds
// one of them lower than it was says, rightly, that records were lost.
func (p *Place) empty(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	keys, err := p.keys(ctx)
	keys = slices.DeleteFunc(keys, isSequence)
	if err == nil && len(keys) > 0 {
		pipe := p.Raw.Pipeline()
		for _, k := range keys {
			pipe.Del(ctx, k)
		}
		_, err = pipe.Exec(ctx)
	}
	if err != nil {
		t.Errorf("empty the corner: %v", err)
	}
}

// Dump is all data of the corner: each key with its type, its content in full,
// and whether it will expire. The sequences that calls are counted by are left
// out: they count refused calls too.
func (p *Place) Dump(t testing.TB) map[string]string {
	t.Helper()
	ctx := Context(t)
	keys, err := p.keys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	pipe := p.Raw.Pipeline()
	kinds, ttls := make([]*redis.StatusCmd, len(keys)), make([]*redis.DurationCmd, len(keys))
	for i, k := range keys {
		kinds[i], ttls[i] = pipe.Type(ctx, k), pipe.PTTL(ctx, k)
	}
	if _, err := pipe.Exec(ctx); err != nil && len(keys) > 0 {
		t.Fatal(err)
	}
	pipe = p.Raw.Pipeline()
	reads := make([]func() string, len(keys))
	for i, k := range keys {
		reads[i] = content(ctx, pipe, kinds[i].Val(), k)
	}
	if _, err := pipe.Exec(ctx); err != nil && len(keys) > 0 {
		t.Fatal(err)
	}
	dump := map[string]string{}
	for i, k := range keys {
		if isSequence(k) {
			continue
		}
		life := "for ever"
		if ttls[i].Val() >= 0 {
			life = "expires"
		}
		dump[k] = kinds[i].Val() + " " + life + " " + reads[i]()
	}
	return dump
}

func isSequence(key string) bool { return strings.HasSuffix(key, "seq") }

func content(ctx context.Context, pipe redis.Pipeliner, kind, key string) func() string {
	switch kind {
	case "string":
		c := pipe.Get(ctx, key)
		return func() string { return strconv.Quote(c.Val()) }
	case "hash":
		c := pipe.HGetAll(ctx, key)
		return func() string {
			var b strings.Builder
			for _, field := range slices.Sorted(maps.Keys(c.Val())) {
				b.WriteString(field + "=" + strconv.Quote(c.Val()[field]) + " ")
			}
			return b.String()
		}
	case "zset":
		c := pipe.ZRangeWithScores(ctx, key, 0, -1)
		return func() string { return fmt.Sprint(c.Val()) }
	case "list":
		c := pipe.LRange(ctx, key, 0, -1)
		return func() string { return fmt.Sprintf("%q", c.Val()) }
	case "stream":
		c := pipe.XRange(ctx, key, "-", "+")
		return func() string { return fmt.Sprint(c.Val()) }
	}
	return func() string { return "gone" }
}

// Difference tells what changed between two dumps, "" for nothing.
func Difference(before, after map[string]string) string {
	var out strings.Builder
	for k, v := range before {
		if after[k] != v {
			fmt.Fprintf(&out, "%s\n  was %s\n  is  %s\n", k, v, after[k])
		}
	}
	for k, v := range after {
		if _, was := before[k]; !was {
			fmt.Fprintf(&out, "%s\n  was absent\n  is  %s\n", k, v)
		}
	}
	return out.String()
}

// Until tries something again until it holds. Only for what takes time by its
// nature: a retention that passes, a server that comes back.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx := Context(t)
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("never came true: %s", what)
		}
	}
}

// flush empties the script cache of every server.
func (p *Place) flush(t testing.TB) {
	t.Helper()
	ctx := Context(t)
	var err error
	if c, ok := p.Raw.(*redis.ClusterClient); ok {
		err = c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return node.ScriptFlush(ctx).Err() })
	} else {
		err = p.Raw.ScriptFlush(ctx).Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// kindOf is the part of a key that says what it holds: "job", "idem", "due".
func kindOf(key string) string {
	_, rest, _ := strings.Cut(key, "}:")
	kind, _, _ := strings.Cut(rest, ":")
	return kind
}
