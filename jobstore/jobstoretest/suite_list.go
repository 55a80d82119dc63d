package jobstoretest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"inferonce/jobstore"

	"github.com/redis/go-redis/v9"
)

func listing(t *testing.T, open func(testing.TB) *Place) {
	t.Run("pages give every job of the owner once, newest first", func(t *testing.T) { pages(t, open) })
	t.Run("pages go on through any number of jobs of one moment", func(t *testing.T) { oneMoment(t, open) })
	t.Run("a broken record is named, and keeps nobody from the others", func(t *testing.T) { broken(t, open) })
	t.Run("a state filters, and a cursor that no listing gave is refused", func(t *testing.T) { filters(t, open) })
	t.Run("the unknown queue is ordered by how long nobody knows", func(t *testing.T) { queueOrder(t, open) })
	t.Run("due and counts follow the moves", func(t *testing.T) { dueAndCounts(t, open) })
}

// submitMany makes n queued jobs of one owner.
func submitMany(t *testing.T, p *Place, owner string, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		d := Driver{Store: p.Store, Owner: owner, Key: fmt.Sprint(i)}
		ids[i] = p.Store.NewID(owner, d.Key)
		if r := d.Do(Context(t), Op{Kind: "submit", ID: ids[i], Fingerprint: "f"}, 0); r.Word != "created" {
			t.Fatal(r.Word)
		}
	}
	return ids
}

// walk reads all pages of a listing.
func walk(t *testing.T, read func(after string) (jobstore.Page, error)) (jobs []jobstore.Job, broken []string) {
	t.Helper()
	for after := ""; ; {
		page, err := read(after)
		if err != nil {
			t.Fatal(err)
		}
		jobs, broken = append(jobs, page.Jobs...), append(broken, page.Broken...)
		if after = page.Next; after == "" {
			return jobs, broken
		}
	}
}

func list(ctx context.Context, p *Place, owner string, state jobstore.JobState, limit int) func(string) (jobstore.Page, error) {
	return func(after string) (jobstore.Page, error) { return p.Store.List(ctx, owner, state, after, limit) }
}

func idsOf(jobs []jobstore.Job) []string {
	ids := []string{}
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

func pages(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	ids := submitMany(t, p, "owner", 30)
	submitMany(t, p, "somebody else", 5)
	for _, limit := range []int{7, 30, 100} {
		jobs, _ := walk(t, list(Context(t), p, "owner", "", limit))
		got := idsOf(jobs)
		newest := slices.IsSortedFunc(jobs, func(a, b jobstore.Job) int { return b.Created.Compare(a.Created) })
		slices.Sort(got)
		if !newest || !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
			t.Errorf("limit %d: %d jobs, newest first: %t; want each of %d once", limit, len(got), newest, len(ids))
		}
	}
}

// oneMoment gives jobs of several shards, many of them in one, the same score.
func oneMoment(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	ctx := Context(t)
	ids := submitMany(t, p, "owner", 10)
	for i, key := 0, sameShard(p.Store, "owner", "0"); i < 20; i++ { // all in the shard of key 0
		d := Driver{Store: p.Store, Owner: "owner", Key: key}
		id := p.Store.NewID("owner", key)
		d.Do(ctx, Op{Kind: "submit", ID: id, Fingerprint: "f"}, 0)
		ids = append(ids, id)
		key = nextInShard(p.Store, "owner", "0", key)
	}
	for key := range p.Dump(t) {
		if kindOf(key) != "owner" {
			continue
		}
		for _, id := range p.Raw.ZRange(ctx, key, 0, -1).Val() {
			if err := p.Raw.ZAdd(ctx, key, redis.Z{Score: 1e12, Member: id}).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, limit := range []int{4, 50} {
		jobs, _ := walk(t, list(ctx, p, "owner", "", limit))
		got := slices.Sorted(slices.Values(idsOf(jobs)))
		if !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
			t.Errorf("limit %d: %d jobs, want each of %d once", limit, len(got), len(ids))
		}
	}
}

// nextInShard is the next key after "other n" that lies where key does.
func nextInShard(s *jobstore.Store, owner, key, after string) string {
	var n int
	_, _ = fmt.Sscanf(after, "other %d", &n)
	for n++; ; n++ {
		if other := fmt.Sprint("other ", n); shardOf(s.NewID(owner, other)) == shardOf(s.NewID(owner, key)) {
			return other
		}
	}
}

func broken(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	ctx := Context(t)
	ids := submitMany(t, p, "owner", 3)
	for i, field := range []string{"schema", "result"} {
		if err := p.Raw.HSet(ctx, p.Faults.Of("submit")[i].Keys()[1], field, "{").Err(); err != nil {
			t.Fatal(err)
		}
	}
	jobs, bad := walk(t, list(ctx, p, "owner", "", 10))
	slices.Sort(bad)
	if !slices.Equal(idsOf(jobs), ids[2:]) || !slices.Equal(bad, slices.Sorted(slices.Values(ids[:2]))) {
		t.Errorf("listed %v and broken %v; want %v and %v", idsOf(jobs), bad, ids[2:], ids[:2])
	}
	if _, err := p.Store.Load(ctx, ids[0]); !errors.Is(err, jobstore.ErrBroken) {
		t.Errorf("load: %v, want ErrBroken", err)
	}
}

func filters(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	ctx := Context(t)
	ids := submitMany(t, p, "owner", 9)
	if _, err := p.Store.Cancel(ctx, ids[3], jobstore.Settlement{As: jobstore.Cancelled}); err != nil {
		t.Fatal(err)
	}
	jobs, _ := walk(t, list(ctx, p, "owner", jobstore.JobCancelled, 2))
	if !slices.Equal(idsOf(jobs), ids[3:4]) {
		t.Errorf("cancelled jobs %v, want %v", idsOf(jobs), ids[3:4])
	}
	for _, cursor := range []string{"x", "1.", "1.job_zz", ids[0]} {
		if _, err := p.Store.List(ctx, "owner", "", cursor, 2); !errors.Is(err, jobstore.ErrCursor) {
			t.Errorf("cursor %q: %v, want ErrCursor", cursor, err)
		}
	}
}

func queueOrder(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	p := open(t)
	unknown := []Op{{Kind: "submit", First: true, Long: true}, {Kind: "settle", N: 1, Outcome: "unknown"}}
	race := []Op{{Kind: "begin", N: 2, Race: true, Long: true}, {Kind: "settle", N: 2, Outcome: "failed"}}
	jobs := []*work{
		built(t, p, unknown),
		built(t, p, then(unknown, race[0], Op{Kind: "settle", N: 2, Outcome: "unknown"})),
	}
	for range 6 {
		clockMovesOn(t, p, jobs[len(jobs)-1].m.ID)
		jobs = append(jobs, built(t, p, unknown))
	}
	clockMovesOn(t, p, jobs[len(jobs)-1].m.ID)
	// The first was running meanwhile, and is unknown again only now. Of the
	// second one attempt failed, and the other is unknown for as long as before.
	jobs[0].must(t, jobs[0].fill(race[0]))
	jobs[0].must(t, jobs[0].fill(race[1]))
	jobs[1].must(t, jobs[1].fill(race[1]))
	var want []string
	for _, w := range append(jobs[1:], jobs[0]) {
		want = append(want, w.m.ID)
	}
	got, _ := walk(t, func(after string) (jobstore.Page, error) { return p.Store.Unknown(Context(t), after, 3) })
	if !slices.Equal(idsOf(got), want) {
		t.Errorf("order %v, want %v", idsOf(got), want)
	}
}

// clockMovesOn waits until the server's clock stands later than the last
// attempt of a job turned unknown: the order within one millisecond is by id.
func clockMovesOn(t *testing.T, p *Place, id string) {
	j, err := p.Store.Load(Context(t), id)
	if err != nil {
		t.Fatal(err)
	}
	Until(t, "the server's clock moves on", func() bool {
		now, err := p.Raw.Time(Context(t)).Result()
		return err == nil && now.Truncate(time.Millisecond).After(j.Last().UnknownSince)
	})
}
