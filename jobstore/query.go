package jobstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrBroken is returned for a record that this program cannot read.
var ErrBroken = errors.New("the record cannot be read")

// Load reads a job and its attempts as of one moment; ErrNotFound if there is
// none, ErrBroken if what is there does not decode.
func (s *Store) Load(ctx context.Context, id string) (Job, error) {
	if _, ok := shardOfID(id); !ok {
		return Job{}, ErrNotFound
	}
	keys := append([]string{s.keys.job(id)}, s.keys.attempts(id, MaxAttempts)...)
	reply, err := s.run(ctx, s.scripts.load, keys)
	if err != nil {
		return Job{}, err
	}
	parts, _ := reply.([]any)
	if len(parts) == 0 {
		return Job{}, ErrNotFound
	}
	j, err := decodeJob(pairs(parts[0]))
	if err != nil {
		return Job{}, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	for _, p := range parts[1:] {
		a, err := decodeAttempt(pairs(p))
		if err != nil {
			return Job{}, fmt.Errorf("%w: job %s: %w", ErrBroken, id, err)
		}
		j.Attempts = append(j.Attempts, a)
	}
	return j, nil
}

// Page is a part of a listing. Next continues it; "" means that it ends here.
type Page struct {
	Jobs   []Job
	Next   string
	Broken []string // ids of records that cannot be read, whoever owns them
}

// List gives an owner's jobs, newest first. state "" means all. after is the
// Next of the page before.
func (s *Store) List(ctx context.Context, owner string, state JobState, after string, limit int) (Page, error) {
	return s.page(ctx, after, limit, true,
		func(shard int) string { return s.keys.owner(shard, shortHash(owner)) },
		func(j Job) bool { return j.Owner == owner && (state == "" || j.State == state) })
}

// Unknown gives the jobs that are unknown, of all owners, longest first.
func (s *Store) Unknown(ctx context.Context, after string, limit int) (Page, error) {
	return s.page(ctx, after, limit, false, s.keys.open, func(j Job) bool { return j.State == JobUnknown })
}

type entry struct {
	score float64
	id    string
}

func (a entry) compare(b entry) int {
	return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.id, b.id))
}

// page merges one index over all shards. It reads on while jobs are filtered
// out or have expired, but not for ever: a page may be short and still have a Next.
func (s *Store) page(ctx context.Context, after string, limit int, newest bool, key func(int) string, keep func(Job) bool) (Page, error) {
	var page Page
	for range 8 {
		entries, err := s.merge(ctx, after, limit, newest, key)
		if err != nil {
			return Page{}, err
		}
		jobs, broken, err := s.loadAll(ctx, entries)
		if err != nil {
			return Page{}, err
		}
		page.Broken = append(page.Broken, broken...)
		for i, j := range jobs {
			after = fmt.Sprintf("%.0f.%s", entries[i].score, entries[i].id)
			if j.ID != "" && keep(j) {
				page.Jobs = append(page.Jobs, j)
			}
			if len(page.Jobs) == limit {
				page.Next = after
				return page, nil
			}
		}
		if len(entries) < limit {
			return page, nil
		}
	}
	page.Next = after
	return page, nil
}

func (s *Store) merge(ctx context.Context, after string, limit int, newest bool, key func(int) string) ([]entry, error) {
	from, err := parseCursor(after)
	if err != nil {
		return nil, err
	}
	pipe := s.client.Pipeline()
	var cmds []*redis.ZSliceCmd
	for shard := range Shards {
		for _, r := range ranges(shard, from, limit, newest) {
			r.Key = key(shard)
			cmds = append(cmds, pipe.ZRangeArgsWithScores(ctx, r))
		}
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("list: %w: %w", ErrUnavailable, err)
	}
	var all []entry
	for _, c := range cmds {
		for _, z := range c.Val() {
			e := entry{z.Score, fmt.Sprint(z.Member)}
			if after == "" || newest && e.compare(from) < 0 || !newest && e.compare(from) > 0 {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, entry.compare)
	if newest {
		slices.Reverse(all)
	}
	return all[:min(limit, len(all))], nil
}

// ranges is what to read of a shard's index to find the next limit entries.
// Jobs may share the cursor's score. Ids sort by their shard first, so that
// those of another shard stand all before the cursor or all behind it; only the
// cursor's own shard has to be read in full at that score.
func ranges(shard int, from entry, limit int, newest bool) []redis.ZRangeArgs {
	start, stop := "-inf", "+inf"
	if newest {
		start, stop = stop, start
	}
	next := redis.ZRangeArgs{Start: start, Stop: stop, ByScore: true, Rev: newest, Count: int64(limit)}
	own, ok := shardOfID(from.id)
	if !ok {
		return []redis.ZRangeArgs{next}
	}
	score := fmt.Sprintf("%.0f", from.score)
	next.Start = "(" + score
	if own != shard && (shard > own) != newest {
		next.Start = score
	}
	if own != shard {
		return []redis.ZRangeArgs{next}
	}
	ties := redis.ZRangeArgs{Start: score, Stop: score, ByScore: true, Rev: newest}
	return []redis.ZRangeArgs{ties, next}
}

func parseCursor(after string) (entry, error) {
	if after == "" {
		return entry{}, nil
	}
	score, id, _ := strings.Cut(after, ".")
	n, err := strconv.ParseUint(score, 10, 53)
	if _, isID := shardOfID(id); err != nil || !isID {
		return entry{}, ErrCursor
	}
	return entry{float64(n), id}, nil
}

// ErrCursor refuses a cursor that no listing gave out.
var ErrCursor = errors.New("the cursor is malformed; use the next of the page before")

// loadAll reads the jobs of entries, leaving an empty Job where one is gone or
// broken. One broken record keeps nobody from the others.
func (s *Store) loadAll(ctx context.Context, entries []entry) (jobs []Job, broken []string, err error) {
	jobs = make([]Job, len(entries))
	errs := make([]error, len(entries))
	var wg sync.WaitGroup
	for i, e := range entries {
		wg.Go(func() { jobs[i], errs[i] = s.Load(ctx, e.id) })
	}
	wg.Wait()
	for i, e := range errs {
		switch {
		case errors.Is(e, ErrBroken):
			broken = append(broken, entries[i].id)
			fallthrough
		case errors.Is(e, ErrNotFound):
			errs[i] = nil
		}
	}
	return jobs, broken, errors.Join(errs...)
}

// Due gives ids of jobs that somebody must look at now, at most limit a shard.
// It is a hint: Claim decides.
func (s *Store) Due(ctx context.Context, limit int) ([]string, error) {
	now, err := s.client.Time(ctx).Result()
	if err != nil {
		return nil, fmt.Errorf("due: %w: %w", ErrUnavailable, err)
	}
	pipe := s.client.Pipeline()
	cmds := make([]*redis.StringSliceCmd, Shards)
	for shard := range Shards {
		cmds[shard] = pipe.ZRangeArgs(ctx, redis.ZRangeArgs{Key: s.keys.due(shard), Start: "-inf",
			Stop: fmt.Sprint(now.UnixMilli()), ByScore: true, Count: int64(limit)})
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("due: %w: %w", ErrUnavailable, err)
	}
	var ids []string
	for _, c := range cmds {
		ids = append(ids, c.Val()...)
	}
	return ids, nil
}

// Counts is how many jobs wait for something.
type Counts struct {
	Live          int64         // jobs with an alarm: queued, running, or unknown and still listened to
	Unknown       int64         // jobs in the unknown queue
	OldestUnknown time.Duration // how long the longest has been there
}

// Count reads the sizes of the indexes.
func (s *Store) Count(ctx context.Context) (Counts, error) {
	pipe := s.client.Pipeline()
	now := pipe.Time(ctx)
	var due, open []*redis.IntCmd
	var oldest []*redis.ZSliceCmd
	for shard := range Shards {
		due = append(due, pipe.ZCard(ctx, s.keys.due(shard)))
		open = append(open, pipe.ZCard(ctx, s.keys.open(shard)))
		oldest = append(oldest, pipe.ZRangeWithScores(ctx, s.keys.open(shard), 0, 0))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return Counts{}, fmt.Errorf("count: %w: %w", ErrUnavailable, err)
	}
	var c Counts
	for shard := range Shards {
		c.Live += due[shard].Val()
		c.Unknown += open[shard].Val()
		for _, z := range oldest[shard].Val() {
			c.OldestUnknown = max(c.OldestUnknown, now.Val().Sub(time.UnixMilli(int64(z.Score))))
		}
	}
	return c, nil
}

// Sweep drops the index entries of jobs whose retention is over, and of dead
// letters that are no longer kept. The records
// themselves expire by their own time to live. It may run anywhere, any number
// of times.
func (s *Store) Sweep(ctx context.Context, shard, limit int) (int, error) {
	now, err := s.client.Time(ctx).Result()
	if err != nil {
		return 0, fmt.Errorf("sweep: %w: %w", ErrUnavailable, err)
	}
	members, err := s.client.ZRangeArgs(ctx, redis.ZRangeArgs{Key: s.keys.ended(shard), Start: "-inf",
		Stop: fmt.Sprint(now.UnixMilli()), ByScore: true, Count: int64(limit)}).Result()
	if err != nil {
		return 0, err
	}
	pipe := s.client.Pipeline()
	pipe.ZRemRangeByScore(ctx, s.keys.dead(shard), "-inf", fmt.Sprint(now.Add(-KeepEvents).UnixMilli()))
	for _, m := range members {
		id, owner, _ := strings.Cut(m, " ")
		pipe.ZRem(ctx, s.keys.owner(shard, shortHash(owner)), id)
		pipe.ZRem(ctx, s.keys.ended(shard), m)
	}
	_, err = pipe.Exec(ctx)
	return len(members), err
}
