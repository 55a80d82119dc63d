package jobstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// LogEntry is one change of a job or of one of its attempts, as its move wrote it.
type LogEntry struct {
	ID        string // orders the entries of a job: "1700000000000-0"
	At        time.Time
	Job       JobState // afterwards
	Version   int64    // of the job afterwards
	Attempt   int      // the attempt that changed; 0 where only the job did
	AttemptIs AttemptState
}

// Log reads what became of a job, oldest first: at most limit entries after the
// one with the id after, "" for the beginning. A job from before there were logs
// has none. ErrCursor where after is no id of an entry.
func (s *Store) Log(ctx context.Context, job, after string, limit int) ([]LogEntry, error) {
	if _, ok := shardOfID(job); !ok {
		return nil, ErrNotFound
	}
	start := "-"
	if after != "" {
		if !isEntryID(after) {
			return nil, ErrCursor
		}
		start = "(" + after
	}
	entries, err := s.client.XRangeN(ctx, s.keys.log(job), start, "+", int64(limit)).Result()
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w: %w", job, ErrUnavailable, err)
	}
	out := make([]LogEntry, len(entries))
	for i, e := range entries {
		out[i] = decodeEntry(e)
	}
	return out, nil
}

func decodeEntry(m redis.XMessage) LogEntry {
	text := func(field string) string { s, _ := m.Values[field].(string); return s }
	at, _, _ := strings.Cut(m.ID, "-")
	return LogEntry{ID: m.ID, At: millis(at), Job: JobState(text("job")), Version: number(text("version")),
		Attempt: int(number(text("attempt"))), AttemptIs: AttemptState(text("is"))}
}

// isEntryID holds what a client sends against the form of a stream's ids.
func isEntryID(s string) bool {
	ms, seq, ok := strings.Cut(s, "-")
	_, err1 := strconv.ParseUint(ms, 10, 63)
	_, err2 := strconv.ParseUint(seq, 10, 63)
	return ok && err1 == nil && err2 == nil && len(s) <= 40
}
