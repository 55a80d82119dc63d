package failover

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

// begin starts the next attempt of a job; the caller holds mu.
func (f *fake) begin(j *record, target string) {
	n := len(j.Attempts) + 1
	j.Attempts = append(j.Attempts, Attempt{Number: n, Target: target, State: running, StartedAt: time.Now().UTC()})
	j.read[n] = j.Version
	j.State = running
	j.touch()
	f.run(j, n, target)
}

// run makes the call of an attempt, and watches whether it will be silent.
func (f *fake) run(j *record, n int, target string) {
	life := f.life
	go func() { f.settle(life, j, n, f.call(life, j, n, target)) }()
	go func() {
		calls, err := f.sim.Await(life, sim.Query{Job: j.ID, Attempt: n}, sim.Started, 1)
		if err == nil && silent(calls[0].Fault) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if a := &j.Attempts[n-1]; life.Err() == nil && a.State == running {
				f.lose(j, a, &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open})
			}
		}
	}()
}

// silent reports whether a call that takes this fault has nothing to say for
// longer than anybody waits. One that is only held up before its work has.
func silent(fault string) bool {
	return strings.HasPrefix(fault, "late") || strings.HasPrefix(fault, "hang")
}

// lose notes that nobody knows what became of an attempt; the caller holds mu.
func (f *fake) lose(j *record, a *Attempt, failure *contracts.Failure) {
	if f.flaw == "tries again after a timeout" && failure.Class != contracts.RouterLost {
		a.State, a.Failure = failed, failure
		f.next(j)
		return
	}
	a.State, a.Failure, j.State = unknown, failure, unknown
	j.touch()
	if j.contract.OnUnknown.Action == contracts.UnknownRaceAfter && len(j.Attempts) == 1 {
		f.begin(j, "sim-b")
	}
}

// outcome is what came of a call.
type outcome struct {
	output  json.RawMessage
	failure *contracts.Failure
}

// settle brings the outcome of an attempt into the record.
func (f *fake) settle(life context.Context, j *record, n int, o outcome) {
	f.mu.Lock()
	up, away, target := f.storeUp, !f.hasStore(), j.Attempts[n-1].Target
	f.mu.Unlock()
	if f.flaw == "calls again when the store is away" && away {
		o = f.call(life, j, n, target)
	}
	select {
	case <-up:
	case <-life.Done():
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a := &j.Attempts[n-1]
	open := a.State == running || a.State == unknown
	switch {
	case life.Err() != nil:
	case o.failure == nil:
		f.finish(j, a, open, o.output)
	case open && o.failure.Effect == contracts.Open:
		f.lose(j, a, o.failure)
	case open:
		a.State, a.Failure = failed, o.failure
		if j.Live() && j.openAttempts() == 0 {
			f.next(j)
		}
	}
}

// finish writes a result if nobody has won before; the caller holds mu.
func (f *fake) finish(j *record, a *Attempt, open bool, output json.RawMessage) {
	switch {
	case open && j.Live() && j.read[a.Number] == j.Version, f.flaw == "lets a late result win":
		a.State, j.State, j.CompletedBy = succeeded, succeeded, a.Number
		j.Version++
		j.Result = &contracts.Result{Output: output, Target: a.Target}
		j.Recovered = len(j.Attempts) > 1 && f.flaw != "hides that it recovered"
	default:
		if open {
			a.State = discarded
		}
		a.Late = json.RawMessage(`{}`)
	}
	j.touch()
}

// next goes on after a failure: it begins an attempt, waits, or ends the job;
// the caller holds mu.
func (f *fake) next(j *record) {
	last := j.last()
	ended := last.effect() == contracts.Ended && j.contract.Effects != contracts.EffectsNone && f.flaw != "runs external effects twice"
	if ended || len(j.Attempts) >= 3 || f.flaw == "never falls over" {
		f.fail(j, "job_failed")
		return
	}
	targets := []string{"sim-a"}
	if s := f.standing[j.Contract]; s.on || f.flaw == "falls over to anybody" {
		targets = append(targets, "sim-b")
	}
	for _, t := range targets {
		if !slices.ContainsFunc(j.Attempts, func(a Attempt) bool { return a.Target == t || a.Target == "sim-dead" && t == "sim-a" }) {
			f.begin(j, t)
			return
		}
	}
	if len(targets) == 1 {
		f.fail(j, "no_eligible_fallback")
		return
	}
	j.State = queued
	j.touch()
	life := f.life
	time.AfterFunc(f.waitFor(last.Failure), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if life.Err() == nil && j.State == queued {
			f.begin(j, "sim-a")
		}
	})
}

func (f *fake) fail(j *record, code string) {
	j.State = failed
	j.Error = &struct {
		Code string `json:"code"`
	}{code}
	j.touch()
}
