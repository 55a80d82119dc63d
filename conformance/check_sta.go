package conformance

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"inferonce/contracts"
)

const idFingerprint = "STA-05"

// steadyChecks look at all answers of certify together, and at the target under
// load.
func steadyChecks() []Check {
	return []Check{
		{ID: "STA-01", Class: Hard, Proves: "R24", Says: "every case was repeated as often as planned", set: repeated},
		{ID: "STA-02", Class: Statistical, Proves: "R24", Says: "repeats agree with each other", probe: agreement, after: true},
		{ID: "STA-03", Class: Advisory, Proves: "R24", Says: "time and tokens of an answer are known", probe: pace, after: true},
		{ID: "STA-04", Class: Statistical, Proves: "R24", Says: "answers are as right under load", probe: underLoad, after: true},
		{ID: idFingerprint, Class: Advisory, Proves: "R25", Says: "the target can be known again", probe: fingerprint, after: true},
	}
}

// repeated is asked only once every planned run has come to an end.
func repeated(cases []caseResult) setResult {
	var r setResult
	for range cases {
		r.add(1, "")
	}
	return r
}

// The least shares of answers that agree with most of their case's repeats.
const (
	agreeLowest = 0.95
	agreeWarm   = 0.90 // where the target draws at a temperature of 1, or as it likes
)

func agreement(_ context.Context, p *Probe) finding {
	n, ok := 0, 0
	for _, c := range p.suite.results() {
		all, most := c.majority()
		n, ok = n+all, ok+most
	}
	least := agreeLowest
	if t := p.Target.Temperature; p.Contract.Sampling.Intent != contracts.IntentLowest || t.Omit || t.Fixed != nil && *t.Fixed >= 1 {
		least = agreeWarm
	}
	if n == 0 {
		return unshown("no case has answers to compare")
	}
	return finding{verdict: passIf(float64(ok) >= least*float64(n)), n: n, ok: ok}
}

// majority counts the answers to a case, and those that most repeats gave.
func (c caseResult) majority() (all, most int) {
	seen := map[string]int{}
	for _, r := range c.runs {
		if r.Output != nil {
			v := view(r.Output, named(c.Case))
			all++
			seen[v]++
			most = max(most, seen[v])
		}
	}
	return all, most
}

func pace(_ context.Context, p *Probe) finding {
	var times, tokens []int64
	for _, c := range p.suite.results() {
		for _, r := range c.runs {
			times = append(times, r.latency.Milliseconds())
			tokens = append(tokens, r.usage.OutputTokens)
		}
	}
	if len(times) == 0 {
		return unshown("there are no answers")
	}
	return of(len(times), len(times), "").with(map[string]string{"p95_ms": fmt.Sprint(p95(times)), "p95_output_tokens": fmt.Sprint(p95(tokens))})
}

// p95 is the value that 95 percent do not exceed.
func p95(all []int64) int64 {
	slices.Sort(all)
	return all[(len(all)*95+99)/100-1]
}

const (
	loadCalls = 8    // at once
	loadShare = 0.10 // of the runs
	loadSlack = 0.05 // by which the rate may be lower
	minLoad   = 16   // runs, below which chance decides
	maxLoad   = 50
)

// underLoad sends a tenth of the runs again, eight at a time. The rate counts as
// worse only where chance is no explanation: its upper bound has to lie more
// than five points below the rate before.
func underLoad(ctx context.Context, p *Probe) finding {
	if m := p.Target.MaxConcurrency; m > 0 && m < loadCalls {
		return unused(fmt.Sprintf("the target is never given more than %d calls at once", m))
	}
	n := min(maxLoad, max(minLoad, int(loadShare*float64(p.suite.ended))))
	passed, made := p.burst(ctx, n)
	if made < n {
		return unshown(errUnmade.Error())
	}
	rate := before(p.suite.results(), n)
	upper := 1 - LowerBound(n-passed, n)
	f := finding{verdict: passIf(upper >= rate-loadSlack), n: n, ok: passed}
	if f.verdict == contracts.Fail {
		f.detail = fmt.Sprintf("%d of %d are right with %d calls at once, %.0f %% otherwise", passed, n, loadCalls, 100*rate)
	}
	return f
}

// before is the rate that the cases of a burst of n had by themselves: the burst
// may hold the hard ones.
func before(cases []caseResult, n int) float64 {
	sum := 0.0
	for i := range n {
		c := cases[i%len(cases)]
		sum += float64(c.passed()) / float64(max(len(c.runs), 1))
	}
	return sum / float64(n)
}

// burst makes n runs, loadCalls at a time, and counts those that hold.
func (p *Probe) burst(ctx context.Context, n int) (passed, made int) {
	var workers sync.WaitGroup
	var mu sync.Mutex
	queue := make(chan int)
	for range loadCalls {
		workers.Go(func() {
			for i := range queue {
				holds, err := p.holds(ctx, p.kase(i))
				mu.Lock()
				if err == nil {
					made++
				}
				if holds {
					passed++
				}
				mu.Unlock()
			}
		})
	}
	for i := range n {
		queue <- i
	}
	close(queue)
	workers.Wait()
	return passed, made
}

// holds makes one run of a case outside the count of its repeats.
func (p *Probe) holds(ctx context.Context, k contracts.Case) (bool, error) {
	f, err := p.frame(k.Input)
	if err != nil {
		return false, err
	}
	f.MaxTokens = p.Contract.Sampling.MaxTokens
	got, failure, err := p.Ask(ctx, f.Request)
	if err != nil {
		return false, err
	}
	if failure != nil {
		return p.suite.judge.Classify(k, got, failure).Passed(), nil
	}
	return p.suite.judge.Classify(k, got, nil).Passed(), nil
}
