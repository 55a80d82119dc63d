package jobstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"inferonce/contracts"
)

// Outcome is how one attempt ended, or that nobody knows.
type Outcome struct {
	Number  int
	Epoch   int64
	Version int64 // read when the attempt began
	// Result is set if the attempt succeeded, Failure otherwise. A Failure with
	// effect open turns the attempt unknown.
	Result  *contracts.Result
	Failure *contracts.Failure
	// Fail ends the job with this error if nothing else is open; nil queues it
	// for the next attempt.
	Fail *JobError
	// Note is kept of a result that came too late.
	Note *Late
	// Cost is what the attempt cost; nil where nobody knows. An attempt is
	// charged once: a certain cost takes the place of an estimated one, and stays.
	Cost *Cost
}

// Settled is what Settle did.
type Settled struct {
	Won     bool
	State   JobState // of the job afterwards; not set when lost
	Version int64
	At      time.Time
}

// Settle ends an attempt, or turns it unknown. A result is written only if
// nothing has closed the result slot since the attempt began (R13); otherwise it
// answers ErrLost, and of the result only the note is kept. A failure under an
// old epoch, or for an attempt that has ended, is ErrStale, and so is a version
// that is not the attempt's. After ErrIndeterminate the same result may be
// settled again: if it stands already, that is Won too.
func (s *Store) Settle(ctx context.Context, j *Job, o Outcome) (Settled, error) {
	shard, ok := shardOfID(j.ID)
	if !ok {
		return Settled{}, ErrNotFound
	}
	word, payload := outcome(o)
	after, problem := "queue", ""
	if o.Fail != nil {
		after, problem = "fail", encode(o.Fail)
	}
	var settled Settled
	err := s.moving(ctx, j.ID, j, func(k known) error {
		w, err := s.words(ctx, s.scripts.settle, s.endingKeys(k), k.op, k.id, k.attempts, o.Number, o.Epoch, o.Version,
			word, payload, after, problem, encode(o.Note), ms(s.retention), s.keys.channel(shard),
			o.Cost.certain(), o.Cost.possible())
		if err != nil {
			return err
		}
		switch w[0] {
		case "won":
			settled = Settled{Won: true, State: JobSucceeded, Version: number(w[1]), At: millis(w[2])}
			return nil
		case "lost":
			settled = Settled{At: millis(w[1])}
			return ErrLost
		case "recorded":
			settled = Settled{State: JobState(w[1]), Version: number(w[2]), At: millis(w[3])}
			return nil
		}
		return refusal(s.scripts.settle, w)
	})
	return settled, err
}

func outcome(o Outcome) (word, payload string) {
	switch {
	case o.Result != nil:
		return "succeeded", encode(o.Result)
	case o.Failure.Effect == contracts.Open:
		return "unknown", encode(o.Failure)
	}
	return "failed", encode(o.Failure)
}

// Fail ends a job under which nothing is open.
func (s *Store) Fail(ctx context.Context, j *Job, epoch int64, problem *JobError) (Settled, error) {
	shard, ok := shardOfID(j.ID)
	if !ok {
		return Settled{}, ErrNotFound
	}
	var settled Settled
	err := s.moving(ctx, j.ID, j, func(k known) error {
		w, err := s.words(ctx, s.scripts.fail, s.endingKeys(k), k.op, k.id, k.attempts, epoch, encode(problem),
			ms(s.retention), s.keys.channel(shard))
		if err != nil {
			return err
		}
		if w[0] != "failed" {
			return refusal(s.scripts.fail, w)
		}
		settled = Settled{State: JobFailed, Version: number(w[1]), At: millis(w[2])}
		return nil
	})
	return settled, err
}

// Resolution is an outsider's settlement of an unknown attempt.
type Resolution struct {
	Number     int
	Settlement Settlement
	IfVersion  int64             // of the job, as the outsider saw it; 0 for any
	Result     *contracts.Result // only with Executed
	// Fail ends the job with this error if nothing else is open; nil queues it
	// for the next attempt.
	Fail *JobError
	// Budget, if not 0, gives the reopened job a new deadline that far from now.
	Budget time.Duration
}

// Resolve settles an unknown attempt from outside the request path (R12). It is
// refused with *NotUnknownError, *ConflictError, *TooSoonError, ErrEnded or
// ErrNotFound.
func (s *Store) Resolve(ctx context.Context, id string, r Resolution) (Settled, error) {
	shard, ok := shardOfID(id)
	if !ok {
		return Settled{}, ErrNotFound
	}
	version, result, budget, after, problem := "", "", "", "queue", ""
	if r.IfVersion != 0 {
		version = fmt.Sprint(r.IfVersion)
	}
	if r.Result != nil {
		result = encode(r.Result)
	}
	if r.Budget != 0 {
		budget = ms(r.Budget)
	}
	if r.Fail != nil {
		after, problem = "fail", encode(r.Fail)
	}
	var settled Settled
	err := s.moving(ctx, id, nil, func(k known) error {
		w, err := s.words(ctx, s.scripts.resolve, s.endingKeys(k), k.op, k.id, k.attempts, r.Number, string(r.Settlement.As), version,
			encode(r.Settlement), encode(r.Failure()), result, after, problem, budget, ms(s.retention), s.keys.channel(shard))
		if err != nil {
			return err
		}
		if w[0] != "resolved" {
			return refusal(s.scripts.resolve, w)
		}
		settled = Settled{State: JobState(w[1]), Version: number(w[2]), At: millis(w[3]), Won: w[1] == "succeeded"}
		return nil
	})
	return settled, err
}

// Failure is what the settled attempt's record says, if it has no result.
func (r Resolution) Failure() *contracts.Failure {
	f := &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Ended, Code: "settled_" + string(r.Settlement.As),
		Detail: r.Settlement.Reason}
	if r.Settlement.As == NotExecuted {
		f.Effect = contracts.None
	}
	return f
}

// Cancel ends a live job by its owner's word. A job that is cancelled already
// is no error; one that ended otherwise is ErrEnded.
func (s *Store) Cancel(ctx context.Context, id string, by Settlement) (Settled, error) {
	shard, ok := shardOfID(id)
	if !ok {
		return Settled{}, ErrNotFound
	}
	var settled Settled
	err := s.moving(ctx, id, nil, func(k known) error {
		w, err := s.words(ctx, s.scripts.cancel, s.endingKeys(k), k.op, k.id, k.attempts, encode(by), ms(s.retention), s.keys.channel(shard))
		if err != nil {
			return err
		}
		switch {
		case w[0] == "cancelled":
			settled = Settled{State: JobCancelled, Version: number(w[1]), At: millis(w[2])}
			return nil
		case w[0] == "ended" && w[1] == string(JobCancelled):
			settled = Settled{State: JobCancelled}
			return nil
		}
		return refusal(s.scripts.cancel, w)
	})
	return settled, err
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // every value here is one of ours
	}
	return string(b)
}

// known is what a move that may end a job must know to name all its keys: the
// owner's key, and how many attempts there are. A script that finds another
// number of attempts refuses, and the move is made again with what it finds.
type known struct {
	id, owner, key string
	attempts       int
	op             string
}

func (s *Store) endingKeys(k known) []string {
	shard, _ := shardOfID(k.id)
	keys := []string{s.keys.job(k.id), s.keys.due(shard), s.keys.open(shard), s.keys.idem(k.owner, k.key), s.keys.ended(shard),
		s.keys.outbox(shard), s.keys.owed(k.id), s.keys.log(k.id)}
	return append(keys, s.keys.attempts(k.id, k.attempts)...)
}

// moving makes a move with what is known of the job, reading it first where
// nothing is. It goes on while the job gains attempts, which is at most
// MaxAttempts times.
func (s *Store) moving(ctx context.Context, id string, j *Job, move func(known) error) error {
	for range MaxAttempts + 1 {
		if j == nil {
			read, err := s.Load(ctx, id)
			if err != nil {
				return err
			}
			j = &read
		}
		err := move(known{id, j.Owner, j.Key, len(j.Attempts), token()})
		if !errors.Is(err, ErrMoved) {
			return err
		}
		j = nil
	}
	return fmt.Errorf("%w: job %s kept gaining attempts", ErrUnavailable, id)
}
