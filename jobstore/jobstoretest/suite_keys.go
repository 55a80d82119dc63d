package jobstoretest

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"inferonce/jobstore"
)

// keys shows that (owner, key) is one job, whoever asks, however often at once,
// whatever the key is made of (R2, R3, R4).
func keys(t *testing.T, open func(testing.TB) *Place) {
	t.Run("2,000 at once are one job", func(t *testing.T) { doubleClick(t, open) })
	t.Run("two inputs at once under one key: one is the job, the other is refused", func(t *testing.T) { twoInputs(t, open) })
	t.Run("owners and keys of every make stay apart", func(t *testing.T) { strangeKeys(t, open) })
}

// submitAll submits ops at once, and gives the replies in their order.
func (w *work) submitAll(t *testing.T, ops []Op) []Reply {
	ctx := Context(t)
	replies := make([]Reply, len(ops))
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i, op := range ops {
		wg.Go(func() {
			<-start
			replies[i] = w.Do(ctx, op, 0)
		})
	}
	close(start)
	wg.Wait()
	return replies
}

func doubleClick(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w := newWork(open(t))
	ops := make([]Op, 2000)
	for i := range ops {
		ops[i] = w.fill(Op{Kind: "submit", First: true, Long: true})
	}
	words, ids := map[string]int{}, map[string]bool{}
	for _, r := range w.submitAll(t, ops) {
		words[r.Word]++
		ids[r.ID] = true
	}
	if words["created"] != 1 || words["exists"] != len(ops)-1 || len(ids) != 1 {
		t.Fatalf("answers %v with %d ids; want one created, the others exists, one id", words, len(ids))
	}
	for id := range ids {
		w.m, _ = w.m.Step(Op{Kind: "submit", ID: id, Fingerprint: "f", First: true, Long: true})
	}
	w.same(t, ops[0]) // one attempt
	w.must(t, w.fill(Op{Kind: "submit", Fingerprint: "g"}))
}

func twoInputs(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w := newWork(open(t))
	var ops []Op
	for range 100 {
		ops = append(ops, w.fill(Op{Kind: "submit", Fingerprint: "f"}), w.fill(Op{Kind: "submit", Fingerprint: "g"}))
	}
	replies := w.submitAll(t, ops)
	winner := ""
	for i, r := range replies {
		if r.Word == "created" {
			winner = ops[i].Fingerprint
		}
	}
	for i, r := range replies {
		want := "reused"
		if ops[i].Fingerprint == winner {
			want = "exists"
		}
		if r.Word != want && r.Word != "created" || r.ID != replies[0].ID {
			t.Fatalf("input %s: %s of %s; want %s of %s", ops[i].Fingerprint, r.Word, r.ID, want, replies[0].ID)
		}
	}
}

// redisKey is what may stand in a key of ours: nothing that a caller chose.
var redisKey = regexp.MustCompile(`^\{s:[0-9a-f]{2}\}:((job:job_[0-9a-z]{28})|(att:job_[0-9a-z]{28}:\d+)|((owed|log):job_[0-9a-z]{28})|((idem|owner):[0-9a-f]{32})|due|open|ended|outbox|dead)$|^shards$|^seq$`)

func strangeKeys(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	names := []string{"plain", "with:colon", "{s:00}", "a}{b", "line\nfeed", " ", "\x00", "ключ",
		strings.Repeat("k", 255), "*"}
	ids := map[string]bool{}
	ctx := Context(t)
	for _, owner := range names {
		for _, key := range names {
			d := Driver{Store: p.Store, Owner: owner, Key: key}
			r := d.Do(ctx, Op{Kind: "submit", ID: p.Store.NewID(owner, key), Fingerprint: "f", First: true, Long: true}, 0)
			if r.Word != "created" || ids[r.ID] {
				t.Fatalf("owner %q, key %q: %s of a job that is new: %t", owner, key, r.Word, !ids[r.ID])
			}
			ids[r.ID] = true
			if got := d.Do(ctx, Op{Kind: "settle", ID: r.ID, N: 1, Epoch: 1, Version: 1, Outcome: "failed", Fail: true}, 1); got.said() != "ok failed v2" {
				t.Fatalf("owner %q, key %q: settle: %s", owner, key, got.said())
			}
			if j, err := p.Store.Load(ctx, r.ID); err != nil || j.Owner != owner || j.Key != key {
				t.Fatalf("owner %q, key %q: read back as %q, %q, %v", owner, key, j.Owner, j.Key, err)
			}
		}
		page, err := p.Store.List(ctx, owner, "", "", 100)
		if err != nil || len(page.Jobs) != len(names) {
			t.Fatalf("owner %q sees %d jobs, %v; want its own %d", owner, len(page.Jobs), err, len(names))
		}
	}
	for key := range p.Dump(t) {
		if own := strings.TrimPrefix(key, p.Prefix); !redisKey.MatchString(own) {
			t.Errorf("key %q", own)
		}
	}
	if _, err := p.Store.Load(ctx, "job_zz"+strings.Repeat("0", 26)); !errors.Is(err, jobstore.ErrNotFound) {
		t.Errorf("an id with a shard that is none: %v, want ErrNotFound", err)
	}
}
