package router

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// call is one attempt's request while its connection is listened to.
type call struct {
	attempt jobstore.Attempt
	began   time.Time
	limits  tryLimits
	hangUp  context.CancelFunc
	first   chan struct{} // closed when the first byte of the answer is there
	heard   bool          // the driver has seen that
	guarded *guarded      // its part in what is known of its target; nil for one that is not made
	accept  time.Time     // when the record shall say so, if the answer is not complete by then
}

// answer is what came of a call.
type answer struct {
	number  int
	result  *contracts.Result
	failure *contracts.Failure
	note    *jobstore.Late // what to keep of the result if it does not count
	usage   contracts.Usage
	cost    *jobstore.Cost
}

// errListened says that the connection was listened to for as long as the route allows.
var errListened = errors.New("listened long enough")

// execute makes the call of an attempt that is on record, beside the
// driver, and delivers exactly one answer. The call's context belongs to the job.
func (d *driver) execute(a jobstore.Attempt, limits tryLimits, sendBy time.Time) {
	ctx, hangUp := context.WithTimeoutCause(d.r.life, d.f.route.ListenFor, errListened)
	c := &call{attempt: a, began: time.Now(), limits: limits, hangUp: hangUp, first: make(chan struct{}), guarded: d.r.enter(a.Target)}
	d.calls[a.Number] = c
	id, intent := d.job.ID, d.job.Intent // the driver may read its record anew meanwhile
	d.r.drivers.run(func() {
		defer hangUp()
		a, call := d.r.complete(ctx, d.f.route.Contract, id, intent, c, sendBy)
		c.guarded.leave(outcomeOf(a.failure, call != nil))
		d.answers <- a
		if call != nil {
			d.r.rested(c.attempt.Target, a.failure, c.began)
		}
		d.r.classify(call) // nobody waits for it
	})
}

// complete makes one call and judges its answer against the contract (R26). call
// is what the provider said; nil if it was not asked.
func (r *Router) complete(ctx context.Context, c *contracts.Contract, id string, intent []byte, k *call, sendBy time.Time) (out answer, call *heard) {
	out.number = k.attempt.Number
	t := r.Targets[k.attempt.Target]
	defer func() {
		// A bug of ours after the request left says nothing about the provider.
		if p := recover(); p != nil {
			out.result, call = nil, nil
			out.failure = &contracts.Failure{Class: contracts.Internal, Effect: contracts.Open, Code: "panic", Detail: "the router failed while it made the call"}
		}
	}()
	free, ok := r.slot(t.Name)
	if !ok {
		out.failure = &contracts.Failure{Class: contracts.Overloaded, Effect: contracts.None, Code: "target_busy", Detail: "the target has as many calls under way as it may have; nothing was sent"}
		return out, nil
	}
	defer free()
	if out.failure = r.turn(ctx, t.Name, sendBy); out.failure != nil {
		return out, nil
	}
	input, err := inputOf(intent)
	if err == nil {
		var req providers.Request
		if req, err = providers.BuildRequest(c, input, t); err == nil {
			req.AttemptID = jobstore.AttemptID(id, k.attempt.Number)
			req.Limits = providers.Limits{Connect: k.limits.connect, SendBy: sendBy}
			req.OnFirstByte = func() { close(k.first) }
			done, err := r.Providers[t.Provider].Complete(ctx, req)
			return judgeAnswer(out, c, input, t, done, err), &heard{t.Name, c, input, done, err}
		}
	}
	out.failure = &contracts.Failure{Class: contracts.Internal, Effect: contracts.None, Code: "render", Detail: "the prompt could not be made from the stored intent"}
	return out, nil
}

// slot takes one of a target's places for calls, without waiting: another
// target may have one free.
func (r *Router) slot(target string) (free func(), ok bool) {
	slots := r.slots[target]
	if slots == nil {
		return func() {}, true
	}
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, true
	default:
		return nil, false
	}
}

func judgeAnswer(out answer, c *contracts.Contract, input json.RawMessage, t providers.Target, done contracts.Completion, err error) answer {
	if err != nil {
		out.failure = asFailure(err)
		return out
	}
	out.usage = done.Usage
	output, failure := c.Judge(done, input)
	if failure != nil {
		out.failure = failure
		return out
	}
	out.result = &contracts.Result{Output: output, Target: t.Name, Provider: t.Provider, Model: done.Model,
		FinishReason: done.FinishReason, Usage: done.Usage}
	said := spoken(done, output)
	sum := sha256.Sum256(said)
	out.note = &jobstore.Late{Bytes: len(said), SHA256: hex.EncodeToString(sum[:]), Usage: done.Usage}
	return out
}

// spoken is what an answer said: its text, or its calls.
func spoken(done contracts.Completion, output json.RawMessage) []byte {
	if len(done.ToolCalls) > 0 {
		return output
	}
	return []byte(done.Content)
}

// asFailure trusts no adapter to keep its promise: what is not a Failure may
// still be running.
func asFailure(err error) *contracts.Failure {
	var f *contracts.Failure
	if errors.As(err, &f) {
		return f
	}
	return &contracts.Failure{Class: contracts.Internal, Effect: contracts.Open, Code: "adapter", Detail: fmt.Sprintf("the adapter gave an error of type %T", err)}
}

// inputOf reads the member "input" of a stored intent.
func inputOf(intent []byte) (json.RawMessage, error) {
	var body struct {
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(intent, &body); err != nil {
		return nil, err
	}
	return body.Input, nil
}
