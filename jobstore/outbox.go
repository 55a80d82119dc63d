package jobstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Event is something that an app wants to be told of a job. The move that makes
// it so writes it in the same step; it is delivered at least once, or kept as a
// dead letter.
type Event struct {
	ID       string // "evt_…", the same at every try
	Job      string
	State    JobState // what the job became: succeeded, failed, cancelled or unknown
	Version  int64    // of the job then
	At       time.Time
	URL      string // where to
	Owner    string
	Contract string
	Tries    int        // so far
	Ended    EventEnd   // "" while it is owed
	EndedAt  time.Time  // zero while it is owed
	History  []EventTry // oldest first
}

// EventEnd is how an event's delivery ended.
type EventEnd string

// The ends of a delivery.
const (
	EventDelivered EventEnd = "done"
	EventDead      EventEnd = "dead"
)

// EventTry is one try at a delivery.
type EventTry struct {
	Number int
	At     time.Time
	Note   string // what came of it, as the deliverer wrote it
}

// KeepEvents is how long an event is kept after its delivery ended, so that a
// dead letter can be sent again: as long as the common senders' longest schedule.
const KeepEvents = 7 * 24 * time.Hour

// EventRef names an event where it lies.
type EventRef struct{ Job, ID string }

// ErrNotTaken says that an event is not to be taken now: somebody else has it,
// it is not due, or it is no longer owed.
var ErrNotTaken = errors.New("the event is not to be taken now")

// DueEvents names events that must be delivered now, at most limit a shard. It is
// a hint: TakeEvent decides.
func (s *Store) DueEvents(ctx context.Context, limit int) ([]EventRef, error) {
	now, err := s.client.Time(ctx).Result()
	if err != nil {
		return nil, fmt.Errorf("due events: %w: %w", ErrUnavailable, err)
	}
	until := fmt.Sprint(now.UnixMilli())
	return s.eventRefs(ctx, s.keys.outbox, redis.ZRangeArgs{Start: "-inf", Stop: until, ByScore: true, Count: int64(limit)})
}

// DeadEvents names the dead letters, oldest first, at most limit a shard.
func (s *Store) DeadEvents(ctx context.Context, limit int) ([]EventRef, error) {
	return s.eventRefs(ctx, s.keys.dead, redis.ZRangeArgs{Start: "-inf", Stop: "+inf", ByScore: true, Count: int64(limit)})
}

// OwedEvents names the events that are still owed, the next one first, at most
// limit a shard.
func (s *Store) OwedEvents(ctx context.Context, limit int) ([]EventRef, error) {
	return s.eventRefs(ctx, s.keys.outbox, redis.ZRangeArgs{Start: "-inf", Stop: "+inf", ByScore: true, Count: int64(limit)})
}

func (s *Store) eventRefs(ctx context.Context, key func(int) string, r redis.ZRangeArgs) ([]EventRef, error) {
	pipe := s.client.Pipeline()
	cmds := make([]*redis.ZSliceCmd, Shards)
	for shard := range Shards {
		r.Key = key(shard)
		cmds[shard] = pipe.ZRangeArgsWithScores(ctx, r)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("events: %w: %w", ErrUnavailable, err)
	}
	var all []redis.Z
	for _, c := range cmds {
		all = append(all, c.Val()...)
	}
	slices.SortFunc(all, func(a, b redis.Z) int { return cmp.Compare(a.Score, b.Score) })
	refs := make([]EventRef, 0, len(all))
	for _, z := range all {
		job, id, _ := strings.Cut(fmt.Sprint(z.Member), " ")
		refs = append(refs, EventRef{job, id})
	}
	return refs, nil
}

// Taken is the right to make one try at a delivery.
type Taken struct {
	Ref   EventRef
	Event Event
	Try   int // from 1
	token string
}

// TakeEvent takes an event to deliver it within hold; after that it is due
// again. ErrNotTaken where there is nothing to do.
func (s *Store) TakeEvent(ctx context.Context, ref EventRef, hold time.Duration) (Taken, error) {
	t := Taken{Ref: ref, token: token()}
	w, err := s.deliver(ctx, ref, t.token, "take", hold, "")
	if err != nil {
		return Taken{}, err
	}
	if w[0] != "taken" {
		return Taken{}, ErrNotTaken
	}
	t.Try = int(number(w[1]))
	t.Event, err = s.Event(ctx, ref)
	return t, err
}

// EventDelivered ends a delivery that the receiver acknowledged. note says what
// it answered. The same word again changes nothing; ErrStale where the taking has
// lapsed and somebody else has the event.
func (s *Store) EventDelivered(ctx context.Context, t Taken, note string) error {
	return s.tried(ctx, t, string(EventDelivered), KeepEvents, note)
}

// EventRetry puts an event back, to be delivered after delay.
func (s *Store) EventRetry(ctx context.Context, t Taken, delay time.Duration, note string) error {
	return s.tried(ctx, t, "retry", delay, note)
}

// EventGivenUp makes an event a dead letter.
func (s *Store) EventGivenUp(ctx context.Context, t Taken, note string) error {
	return s.tried(ctx, t, string(EventDead), KeepEvents, note)
}

func (s *Store) tried(ctx context.Context, t Taken, move string, d time.Duration, note string) error {
	w, err := s.deliver(ctx, t.Ref, t.token, move, d, note)
	if err != nil || w[0] == "recorded" {
		return err
	}
	return refusal(s.scripts.deliver, w)
}

// Redeliver owes an event again whose delivery has ended, under the same id. One
// that is owed already stays as it is.
func (s *Store) Redeliver(ctx context.Context, ref EventRef) error {
	w, err := s.deliver(ctx, ref, token(), "again", KeepEvents, "")
	if err != nil || w[0] == "queued" || w[0] == "pending" {
		return err
	}
	return refusal(s.scripts.deliver, w)
}

func (s *Store) deliver(ctx context.Context, ref EventRef, token, move string, d time.Duration, note string) ([]string, error) {
	shard, ok := shardOfID(ref.Job)
	if !ok || !isEvent(ref.ID) {
		return nil, ErrNotFound
	}
	keys := []string{s.keys.outbox(shard), s.keys.dead(shard), s.keys.owed(ref.Job)}
	return s.words(ctx, s.scripts.deliver, keys, token, ref.Job, ref.ID, move, ms(d), note)
}

// isEvent keeps what is no event's name out of the record.
func isEvent(id string) bool {
	rest, ok := strings.CutPrefix(id, "evt_")
	return ok && rest != "" && len(rest) <= 64 && strings.Trim(rest, "0123456789_abcdefghijklmnopqrstuvwxyz") == ""
}

// Event reads an event; ErrNotFound if it is not known, or no longer.
func (s *Store) Event(ctx context.Context, ref EventRef) (Event, error) {
	all, err := s.Events(ctx, ref.Job)
	if err != nil {
		return Event{}, err
	}
	for _, e := range all {
		if e.ID == ref.ID {
			return e, nil
		}
	}
	return Event{}, ErrNotFound
}

// Events reads what a job's owner was or will be told of it, in the order in
// which it happened. A job without a callback has none.
func (s *Store) Events(ctx context.Context, job string) ([]Event, error) {
	if _, ok := shardOfID(job); !ok {
		return nil, ErrNotFound
	}
	h, err := s.client.HGetAll(ctx, s.keys.owed(job)).Result()
	if err != nil {
		return nil, fmt.Errorf("events of %s: %w: %w", job, ErrUnavailable, err)
	}
	var out []Event
	for field := range h {
		if isEvent(field) {
			out = append(out, decodeEvent(job, field, h))
		}
	}
	slices.SortFunc(out, func(a, b Event) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	return out, nil
}

func decodeEvent(job, id string, h map[string]string) Event {
	w := append(strings.Split(h[id], " "), "", "")
	e := Event{ID: id, Job: job, State: JobState(w[0]), Version: number(w[1]), At: millis(w[2]),
		URL: h["url"], Owner: h["owner"], Contract: h["contract"], Tries: int(number(h[id+":tries"]))}
	if end, at, ok := strings.Cut(h[id+":end"], " "); ok {
		e.Ended, e.EndedAt = EventEnd(end), millis(at)
	}
	for n := 1; ; n++ {
		text, ok := h[id+":try:"+strconv.Itoa(n)]
		if !ok {
			return e
		}
		at, note, _ := strings.Cut(text, " ")
		e.History = append(e.History, EventTry{n, millis(at), note})
	}
}
