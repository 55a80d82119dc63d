package jobstore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// Durability names how much of what was acknowledged survives. The level is
// the operator's choice; Open refuses a Redis that does not provide it.
type Durability string

// The levels. See docs/guarantees.md for what each promises.
const (
	// Single survives any crash of a router or of the Redis process; about two
	// seconds of accepted work may be gone after a power loss. Needs AOF.
	Single Durability = "single"
	// Strict also survives a power loss of Redis' host. Needs AOF with
	// appendfsync always.
	Strict Durability = "strict"
	// Replicated also survives the loss of Redis' host, by failover to a replica
	// that is in step: nothing is sent to a provider before a replica has the
	// record. Needs AOF and at least one replica.
	Replicated Durability = "replicated"
	// Volatile loses everything with the store. It is the level of the embedded
	// store and of a Redis without AOF, and has to be asked for by name.
	Volatile Durability = "volatile"
)

// Options say where the store is and how it is kept.
type Options struct {
	URL      string   // redis://[user:password@]host:port/db or rediss://…
	Addrs    []string // instead of URL: sentinels (with Master) or cluster nodes
	Master   string   // the sentinels' name for the primary
	Cluster  bool
	Username string
	Password string
	// SentinelPassword is the sentinels' own.
	SentinelPassword string
	TLS              *tls.Config
	Prefix           string        // of every key; default "inferonce:"
	Retention        time.Duration // of ended jobs and their keys; default 24h
	Durability       Durability    // default Single
	ReplyTime        time.Duration // bounds the wait for one reply; default 1s
	// Dialer replaces the network dialer; for tests and the embedded store.
	Dialer func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Store is a connection to the jobs. It is safe for concurrent use.
type Store struct {
	client     redis.UniversalClient
	collect    *collector
	hub        *hub
	keys       keyspace
	scripts    scripts
	retention  time.Duration
	durability Durability
	embedded   bool
	promises   bool // records are held against a sequence, and at level replicated against a replica
	marks      marks
	calls      atomic.Int64
	notes      atomic.Int64
	closing    sync.Once
	closed     error
}

// Open connects, checks that Redis can keep the promises that are made on it,
// and refuses with a reason and a remedy if it cannot.
func Open(ctx context.Context, o Options) (*Store, error) {
	o, err := o.defaults()
	if err != nil {
		return nil, err
	}
	client, err := connect(o)
	if err != nil {
		return nil, err
	}
	s := &Store{client: client, keys: newKeyspace(o.Prefix), retention: o.Retention, durability: o.Durability,
		promises: o.Durability != Volatile, marks: marks{high: map[string]int64{}, down: map[string]bool{}}}
	if err := s.checkServer(ctx); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	s.scripts = loadScripts(s.embedded)
	s.install(ctx)
	s.collect = newCollector(client, o.ReplyTime, s.newPromise)
	s.hub = newHub(s)
	return s, nil
}

// Close ends the connections. Calls under way are answered first. A second
// Close does nothing.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.hub.close()
		s.collect.close()
		s.closed = s.client.Close()
	})
	return s.closed
}

// Calls is the number of script calls sent so far that move jobs or
// eligibility, resent ones included.
func (s *Store) Calls() int64 { return s.calls.Load() }

// Notes is the number of script calls sent so far by Note and Rests. They are
// made beside the jobs, and no caller waits for them.
func (s *Store) Notes() int64 { return s.notes.Load() }

// Retention is how long an ended job and its key are kept.
func (s *Store) Retention() time.Duration { return s.retention }

// Durability is the level the store was opened with.
func (s *Store) Durability() Durability { return s.durability }

func (o Options) defaults() (Options, error) {
	if o.Prefix == "" {
		o.Prefix = "inferonce:"
	}
	if strings.ContainsAny(o.Prefix, "{} \n") {
		return o, fmt.Errorf("store prefix %q: braces and white space are not allowed; they would move keys to other slots", o.Prefix)
	}
	if o.Retention == 0 {
		o.Retention = 24 * time.Hour
	}
	if o.Retention < time.Millisecond {
		return o, fmt.Errorf("retention %s: ended jobs must be kept for as long as clients may repeat a request", o.Retention)
	}
	if o.ReplyTime <= 0 {
		o.ReplyTime = replyTime
	}
	if o.Durability == "" {
		o.Durability = Single
	}
	switch o.Durability {
	case Single, Strict, Replicated, Volatile:
	default:
		return o, fmt.Errorf("durability %q is unknown; choose single, strict, replicated or volatile", o.Durability)
	}
	return o, nil
}

// quiet keeps go-redis from writing to the process's standard error, where it
// would name addresses. What goes wrong is returned.
var quiet = sync.OnceFunc(logging.Disable)

func connect(o Options) (redis.UniversalClient, error) {
	quiet()
	u := &redis.UniversalOptions{Addrs: o.Addrs, MasterName: o.Master, IsClusterMode: o.Cluster,
		Username: o.Username, Password: o.Password, SentinelPassword: o.SentinelPassword, TLSConfig: o.TLS, Dialer: o.Dialer}
	if o.URL != "" {
		one, err := redis.ParseURL(o.URL)
		if err != nil {
			return nil, errors.New("the store's URL is malformed; it reads redis://[user:password@]host:port[/db]")
		}
		u.Addrs, u.DB, u.TLSConfig = []string{one.Addr}, one.DB, one.TLSConfig
		u.Username, u.Password = one.Username, one.Password
	}
	if len(u.Addrs) == 0 {
		u.Addrs = []string{"127.0.0.1:0"} // only the dialer knows where it is
	}
	u.ClientName = "inferonce"
	u.MaxRetries = -1              // repeating is ours
	u.ContextTimeoutEnabled = true // otherwise a deadline of 300 ms returns after seconds
	u.DialTimeout = 2 * time.Second
	u.ReadTimeout, u.WriteTimeout = o.ReplyTime, o.ReplyTime
	u.PoolTimeout = 500 * time.Millisecond
	u.PoolSize = 16
	u.DialerRetries = 1
	u.DisableIdentity = true // CLIENT SETINFO is unknown to Redis 7.0
	return redis.NewUniversalClient(u), nil
}
