package conformance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// Probe is what a check gets that asks questions of its own. Its calls share
// the suite's bounds on requests and time, and its tries of blocked calls. It
// is safe for concurrent use.
type Probe struct {
	Contract *contracts.Contract
	Target   providers.Target

	suite *suite
	end   context.CancelFunc // stops the other workers
}

// errUnmade says that a call was not made, or stayed blocked: nothing was learnt.
var errUnmade = errors.New("the call was not made, or stayed blocked")

// Nonce returns a word that nobody can know beforehand, of 50 random bits. A
// fixed one could be learnt, or special-cased, by a provider.
func (p *Probe) Nonce() string { return rand.Text()[:10] }

// Ask makes one call, again where it is blocked. The failure is the target's
// answer; the error is errUnmade.
func (p *Probe) Ask(ctx context.Context, r providers.Request) (contracts.Completion, *contracts.Failure, error) {
	s := p.suite
	for try := range maxTries {
		got, f, err := p.once(ctx, s.Provider, r)
		switch {
		case err != nil:
			return got, nil, err
		case f == nil || !isInfra(f):
			return got, f, nil
		case s.hindered(p.end, f) || !pause(ctx, s.wait(f, try)):
			return got, nil, errUnmade
		}
	}
	return contracts.Completion{}, nil, errUnmade
}

// once makes one call to a provider, whatever comes of it, and counts it.
func (p *Probe) once(ctx context.Context, to providers.Provider, r providers.Request) (contracts.Completion, *contracts.Failure, error) {
	s := p.suite
	if ctx.Err() != nil {
		return contracts.Completion{}, nil, errUnmade
	}
	n := s.admit(p.end)
	if n == 0 {
		return contracts.Completion{}, nil, errUnmade
	}
	r.AttemptID = fmt.Sprintf("%s.%d", s.id, n)
	callCtx, cancel := context.WithTimeout(ctx, s.CallTime)
	defer cancel()
	got, err := to.Complete(callCtx, r)
	s.mu.Lock()
	s.asked++
	s.pay(got.Usage, err != nil)
	s.usage.InputTokens += got.Usage.InputTokens
	s.usage.OutputTokens += got.Usage.OutputTokens
	s.mu.Unlock()
	if ctx.Err() != nil {
		return got, nil, errUnmade // ended by us, which says nothing about anybody
	}
	return got, asFailure(err), nil
}

// trials repeats a trial, which says what it missed, "" for nothing. The first
// miss decides and ends them, unless the suite keeps going.
func (p *Probe) trials(n int, trial func(i int) (string, error)) finding {
	f := finding{}
	for i := range n {
		missed, err := trial(i)
		if err != nil {
			f.verdict, f.detail = contracts.Inconclusive, err.Error()
			break
		}
		f.n++
		if missed == "" {
			f.ok++
			continue
		}
		f.detail = missed
		if !p.suite.KeepGoing {
			break
		}
	}
	if f.ok < f.n {
		f.verdict = contracts.Fail // a miss is proof, whatever came after it
	} else if f.verdict == "" {
		f.verdict = contracts.Pass
	}
	return f
}

// kase is the i-th case, round and round.
func (p *Probe) kase(i int) contracts.Case { return p.Contract.Cases[i%len(p.Contract.Cases)] }

// probes runs the checks that ask for themselves: those before the cases, or
// those that compare with their answers.
func (s *suite) probes(outer context.Context, after bool) {
	if s.Mode != Certify && !s.Recognise {
		return
	}
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	p := &Probe{Contract: s.Contract, Target: s.Target, suite: s, end: cancel}
	for _, c := range s.checks {
		if c.probe == nil || c.idle != "" || c.after != after || s.over() || !s.asksIn(c) {
			continue
		}
		if _, replay := s.Provider.(*Replayer); replay {
			s.keep(c, unused("a recording can't answer a new question"))
			continue
		}
		if c.family() == "REN" && s.Contract.Probes.NoRendering {
			s.keep(c, unused("the contract says: "+s.Contract.Probes.Reason))
			continue
		}
		s.keep(c, c.probe(ctx, p))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endedBy(outer)
}

func (c Check) family() string {
	family, _, _ := strings.Cut(c.ID, "-")
	return family
}

func (s *suite) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped != ""
}

// keep records a finding; a hard one that failed ends the suite.
func (s *suite) keep(c Check, f finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found[c.ID] = f
	if c.Class != Hard || f.verdict != contracts.Fail {
		return
	}
	s.hard = true
	if !s.KeepGoing {
		s.stop("the first hard failure ended the suite; keep going to see the rest")
	}
}
