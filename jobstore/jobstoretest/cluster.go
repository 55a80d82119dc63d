package jobstoretest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Cluster is three primaries of this machine that share the slots.
type Cluster struct{ nodes []*Redis }

const clusterSize, slots = 3, 16384

// StartCluster starts one for the length of a test.
func StartCluster(t testing.TB) *Cluster { return startCluster(t, 0) }

// StartReplicatedCluster starts one whose primaries have a replica each.
func StartReplicatedCluster(t testing.TB) *Cluster { return startCluster(t, clusterSize) }

func startCluster(t testing.TB, replicas int) *Cluster {
	t.Helper()
	c, err := newCluster(t.TempDir(), replicas)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// Addrs are where its nodes listen.
func (c *Cluster) Addrs() []string {
	var out []string
	for _, n := range c.nodes {
		out = append(out, n.Addr())
	}
	return out
}

// Stop ends its nodes.
func (c *Cluster) Stop() {
	for _, n := range c.nodes {
		n.Stop()
	}
}

func newCluster(dir string, replicas int) (*Cluster, error) {
	c := &Cluster{}
	var bus []int
	for i := range clusterSize + replicas {
		home := filepath.Join(dir, strconv.Itoa(i))
		port, err := freePort()
		if err == nil {
			err = os.Mkdir(home, 0o700)
		}
		if err != nil {
			return nil, err
		}
		node, err := newRedis(home, "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(port), "--cluster-node-timeout", "60000")
		if err != nil {
			c.Stop()
			return nil, err
		}
		c.nodes, bus = append(c.nodes, node), append(bus, port)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := c.join(ctx, bus); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) join(ctx context.Context, bus []int) error {
	for i, n := range c.nodes {
		client := redis.NewClient(&redis.Options{Addr: n.Addr()})
		defer client.Close()
		if from, to := i*slots/clusterSize, (i+1)*slots/clusterSize-1; i < clusterSize {
			if err := client.ClusterAddSlotsRange(ctx, from, to).Err(); err != nil {
				return fmt.Errorf("add slots: %w", err)
			}
		}
		first := c.nodes[0]
		if err := client.Do(ctx, "cluster", "meet", "127.0.0.1", first.port, bus[0]).Err(); err != nil {
			return fmt.Errorf("meet: %w", err)
		}
	}
	if err := c.agreed(ctx); err != nil {
		return err
	}
	return c.replicate(ctx)
}

// replicate makes each node beyond the primaries the replica of one, and waits
// until every primary has its own in step.
func (c *Cluster) replicate(ctx context.Context) error {
	for i, n := range c.nodes[clusterSize:] {
		primary, replica := redis.NewClient(&redis.Options{Addr: c.nodes[i].Addr()}), redis.NewClient(&redis.Options{Addr: n.Addr()})
		defer primary.Close()
		defer replica.Close()
		id, err := primary.Do(ctx, "cluster", "myid").Text()
		if err == nil {
			err = replica.ClusterReplicate(ctx, id).Err()
		}
		if err != nil {
			return fmt.Errorf("replicate: %w", err)
		}
		if err := inStep(ctx, primary); err != nil {
			return err
		}
	}
	return nil
}

// inStep waits until a replica confirms what a primary writes.
func inStep(ctx context.Context, primary *redis.Client) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		info, err := primary.Info(ctx, "replication").Result()
		if err == nil && strings.Contains(info, "state=online") {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the replica did not come in step: %w", ctx.Err())
		}
	}
}

// agreed waits until every node knows every slot.
func (c *Cluster) agreed(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, n := range c.nodes {
		client := redis.NewClient(&redis.Options{Addr: n.Addr()})
		defer client.Close()
		for {
			info, err := client.ClusterInfo(ctx).Result()
			if err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", len(c.nodes))) {
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("the cluster did not form: %w", ctx.Err())
			}
		}
	}
	return nil
}
