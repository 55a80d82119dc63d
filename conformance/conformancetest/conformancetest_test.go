package conformancetest

import (
	"testing"

	"inferonce/contracts"
)

func TestSkippedIsNotPassed(t *testing.T) {
	for _, l := range []struct {
		class   string
		verdict contracts.Verdict
		want    word
	}{
		{"H", contracts.Pass, proved},
		{"H", contracts.Fail, unproved},
		{"H", contracts.Inconclusive, unproved},
		{"H", contracts.NotApplicable, unused},
		{"S", contracts.Fail, unproved},
		{"S", contracts.Inconclusive, unproved},
		{"C", contracts.Fail, recorded},
		{"C", contracts.Inconclusive, recorded},
		{"A", contracts.Fail, recorded},
		{"H", "", unproved},
	} {
		if got := standing(contracts.ReportCheck{Class: l.class, Verdict: l.verdict}); got != l.want {
			t.Errorf("%s %s: %s, want %s", l.class, l.verdict, got, l.want)
		}
	}
}
