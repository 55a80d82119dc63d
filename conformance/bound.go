package conformance

import "math"

// confidence is that of every bound in a report: one-sided, 95 percent.
const confidence = 0.95

// LowerBound is the exact lower bound of Clopper and Pearson (Biometrika 26,
// 1934) for a rate of which ok of n trials are known: a target whose true rate
// is below it would do so well in at most one of twenty suites. 0 without trials.
func LowerBound(ok, n int) float64 {
	if ok <= 0 || ok > n {
		return 0
	}
	return betaQuantile(1-confidence, float64(ok), float64(n-ok+1))
}

// betaQuantile inverts the regularised incomplete beta function by halving. 64
// steps reach the last bit of a double in (0, 1).
func betaQuantile(p, a, b float64) float64 {
	low, high := 0.0, 1.0
	for range 64 {
		middle := (low + high) / 2
		if betaCDF(middle, a, b) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// betaCDF is the regularised incomplete beta function I_x(a, b) for x in (0, 1),
// by the continued fraction of DLMF 8.17.22, which converges fast on the side of the
// mean that it is used on.
func betaCDF(x, a, b float64) float64 {
	if x > (a+1)/(a+b+2) {
		return 1 - betaCDF(1-x, b, a)
	}
	return math.Exp(a*math.Log(x)+b*math.Log1p(-x)-logBeta(a, b)) / a / betaFraction(x, a, b)
}

func logBeta(a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	return la + lb - lab
}

// betaFraction evaluates 1 + d1/(1 + d2/(1 + …)) from below, with as many terms
// as the largest suite needs: they grow with the square root of a and b.
func betaFraction(x, a, b float64) float64 {
	terms := 20 + int(4*math.Sqrt(max(a, b)))
	f := 1.0
	for m := terms; m >= 1; m-- {
		k := float64(m)
		even := k * (b - k) * x / ((a + 2*k - 1) * (a + 2*k))
		odd := -(a + k) * (a + b + k) * x / ((a + 2*k) * (a + 2*k + 1))
		f = 1 + even/(1+odd/f)
	}
	return 1 - (a+b)*x/(a+1)/f
}
