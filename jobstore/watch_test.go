package jobstore_test

import (
	"context"
	"testing"

	"inferonce/jobstore/jobstoretest"

	"github.com/redis/go-redis/v9"
)

// TestAHintWakesWhoeverWaits takes the poll away: what is left is pub/sub, from
// one process to another.
func TestAHintWakesWhoeverWaits(t *testing.T) {
	t.Parallel()
	begun := jobstoretest.Op{Kind: "submit", First: true, Fingerprint: "f"}
	for says, move := range map[string]jobstoretest.Op{
		"the job succeeds":          {Kind: "settle", N: 1, Epoch: 1, Version: 1, Outcome: "succeeded", Result: "r"},
		"the job fails":             {Kind: "settle", N: 1, Epoch: 1, Version: 1, Outcome: "failed", Fail: true},
		"its attempt turns unknown": {Kind: "settle", N: 1, Epoch: 1, Version: 1, Outcome: "unknown"},
		"its attempt is orphaned":   {Kind: "claim"},
		"its owner cancels it":      {Kind: "cancel"},
	} {
		for name, options := range lab.On() {
			t.Run(says+", on "+name, func(t *testing.T) {
				t.Parallel()
				p := jobstoretest.NewPlace(t, options(t))
				router := p.Open(t, p.Opts)
				d := jobstoretest.Driver{Store: p.Store, Owner: "o", Key: "k"}
				op := begun
				op.ID = p.Store.NewID("o", "k")
				move.ID = op.ID
				ctx := jobstoretest.Context(t)
				d.Do(ctx, op, 0)
				changed, stop := router.Watch(op.ID)
				defer stop()
				router.OnlyHints(op.ID)
				jobstoretest.Until(t, "somebody listens", func() bool { return listeners(t, p, op.ID) > 0 })
				if r := d.Do(ctx, move, 1); r.Word != "ok" && r.Word != "orphaned" {
					t.Fatal(r.Word)
				}
				select {
				case <-changed:
				case <-ctx.Done():
					t.Error("no hint came")
				}
			})
		}
	}
}

// listeners counts subscribers. In a cluster each node knows its own only.
func listeners(t *testing.T, p *jobstoretest.Place, id string) int64 {
	ctx, channel := jobstoretest.Context(t), p.Store.Channel(id)
	c, ok := p.Raw.(*redis.ClusterClient)
	if !ok {
		return p.Raw.PubSubNumSub(ctx, channel).Val()[channel]
	}
	total := make(chan int64, 3)
	_ = c.ForEachMaster(ctx, func(_ context.Context, node *redis.Client) error {
		total <- node.PubSubNumSub(ctx, channel).Val()[channel]
		return nil
	})
	close(total)
	var n int64
	for k := range total {
		n += k
	}
	return n
}
