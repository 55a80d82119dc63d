package jobstoretest

import (
	"context"
	"net"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
)

// StartReplica starts a replica of r for the length of a test and waits until it
// is in step.
func StartReplica(t testing.TB, r *Redis) *Redis {
	t.Helper()
	replica := StartRedis(t, "--replicaof", "127.0.0.1 "+strconv.Itoa(r.port))
	c := redis.NewClient(&redis.Options{Addr: r.Addr()})
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := inStep(ctx, c); err != nil {
		t.Fatal(err)
	}
	return replica
}

// Promote makes a replica a primary.
func (r *Redis) Promote(t testing.TB) {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: r.Addr()})
	defer c.Close()
	if err := c.Do(t.Context(), "replicaof", "no", "one").Err(); err != nil {
		t.Fatal(err)
	}
}

// Address is a dialer for a store that moves from one server to another, as a
// failover moves it.
type Address struct{ at atomic.Pointer[Redis] }

// Move has all new connections go to r.
func (a *Address) Move(r *Redis) { a.at.Store(r) }

// Dial connects to where the store is now.
func (a *Address) Dial(ctx context.Context, network, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, a.at.Load().Addr())
}
