package jobstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// DriftWindow is how many of a pair's newest live answers are looked at.
const DriftWindow = 200

// driftKept is how long a window outlives its newest answer: what a target did
// a month ago says nothing of today.
const driftKept = 30 * 24 * time.Hour

// Note adds what live answers of a pair were worth, oldest first, each the id
// of the check that failed or "" for none, and returns the window with them.
// Answers that say nothing about the target do not belong here. A call whose
// reply is lost is repeated and counts once.
func (s *Store) Note(ctx context.Context, p Pair, checks []string) (Evidence, error) {
	args := []any{DriftWindow, driftKept.Milliseconds()}
	for _, c := range checks {
		if c == "" {
			c = "-"
		}
		args = append(args, c)
	}
	w, err := s.words(ctx, s.scripts.drift, []string{s.keys.window(p.Target, p.Digest), s.keys.operation(token())}, args...)
	if err != nil {
		return Evidence{}, err
	}
	if len(w) < 4 || len(w)%2 != 0 || w[0] != "window" {
		return Evidence{}, refusal(s.scripts.drift, w)
	}
	e := Evidence{Calls: int(number(w[1])), Failed: int(number(w[2])), Row: int(number(w[3]))}
	for i := 4; i < len(w); i += 2 {
		if e.Checks == nil {
			e.Checks = map[string]int{}
		}
		e.Checks[w[i]] = int(number(w[i+1]))
	}
	return e, nil
}

// Canary is what the scheduled runs of a pair showed so far.
type Canary struct {
	Failed  int       `json:"failed"`                 // since one last passed
	Unclear time.Time `json:"unclear_since,omitzero"` // since when all were inconclusive; zero if the newest was not
	// Score is the cumulative sum of wrong answers against the proof that Of names.
	Score int    `json:"score,omitempty"`
	Of    string `json:"of,omitempty"`
	// Tries counts the runs that were to prove the pair anew, and Tried is when the
	// newest of them began.
	Tries int       `json:"tries,omitempty"`
	Tried time.Time `json:"tried,omitzero"`
}

// TakeCanary asks for the right to make a pair's next scheduled run. Of all
// routers one gets it, and then none for as long as every, whether the run comes
// to its end or not.
func (s *Store) TakeCanary(ctx context.Context, p Pair, holder string, every time.Duration) (bool, error) {
	got, err := s.client.SetNX(ctx, s.keys.canaryLease(p.Target, p.Digest), holder, every).Result()
	if err != nil {
		return false, fmt.Errorf("canary: %w: %w", ErrUnavailable, err)
	}
	return got, nil
}

// TakeProof asks in the same way for the right to prove a pair anew, for as long
// as every. It is apart from that to the next scheduled run.
func (s *Store) TakeProof(ctx context.Context, p Pair, holder string, every time.Duration) (bool, error) {
	got, err := s.client.SetNX(ctx, s.keys.proofLease(p.Target, p.Digest), holder, every).Result()
	if err != nil {
		return false, fmt.Errorf("canary: %w: %w", ErrUnavailable, err)
	}
	return got, nil
}

// CanaryOf reads what the scheduled runs of a pair showed; zero if there was none.
func (s *Store) CanaryOf(ctx context.Context, p Pair) (Canary, error) {
	var c Canary
	text, err := s.client.HGet(ctx, s.keys.canary(), eligibilityField(p.Target, p.Digest)).Result()
	if err == redis.Nil {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("canary: %w: %w", ErrUnavailable, err)
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, fmt.Errorf("canary record: %w", err)
	}
	return c, nil
}

// SetCanary writes it. Only whoever got TakeCanary may.
func (s *Store) SetCanary(ctx context.Context, p Pair, c Canary) error {
	if err := s.client.HSet(ctx, s.keys.canary(), eligibilityField(p.Target, p.Digest), encode(c)).Err(); err != nil {
		return fmt.Errorf("canary: %w: %w", ErrUnavailable, err)
	}
	return nil
}
