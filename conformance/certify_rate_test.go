package conformance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"inferonce/contracts"
)

// choose is the number of ways to pick k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := 1; i <= k; i++ {
		ways *= float64(n-k+i) / float64(i)
	}
	return ways
}

// exactly is the chance that of n trials, each with chance p, exactly k succeed.
func exactly(n, k int, p float64) float64 {
	return choose(n, k) * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
}

// outer are the least and the most successes of n trials that chance explains:
// beyond either lies less than a hundredth of a percent.
func outer(n int, p float64) (least, most int) {
	const tail = 1e-4
	sum := 0.0
	for least = 0; sum+exactly(n, least, p) < tail; least++ {
		sum += exactly(n, least, p)
	}
	sum = 0
	for most = n; sum+exactly(n, most, p) < tail; most-- {
		sum += exactly(n, most, p)
	}
	return least, most
}

// Twenty cases, five runs of each, two cases critical. The rules of certify in
// words: every one of the ten critical runs is right, and at least 96 of all
// hundred are (which no case that fails all its five runs leaves possible).
func certifiedRight(p float64) float64 {
	const critical, ordinary, forgiven = 10, 90, 4
	sum := 0.0
	for wrong := 0; wrong <= forgiven; wrong++ {
		sum += exactly(ordinary, wrong, 1-p)
	}
	return math.Pow(p, critical) * sum
}

// In words: no break of form in a hundred runs, or one, and then none in a
// hundred more. A broken answer is neither right nor wrong, so that the rule of
// right answers is never in question.
func certifiedWhole(p float64) float64 {
	return exactly(100, 0, 1-p) + exactly(100, 1, 1-p)*exactly(100, 0, 1-p)
}

// script is a target whose every answer is one of two, as the judge rules on them.
type script struct {
	options      Options
	good, lapsed []outcome // by case
}

func newScript(t *testing.T, c *contracts.Contract, lapse string) script {
	t.Helper()
	o, err := certify(c, honest).complete()
	if err != nil {
		t.Fatal(err)
	}
	s := script{options: o}
	ruled := func(k contracts.Case, content string) outcome {
		got := said(content)
		return outcome{Ruling: NewJudge(c, "m").Classify(k, got, nil), content: content, model: got.Model, usage: got.Usage}
	}
	for _, k := range c.Cases {
		s.good, s.lapsed = append(s.good, ruled(k, right(k))), append(s.lapsed, ruled(k, lapse))
	}
	return s
}

// certified makes a suite of nothing but runs and rules: what is linted and what
// is asked beside the cases is the same every time, and costs the most.
func (c script) certified(lapses func() bool) contracts.Verdict {
	s := newSuite(c.options)
	s.checks = slices.DeleteFunc(s.checks, func(k Check) bool { return k.offline != nil || k.probe != nil })
	c.block(s, lapses)
	if s.oneBreak() {
		c.block(s, lapses)
	}
	return s.report().Verdict
}

func (c script) block(s *suite, lapses func() bool) {
	s.blocks++
	for _, j := range s.order() {
		if s.over() {
			return
		}
		o := c.good[j.kase]
		if lapses() {
			o = c.lapsed[j.kase]
		}
		o.repeat = j.repeat
		s.calls++
		s.finish(func() {}, j, o, o.usage)
	}
}

// A suite that passes by luck, or fails by bad luck, more often than its rules
// say is a wrong suite: 500 of a target whose true rate is known come out as often
// as counting says they do.
func TestCertifyPassesAsOftenAsItsRulesSay(t *testing.T) {
	const suites = 500
	c := many(t, 20)
	for _, l := range []struct {
		name   string
		rate   float64
		lapse  string
		chance func(float64) float64
	}{
		{"right", 0.99, wrong, certifiedRight},
		{"right", 0.90, wrong, certifiedRight},
		{"well formed", 0.99, "nonsense", certifiedWhole},
	} {
		rng := rand.New(rand.NewPCG(2026, uint64(1000*l.rate)))
		target := newScript(t, c, l.lapse)
		passed := 0
		for range suites {
			if target.certified(func() bool { return rng.Float64() >= l.rate }) == contracts.Pass {
				passed++
			}
		}
		chance := l.chance(l.rate)
		least, most := outer(suites, chance)
		if passed < least || passed > most {
			t.Errorf("%s in %.2f of runs: %d of %d suites pass; counting says %.4f, so %d to %d", l.name, l.rate, passed, suites, chance, least, most)
		}
		t.Logf("%s in %.2f of runs: %d of %d suites pass; counting says %.4f, so %d to %d", l.name, l.rate, passed, suites, chance, least, most)
	}
}

// By hand: 0.99^10 is 0.9044, and of ninety runs at most four are wrong in 99.78
// of a hundred; 0.9^10 is 0.3487, and there it is 4.65. 0.99^100 is 0.3660.
func TestTheCountingItselfIsRight(t *testing.T) {
	for got, want := range map[float64]float64{certifiedRight(1): 1, math.Round(1e3*certifiedRight(0.99)) / 1e3: 0.902, math.Round(1e4*certifiedRight(0.9)) / 1e4: 0.0162, choose(90, 4): 2555190, math.Round(1e3*certifiedWhole(0.99)) / 1e3: 0.501} {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if least, most := outer(500, 0.5); least < 205 || least > 215 || least+most != 500 { // 250 - 3.7 times the root of 125
		t.Errorf("a fair coin falls %d to %d times", least, most)
	}
}
