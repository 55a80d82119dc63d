package jobstoretest

import (
	"fmt"
	"testing"
	"time"

	"inferonce/jobstore"
)

// retention begins when a job ends, and not before.
func retention(t *testing.T, open func(testing.TB) *Place) {
	for _, s := range situations() {
		if s.ops != nil {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				w := built(t, open(t), s.ops)
				w.lives(t)
				if w.m.Job.Live() {
					w.must(t, w.fill(Op{Kind: "cancel"}))
					w.lives(t)
				}
			})
		}
	}
	t.Run("reads and repeats do not prolong it", func(t *testing.T) { readsLeaveIt(t, open) })
	t.Run("when it is over the key is free, and only its index entries are swept", func(t *testing.T) { passes(t, open) })
}

// lives checks that exactly the records of an ended job expire.
func (w *work) lives(t *testing.T) {
	t.Helper()
	ctx := Context(t)
	keys, err := w.place.keys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		kind := kindOf(key)
		record := kind == "job" || kind == "att" || kind == "idem" || kind == "log"
		ttl := w.place.Raw.PTTL(ctx, key).Val()
		if ends := record && !w.m.Job.Live(); ends != (ttl > 0) {
			t.Errorf("%s job: time to live of %s is %s; want one: %t", w.m.Job, key, ttl, ends)
		}
		if ttl > w.Store.Retention() {
			t.Errorf("%s lives for %s, longer than the retention %s", key, ttl, w.Store.Retention())
		}
	}
}

func readsLeaveIt(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	w := built(t, p, []Op{{Kind: "submit", First: true, Long: true}, {Kind: "settle", N: 1, Outcome: "succeeded", Result: "r"}})
	ctx := Context(t)
	keys := p.Faults.Of("submit")[0].Keys()[:3] // key, job, attempt
	const short = time.Hour                     // of the day that they have
	for _, k := range keys {
		if err := p.Raw.PExpire(ctx, k, short).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, op := range []Op{{Kind: "submit"}, {Kind: "submit", Fingerprint: "g"}, {Kind: "load"}, {Kind: "cancel"}, {Kind: "claim"},
		{Kind: "settle", N: 1, Outcome: "succeeded", Result: "late"}, {Kind: "accept", N: 1}} {
		w.must(t, w.fill(op))
	}
	if _, err := p.Store.List(ctx, w.Owner, "", "", 10); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if ttl := p.Raw.PTTL(ctx, k).Val(); ttl <= 0 || ttl > short {
			t.Errorf("%s: time to live %s, want what was left of %s", k, ttl, short)
		}
	}
}

func passes(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	brief := p.Opts
	brief.Retention = 50 * time.Millisecond
	gone := Driver{Store: p.Open(t, brief), Owner: "owner", Key: "gone"}
	stays := Driver{Store: p.Store, Owner: "owner", Key: sameShard(p.Store, "owner", "gone")}
	ctx := Context(t)
	for _, d := range []Driver{gone, stays} {
		id := d.Store.NewID(d.Owner, d.Key)
		d.Do(ctx, Op{Kind: "submit", ID: id, Fingerprint: "f", First: true, Long: true}, 0)
		if got := d.Do(ctx, Op{Kind: "cancel", ID: id}, 1); got.said() != "ok cancelled v2" {
			t.Fatalf("cancel: %s", got.said())
		}
	}
	var id string
	Until(t, "the key is free again", func() bool {
		id = p.Store.NewID("owner", "gone")
		return gone.Do(ctx, Op{Kind: "submit", ID: id, Fingerprint: "g", First: true, Long: true}, 0).Word == "created"
	})
	Until(t, "the ended job is swept from the indexes", func() bool {
		n, err := p.Store.Sweep(ctx, shardOf(id), 100)
		if err != nil {
			t.Fatal(err)
		}
		return n == 1
	})
	if n, err := p.Store.Sweep(ctx, shardOf(id), 100); n != 0 || err != nil {
		t.Errorf("a second sweep: %d, %v; want none", n, err)
	}
	page, err := p.Store.List(ctx, "owner", "", "", 10)
	if err != nil || len(page.Jobs) != 2 {
		t.Errorf("%d jobs listed, %v; want the one that stays and the new one", len(page.Jobs), err)
	}
}

// sameShard is another key of the owner that lies where key does.
func sameShard(s *jobstore.Store, owner, key string) string {
	for i := 0; ; i++ {
		other := fmt.Sprint("other ", i)
		if shardOf(s.NewID(owner, other)) == shardOf(s.NewID(owner, key)) {
			return other
		}
	}
}

// shardOf reads the two hex digits that a job id carries.
func shardOf(id string) int {
	var shard int
	_, _ = fmt.Sscanf(id, "job_%2x", &shard)
	return shard
}
