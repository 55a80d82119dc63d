package jobstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"inferonce/contracts"
)

// Submission is what Submit writes.
type Submission struct {
	Owner       string
	Key         string
	Fingerprint string
	Contract    string // "name@version"
	Digest      string
	Route       string
	Intent      []byte
	Budget      time.Duration // from now to the job's deadline
	Lease       time.Duration
	Holder      string
	// First begins the first attempt in the same step; nil only queues the job.
	First *Start
}

// Start describes an attempt about to begin.
type Start struct {
	Target   string
	Provider string
	Model    string
	Key      string // name of the provider's key; "" where there is only one
	// SendWithin is how long after the record the request may still leave.
	SendWithin time.Duration
}

// Submitted is the outcome of Submit. ID is always set. Job is set where the
// job was created by this call.
type Submitted struct {
	ID      string
	Created bool
	Job     Job
}

// Submit writes the job that stands for (owner, key), or finds it. The same
// intent finds the existing job; another intent is refused with a
// *KeyReusedError and changes nothing (R2, R4). After ErrIndeterminate the job
// may exist; Resubmit with the returned ID tells.
func (s *Store) Submit(ctx context.Context, sub Submission) (Submitted, error) {
	return s.Resubmit(ctx, newID(shardOf(sub.Owner, sub.Key)), sub)
}

// NewID makes the id that a job of this owner and key will have. With
// Resubmit it lets a caller ask again after ErrIndeterminate.
func (s *Store) NewID(owner, key string) string { return newID(shardOf(owner, key)) }

// Resubmit is Submit with an id from NewID, which is also the call's op token:
// repeated with the same id it answers the same and changes nothing.
func (s *Store) Resubmit(ctx context.Context, id string, sub Submission) (Submitted, error) {
	shard, _ := shardOfID(id)
	keys := []string{s.keys.idem(sub.Owner, sub.Key), s.keys.job(id), s.keys.attempt(id, 1), s.keys.due(shard),
		s.keys.owner(shard, shortHash(sub.Owner))}
	first, window := Start{}, ""
	if sub.First != nil {
		first, window = *sub.First, ms(sub.First.SendWithin)
	}
	w, err := s.words(ctx, s.scripts.submit, keys, id, sub.Fingerprint, ms(sub.Lease), ms(sub.Budget), window,
		sub.Owner, sub.Key, sub.Contract, sub.Digest, sub.Route, sub.Holder,
		first.Target, first.Provider, first.Model, sub.Intent, first.Key)
	if err != nil {
		return Submitted{ID: id}, err
	}
	switch w[0] {
	case "created":
		return Submitted{ID: id, Created: true, Job: created(id, sub, millis(w[1]))}, nil
	case "exists":
		return Submitted{ID: w[1]}, nil
	case "reused":
		return Submitted{}, &KeyReusedError{JobID: w[1]}
	}
	return Submitted{}, unexpected(s.scripts.submit, w)
}

// created is the job as the script wrote it, without reading it back.
func created(id string, sub Submission, now time.Time) Job {
	j := Job{ID: id, Owner: sub.Owner, Key: sub.Key, Fingerprint: sub.Fingerprint, Contract: sub.Contract,
		Digest: sub.Digest, Route: sub.Route, Intent: sub.Intent, State: JobQueued, Version: 1,
		Created: now, Budget: sub.Budget, Deadline: now.Add(sub.Budget)}
	if sub.First != nil {
		j.State, j.Epoch, j.Open, j.Holder, j.Lease = JobRunning, 1, 1, sub.Holder, now.Add(sub.Lease)
		j.Attempts = []Attempt{started(1, *sub.First, 1, 1, now)}
	}
	return j
}

func started(n int, st Start, version, epoch int64, now time.Time) Attempt {
	return Attempt{Number: n, Target: st.Target, Provider: st.Provider, Model: st.Model, Key: st.Key, State: AttemptStarting,
		Version: version, Epoch: epoch, Started: now, SendBy: now.Add(st.SendWithin)}
}

// Begin writes the next attempt of a job under the caller's epoch. It is
// refused with ErrBlocked while an earlier attempt is open (R11); with race set
// only while one is starting or running (R15). Also ErrStale, ErrEnded,
// ErrLimit, ErrNotFound, and ErrMoved where n is not the next number.
func (s *Store) Begin(ctx context.Context, id string, epoch int64, n int, race bool, lease time.Duration, st Start) (Attempt, error) {
	shard, ok := shardOfID(id)
	if !ok {
		return Attempt{}, ErrNotFound
	}
	if n > MaxAttempts {
		return Attempt{}, ErrLimit
	}
	keys := []string{s.keys.job(id), s.keys.due(shard), s.keys.open(shard), s.keys.attempt(id, max(n-1, 1)), s.keys.attempt(id, n)}
	w, err := s.words(ctx, s.scripts.begin, keys, token(), id, epoch, n, flag(race), ms(lease), ms(st.SendWithin),
		st.Target, st.Provider, st.Model, MaxAttempts, st.Key)
	if err != nil {
		return Attempt{}, err
	}
	if w[0] == "begun" {
		return started(n, st, number(w[1]), epoch, millis(w[2])), nil
	}
	return Attempt{}, refusal(s.scripts.begin, w)
}

// Accept records that the provider has the request: the attempt is running.
// reference is the provider's id of the call, or "". It answers ErrEnded for an
// attempt that has ended, and may be repeated.
func (s *Store) Accept(ctx context.Context, id string, n int, reference string) error {
	if _, ok := shardOfID(id); !ok {
		return ErrNotFound
	}
	w, err := s.words(ctx, s.scripts.accept, []string{s.keys.job(id), s.keys.attempt(id, n)}, token(), reference)
	if err != nil || w[0] == "accepted" {
		return err
	}
	return refusal(s.scripts.accept, w)
}

// refusal turns a reply word that refuses into its error.
func refusal(sc script, w []string) error {
	switch w[0] {
	case "missing":
		return ErrNotFound
	case "ended":
		return ErrEnded
	case "stale":
		return ErrStale
	case "blocked":
		return ErrBlocked
	case "busy":
		return ErrBusy
	case "held":
		return ErrHeld
	case "limit":
		return ErrLimit
	case "quarantined":
		return ErrQuarantined
	case "moved":
		return ErrMoved
	case "conflict":
		return &ConflictError{Version: number(w[1])}
	case "not_unknown":
		return &NotUnknownError{State: AttemptState(w[1])}
	case "too_soon":
		return &TooSoonError{Wait: time.Duration(number(w[1])) * time.Millisecond}
	}
	return unexpected(sc, w)
}

func unexpected(sc script, w []string) error {
	return fmt.Errorf("%s: unexpected reply %q", sc.name, w)
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func number(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }

// millis reads a time of the server; "" and "0" are the zero time.
func millis(s string) time.Time {
	n := number(s)
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// orphaned is the failure of an attempt whose router is gone.
func orphaned() *contracts.Failure {
	return &contracts.Failure{Class: contracts.RouterLost, Effect: contracts.Open, Code: "lease_lapsed",
		Detail: "the router that held the attempt stopped renewing its lease; the request may have been sent"}
}
