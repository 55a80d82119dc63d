package jobstore

import (
	"context"
	"time"
)

// MaxClaims is how often a job may be claimed in a row without an attempt
// beginning or ending. Without a bound two routers can take a job from each
// other for ever.
const MaxClaims = 3

// Claim is a fresh right to drive a job.
type Claim struct {
	Epoch int64
	// Orphaned says that the claim turned the newest attempt unknown, because
	// its router is gone.
	Orphaned bool
}

// Claim takes a job whose lease has lapsed or that nobody holds. It is refused
// with ErrHeld, ErrEnded, ErrNotFound or, when it made no progress over
// MaxClaims claims, ErrQuarantined: the job then has failed or, with an unknown
// attempt, waits for an operator.
func (s *Store) Claim(ctx context.Context, id string, lease time.Duration, holder string) (Claim, error) {
	shard, ok := shardOfID(id)
	if !ok {
		return Claim{}, ErrNotFound
	}
	problem := JobError{Code: "quarantined", Message: "the job was claimed three times and no router got it any further; send it again under a new key"}
	var claim Claim
	err := s.moving(ctx, id, nil, func(k known) error {
		w, err := s.words(ctx, s.scripts.claim, s.endingKeys(k), k.op, k.id, k.attempts, ms(lease), holder, MaxClaims,
			encode(orphaned()), encode(problem), ms(s.retention), s.keys.channel(shard))
		if err != nil {
			return err
		}
		if w[0] != "claimed" && w[0] != "orphaned" {
			return refusal(s.scripts.claim, w)
		}
		claim = Claim{Epoch: number(w[1]), Orphaned: w[0] == "orphaned"}
		return nil
	})
	return claim, err
}

// Renew moves the end of the caller's lease to lease from now. beat counts the
// renewals of one epoch, from 1; the same beat again answers the same and
// changes nothing. ErrStale means that another claim drives the job, ErrEnded
// that there is nothing left to drive.
func (s *Store) Renew(ctx context.Context, id string, epoch, beat int64, lease time.Duration) error {
	shard, ok := shardOfID(id)
	if !ok {
		return ErrNotFound
	}
	w, err := s.words(ctx, s.scripts.renew, []string{s.keys.job(id), s.keys.due(shard)}, id, epoch, beat, ms(lease))
	if err != nil || w[0] == "renewed" {
		return err
	}
	return refusal(s.scripts.renew, w)
}

// Release gives a job back, to be looked at after delay. A negative delay means
// never: right for an unknown job that only an answer or an operator can move.
// It is refused with ErrBusy while an attempt is starting or running.
func (s *Store) Release(ctx context.Context, id string, epoch int64, delay time.Duration) error {
	shard, ok := shardOfID(id)
	if !ok {
		return ErrNotFound
	}
	at := ""
	if delay >= 0 {
		at = ms(delay)
	}
	w, err := s.words(ctx, s.scripts.release, []string{s.keys.job(id), s.keys.due(shard)}, token(), id, epoch, at)
	if err != nil || w[0] == "released" {
		return err
	}
	return refusal(s.scripts.release, w)
}
