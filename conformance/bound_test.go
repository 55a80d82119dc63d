package conformance

import (
	"math"
	"math/big"
	"testing"
)

// If every trial succeeded, P(X = n | p) = p^n, so that the bound is the n-th
// root of 0.05; if one did, 1 - (1-p)^n = 0.05.
func TestBoundClosedForms(t *testing.T) {
	for _, n := range []int{1, 3, 24, 100, 200, 1000} {
		if got, want := LowerBound(n, n), math.Pow(0.05, 1/float64(n)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d of %d: %.15f, want %.15f", n, n, got, want)
		}
		if got, want := LowerBound(1, n), -math.Expm1(math.Log(0.95)/float64(n)); math.Abs(got-want) > 1e-12 {
			t.Errorf("1 of %d: %.15f, want %.15f", n, got, want)
		}
	}
}

// NIST/SEMATECH e-Handbook 7.2.4.1: 4 defective of 20 have the two-sided 90
// percent limits 0.071354 and 0.401029. 59 without a failure are the usual
// sample for 95 percent reliability at 95 percent confidence.
func TestBoundPublishedValues(t *testing.T) {
	for _, c := range []struct {
		ok, n     int
		want, tol float64
	}{
		{4, 20, 0.071354, 1e-6},
		{16, 20, 1 - 0.401029, 1e-6},
		{100, 100, 0.970, 5e-4},
		{59, 59, 0.95, 5e-4},
	} {
		if got := LowerBound(c.ok, c.n); math.Abs(got-c.want) > c.tol {
			t.Errorf("%d of %d: %.6f, want %.6f", c.ok, c.n, got, c.want)
		}
	}
}

// By its definition the bound is the rate at which ok or more of n have a
// chance of exactly one in twenty. The sum is taken in 200 bits.
func TestBoundSolvesItsDefinition(t *testing.T) {
	for _, c := range [][2]int{{96, 100}, {95, 100}, {90, 100}, {50, 100}, {2, 100}, {199, 200}, {23, 24}, {154, 160}, {970, 1000}} {
		p := LowerBound(c[0], c[1])
		if tail := binomialTail(c[0], c[1], p); math.Abs(tail-0.05) > 1e-9 {
			t.Errorf("%d of %d at %.6f: chance %.12f, want 0.05", c[0], c[1], p, tail)
		}
	}
}

func binomialTail(k, n int, p float64) float64 {
	sum, x, y := newFloat(0), newFloat(p), newFloat(0)
	y.Sub(newFloat(1), x)
	for i := k; i <= n; i++ {
		term := new(big.Float).SetPrec(200).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		for range i {
			term.Mul(term, x)
		}
		for range n - i {
			term.Mul(term, y)
		}
		sum.Add(sum, term)
	}
	f, _ := sum.Float64()
	return f
}

func newFloat(f float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(f) }

func TestNinetySixOfAHundredReachNineInTenAndNinetyFiveDoNot(t *testing.T) {
	if LowerBound(96, 100) < 0.90 || LowerBound(95, 100) >= 0.90 {
		t.Errorf("96: %.4f, 95: %.4f", LowerBound(96, 100), LowerBound(95, 100))
	}
}

func TestBoundWithoutSuccessIsZero(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {0, 10}, {-1, 3}, {4, 3}} {
		if got := LowerBound(c[0], c[1]); got != 0 {
			t.Errorf("%d of %d: %g, want 0", c[0], c[1], got)
		}
	}
}
