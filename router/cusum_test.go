package router

import (
	"math"
	"math/rand/v2"
	"testing"

	"inferonce/jobstore"
)

// runLength is the average number of cases until an alarm at a true share of
// wrong ones, from the Markov chain of the sum (Brook and Evans, Biometrika 59,
// 1972): the expected steps to absorption solve (I − Q)·L = 1.
func runLength(p cusumPlan, wrong float64) float64 {
	n := p.h * p.m
	a := make([][]float64, n)
	for s := range a {
		a[s] = make([]float64, n+1)
		a[s][s]++
		a[s][n] = 1
		a[s][max(0, s-1)] -= 1 - wrong
		if up := s + p.m - 1; up < n {
			a[s][up] -= wrong
		}
	}
	for i := range n {
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for c := i; c <= n && f != 0; c++ {
				a[r][c] -= f * a[i][c]
			}
		}
	}
	l := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		l[i] = a[i][n]
		for c := i + 1; c < n; c++ {
			l[i] -= a[i][c] * l[c]
		}
		l[i] /= a[i][i]
	}
	return l[0]
}

// simulated is the mean of so many run lengths, and its standard error.
func simulated(p cusumPlan, wrong float64, times int, rng *rand.Rand) (mean, sem float64) {
	var sum, squares float64
	for range times {
		n, s := 0.0, 0
		for ; !p.alarm(s); n++ {
			s = p.next(s, rng.Float64() >= wrong)
		}
		sum, squares = sum+n, squares+n*n
	}
	mean = sum / float64(times)
	return mean, math.Sqrt((squares/float64(times) - mean*mean) / float64(times))
}

func TestTheCumulativeSumHasTheRunLengthsThatItsPlansSay(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 26))
	stated := [][2]float64{{62126, 62}, {211540, 64}, {133567, 89}, {56144, 108}, {93349, 170}}
	for i, p := range cusumPlans() {
		for k, wrong := range []float64{p.upTo, p.worse} {
			want := stated[i][k]
			if exact := runLength(p, wrong); math.Abs(exact-want) > 0.5 {
				t.Errorf("at %g of %+v: %g cases by the chain, stated %g", wrong, p, exact, want)
			}
			times := []int{400, 4000}[k]
			if mean, sem := simulated(p, wrong, times, rng); math.Abs(mean-want) > 4*sem+0.5 {
				t.Errorf("at %g of %+v: %g ± %g cases by simulation, stated %g", wrong, p, mean, sem, want)
			}
		}
	}
}

func TestTheReferenceValueLiesBetweenWhatWasCertifiedAndWhatIsWorse(t *testing.T) {
	for _, p := range cusumPlans() {
		ratio := -math.Log((1-p.worse)/(1-p.upTo)) / math.Log(p.worse*(1-p.upTo)/(p.upTo*(1-p.worse)))
		if k := 1 / float64(p.m); k <= p.upTo || k >= p.worse || k < ratio-0.005 || 1/float64(p.m+1) > ratio {
			t.Errorf("%+v: k %g, by the likelihood ratio %g", p, k, ratio)
		}
	}
}

func TestACumulativeSumOverRuns(t *testing.T) {
	for _, c := range []struct {
		name           string
		certified, run jobstore.Share
		alarmsAt       int // run; 0: never in 200
	}{
		{"as right as when it was certified", jobstore.Share{N: 24, OK: 24}, jobstore.Share{N: 24, OK: 24}, 0},
		{"one of 24 wrong is what chance gives", jobstore.Share{N: 24, OK: 24}, jobstore.Share{N: 24, OK: 23}, 0},
		{"half of them wrong", jobstore.Share{N: 24, OK: 24}, jobstore.Share{N: 24, OK: 12}, 1},
		{"a certified rate that never changes", jobstore.Share{N: 25, OK: 23}, jobstore.Share{N: 25, OK: 23}, 0},
		{"worse than a modest rate", jobstore.Share{N: 25, OK: 23}, jobstore.Share{N: 25, OK: 17}, 2},
		{"nothing seen", jobstore.Share{N: 25, OK: 23}, jobstore.Share{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			sum, at := 0, 0
			for i := 1; i <= 200 && at == 0; i++ {
				var alarm bool
				if sum, alarm = cusum(sum, c.certified, c.run); alarm {
					at = i
				}
			}
			if at != c.alarmsAt {
				t.Errorf("an alarm in run %d, want %d", at, c.alarmsAt)
			}
		})
	}
}
