package conformance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// A blocked call is made at most maxTries times for one run. A provider that
// asks for a longer wait than maxWait is not waited for.
const (
	maxTries = 3
	maxWait  = time.Minute
)

// perform does one run. A run that stays blocked leaves no outcome. end stops
// the other workers.
func (s *suite) perform(ctx context.Context, end context.CancelFunc, j job) {
	for try := range maxTries {
		if ctx.Err() != nil {
			return
		}
		n := s.admit(end)
		if n == 0 {
			return
		}
		o, usage := s.call(ctx, j, n)
		if ctx.Err() != nil {
			return // ended by us, which says nothing about anybody
		}
		if !o.Infra {
			s.finish(end, j, o, usage)
			return
		}
		if s.hindered(end, o.Failure) || !pause(ctx, s.wait(o.Failure, try)) {
			return
		}
	}
}

// admit counts a call in and numbers it; 0 if there is to be none.
func (s *suite) admit(end context.CancelFunc) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != "" {
		return 0
	}
	if s.MaxRequests > 0 && s.calls >= s.MaxRequests {
		s.stop(fmt.Sprintf("the bound of %d requests was met", s.MaxRequests))
		end()
		return 0
	}
	if why := s.overspent(); why != "" {
		s.stop(why)
		end()
		return 0
	}
	s.calls++
	s.spent.open++
	return s.calls
}

// call makes one call, exactly as live traffic would.
func (s *suite) call(ctx context.Context, j job, n int) (outcome, contracts.Usage) {
	k := s.cases[j.kase]
	ctx, cancel := context.WithTimeout(ctx, s.CallTime)
	defer cancel()
	started := time.Now()
	got, err := s.ask(ctx, k, n)
	s.mu.Lock()
	s.pay(got.Usage, err != nil)
	s.mu.Unlock()
	return outcome{Ruling: s.judge.Classify(k, got, err), repeat: j.repeat, content: got.Content,
		model: got.Model, system: got.SystemFingerprint, latency: time.Since(started), usage: got.Usage}, got.Usage
}

// finish records an outcome and decides whether it ends the suite.
func (s *suite) finish(end context.CancelFunc, j job, o outcome, usage contracts.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := slices.BinarySearchFunc(s.done[j.kase], j.repeat, func(x outcome, r int) int { return x.repeat - r })
	s.done[j.kase] = slices.Insert(s.done[j.kase], at, o)
	s.usage.InputTokens += usage.InputTokens
	s.usage.OutputTokens += usage.OutputTokens
	s.ended++
	s.note(o.Check)
	if !s.KeepGoing && s.hopeless() && s.ended < s.planned() {
		s.stop("the first hard failure ended the suite; keep going to see the rest")
		end()
	}
	s.tell(s.cases[j.kase].ID, o.Check)
}

func (s *suite) tell(kase, check string) {
	if s.Progress != nil {
		s.Progress(Progress{Done: s.ended, Planned: s.planned(), Infra: s.infra, Case: kase, Check: check, MicroUSD: s.spent.total})
	}
}

// hindered counts a blocked call and says whether the suite is over: by the
// number of them, or because waiting can't help.
func (s *suite) hindered(end context.CancelFunc, f *contracts.Failure) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.infra++
	s.causes[causeOf(f)]++
	s.gone = s.gone || f.ModelGone()
	switch {
	case slices.Contains([]contracts.Class{contracts.Auth, contracts.NotFound, contracts.QuotaExhausted, contracts.Internal}, f.Class):
		s.stop("the target is not usable: " + causeOf(f))
	case s.blocked():
		s.stop("too many calls were blocked")
	default:
		return false
	}
	end()
	return true
}

func (s *suite) wait(f *contracts.Failure, try int) time.Duration {
	return max(s.Backoff<<try, f.RetryAfter)
}

// pause waits, and says whether another try makes sense.
func pause(ctx context.Context, d time.Duration) bool {
	if d > maxWait {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// ask sends what live traffic would send. Its error is a *contracts.Failure.
func (s *suite) ask(ctx context.Context, k contracts.Case, n int) (contracts.Completion, error) {
	r, err := providers.BuildRequest(s.Contract, k.Input, s.Target)
	if err != nil {
		return contracts.Completion{}, &contracts.Failure{Class: contracts.Internal, Effect: contracts.None, Code: "render"}
	}
	r.AttemptID = fmt.Sprintf("%s.%d", s.id, n)
	return s.Provider.Complete(ctx, r)
}
