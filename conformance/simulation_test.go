package conformance

import (
	"math"
	"math/rand/v2"
	"testing"

	"inferonce/contracts"
)

// A suite that passes by luck, or fails by bad luck, more often than its rules
// say is a wrong suite. A target that answers each run rightly with chance p
// passes quick with p^3 for each critical case and p^3 + 3p^2(1-p) for each
// other. 300 suites must come out within four standard errors of that.
func TestQuickPassesAsOftenAsItsRulesSay(t *testing.T) {
	const suites, critical, ordinary = 300, 2, 6
	c := many(t, critical+ordinary)
	for _, p := range []float64{0.99, 0.80} {
		rng := rand.New(rand.NewPCG(2026, uint64(100*p)))
		answers := lapse(wrong, func(string, int) bool { return rng.Float64() >= p })
		passed := 0
		for range suites {
			if run(t, options(c, answers)).Verdict == contracts.Pass {
				passed++
			}
		}
		three := p * p * p
		chance := math.Pow(three, critical) * math.Pow(three+3*p*p*(1-p), ordinary)
		band := 4 * math.Sqrt(chance*(1-chance)/suites)
		if got := float64(passed) / suites; math.Abs(got-chance) > band {
			t.Errorf("a target right in %.2f of runs passes %.3f of suites, want %.3f ± %.3f", p, got, chance, band)
		}
	}
}
