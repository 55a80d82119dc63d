package jobstoretest

import (
	"context"
	"errors"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// far is a lease or a send window that outlasts every test.
const far = 10 * time.Hour

// Driver makes Ops on a store, for one owner's key.
type Driver struct {
	Store      *jobstore.Store
	Owner, Key string
	Callback   string // of the jobs that it submits
}

// Job is a job as a caller holds it that has read n attempts.
func (d Driver) Job(id string, n int) *jobstore.Job {
	return &jobstore.Job{ID: id, Owner: d.Owner, Key: d.Key, Attempts: make([]jobstore.Attempt, n)}
}

// Do makes op. known is how many attempts the caller has read of the job.
func (d Driver) Do(ctx context.Context, op Op, known int) Reply {
	s := d.Store
	switch op.Kind {
	case "submit":
		return d.submit(ctx, op)
	case "claim":
		c, err := s.Claim(ctx, op.ID, wait(op.Long), "router")
		r := Reply{Word: word(err), Epoch: c.Epoch}
		if c.Orphaned {
			r.Word = "orphaned"
		}
		return r
	case "renew":
		return Reply{Word: word(s.Renew(ctx, op.ID, op.Epoch, op.Beat, wait(op.Long)))}
	case "release":
		return Reply{Word: word(s.Release(ctx, op.ID, op.Epoch, delay(op.Never)))}
	case "begin":
		a, err := s.Begin(ctx, op.ID, op.Epoch, op.N, op.Race, wait(op.Long), *start(op))
		return Reply{Word: word(err), Version: a.Version}
	case "accept":
		return Reply{Word: word(s.Accept(ctx, op.ID, op.N, "ref"))}
	case "load":
		j, err := s.Load(ctx, op.ID)
		if err != nil {
			return no(word(err))
		}
		return Reply{Word: "ok", Job: Seen(j)}
	}
	return d.end(ctx, op, known)
}

func (d Driver) end(ctx context.Context, op Op, known int) Reply {
	s := d.Store
	switch op.Kind {
	case "settle":
		return settled(s.Settle(ctx, d.Job(op.ID, known), outcome(op)))
	case "fail":
		return settled(s.Fail(ctx, d.Job(op.ID, known), op.Epoch, problem))
	case "resolve":
		return settled(s.Resolve(ctx, op.ID, resolution(op)))
	case "cancel":
		return settled(s.Cancel(ctx, op.ID, jobstore.Settlement{As: jobstore.Cancelled, By: d.Owner, Reason: "no longer needed"}))
	}
	panic("unknown op " + op.Kind)
}

func (d Driver) submit(ctx context.Context, op Op) Reply {
	sub := jobstore.Submission{Owner: d.Owner, Key: d.Key, Fingerprint: op.Fingerprint, Contract: "c@1", Digest: "d",
		Route: "r", Intent: []byte(`{"text":"x"}`), Budget: far, Lease: wait(op.Long), Holder: "router", Callback: d.Callback}
	if op.First {
		sub.First = start(op)
	}
	got, err := d.Store.Resubmit(ctx, op.ID, sub)
	var reused *jobstore.KeyReusedError
	switch {
	case errors.As(err, &reused):
		return Reply{Word: "reused", ID: reused.JobID}
	case err != nil:
		return no(word(err))
	case got.Created:
		return Reply{Word: "created", ID: got.ID}
	}
	return Reply{Word: "exists", ID: got.ID}
}

func wait(long bool) time.Duration {
	if long {
		return far
	}
	return 0
}

func delay(never bool) time.Duration {
	if never {
		return -1
	}
	return 0
}

func start(op Op) *jobstore.Start {
	return &jobstore.Start{Target: "t", Provider: "p", Model: "m", SendWithin: window(op.Window)}
}

// window is far, or over long ago: a request that could leave until this very
// millisecond is not over yet.
func window(open bool) time.Duration {
	if open {
		return far
	}
	return -time.Second
}

var problem = &jobstore.JobError{Code: "job_failed", Message: "nothing is left to try"}

func outcome(op Op) jobstore.Outcome {
	o := jobstore.Outcome{Number: op.N, Epoch: op.Epoch, Version: op.Version, Note: &jobstore.Late{Bytes: 1}}
	switch op.Outcome {
	case "succeeded":
		o.Result = result(op.Result)
	case "unknown":
		o.Failure = &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open}
	default:
		o.Failure = &contracts.Failure{Class: contracts.Overloaded, Effect: contracts.None}
	}
	if op.Fail {
		o.Fail = problem
	}
	return o
}

func result(name string) *contracts.Result {
	return &contracts.Result{Output: []byte(`{}`), Target: name}
}

func resolution(op Op) jobstore.Resolution {
	r := jobstore.Resolution{Number: op.N, IfVersion: op.Version,
		Settlement: jobstore.Settlement{As: op.As, By: "operator", Reason: "looked it up"}}
	if op.Result != "" {
		r.Result = result(op.Result)
	}
	if op.Fail {
		r.Fail = problem
	}
	return r
}

func settled(s jobstore.Settled, err error) Reply {
	var conflict *jobstore.ConflictError
	if errors.As(err, &conflict) {
		return Reply{Word: "conflict", Version: conflict.Version}
	}
	if err != nil {
		return no(word(err))
	}
	return Reply{Word: "ok", State: s.State, Version: s.Version, Won: s.Won}
}

// Lost is the word for a call of which nobody knows whether it happened,
// Unavailable for one that was not made.
const (
	Lost        = "indeterminate"
	Unavailable = "unavailable"
)

func word(err error) string {
	if err == nil {
		return "ok"
	}
	var notUnknown *jobstore.NotUnknownError
	var tooSoon *jobstore.TooSoonError
	switch {
	case errors.As(err, &notUnknown):
		return "not_unknown " + string(notUnknown.State)
	case errors.As(err, &tooSoon):
		return "too_soon"
	case errors.Is(err, jobstore.ErrIndeterminate):
		return Lost
	}
	for name, known := range map[string]error{"missing": jobstore.ErrNotFound, "ended": jobstore.ErrEnded,
		"stale": jobstore.ErrStale, "blocked": jobstore.ErrBlocked, "held": jobstore.ErrHeld, "limit": jobstore.ErrLimit,
		"quarantined": jobstore.ErrQuarantined, "lost": jobstore.ErrLost, "busy": jobstore.ErrBusy, "moved": jobstore.ErrMoved} {
		if errors.Is(err, known) {
			return name
		}
	}
	if errors.Is(err, jobstore.ErrUnavailable) {
		return Unavailable
	}
	return err.Error()
}
