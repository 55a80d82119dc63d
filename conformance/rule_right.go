package conformance

import (
	"fmt"
	"strings"

	"inferonce/contracts"
)

// right is the rule of SEM-01: critical cases in every repeat, and then each
// case by thirds (quick) or all runs by their bound (certify).
func (r rules) right(t counts) (contracts.Verdict, string) {
	var faults []string
	always := 0
	for _, c := range r.cases {
		if c.passed() == c.planned {
			always++
		}
		if f := r.caseFault(c); f != "" {
			faults = append(faults, f)
		}
	}
	bound := LowerBound(t.ok, t.n)
	bounded := r.mode == Certify && bound < minSuccess
	if bounded {
		faults = append([]string{fmt.Sprintf("the bound is %.3f, below %.2f", bound, minSuccess)}, faults...)
	}
	if len(faults) == 1 && bounded && !r.complete() {
		return contracts.Inconclusive, "not all runs were made"
	}
	if len(faults) > 0 {
		return contracts.Fail, someOf(faults)
	}
	return contracts.Pass, fmt.Sprintf("%d of %d cases are right in every repeat", always, len(r.cases))
}

// often is the bound of cases for a part of the answer: two thirds in quick, in
// certify the lower bound, or all where so few runs can't reach it.
func (r rules) often(ok, n int) bool {
	if r.mode == Quick {
		return 3*(n-ok) <= n
	}
	return ok == n || LowerBound(ok, n) >= minSuccess
}

func (r rules) caseFault(c caseResult) string {
	wrong, reached := c.wrong(), c.wrong()+c.passed()
	switch {
	case c.Critical && wrong > 0:
		return fmt.Sprintf("critical case %s is wrong in %d of %d runs", c.ID, wrong, reached)
	case r.mode == Quick && 3*wrong > c.planned:
		return fmt.Sprintf("case %s is wrong in %d of %d runs", c.ID, wrong, reached)
	case r.mode == Certify && c.missing() == 0 && c.passed() == 0:
		return fmt.Sprintf("case %s fails in all its runs", c.ID)
	}
	return ""
}

// criticalWrong says that a critical case was answered wrongly, which no
// further run can mend.
func (r rules) criticalWrong() bool {
	for _, c := range r.cases {
		if c.Critical && c.wrong() > 0 {
			return true
		}
	}
	return false
}

// someOf joins the first few of a list and counts the rest.
func someOf(list []string) string {
	const shown = 4
	s := strings.Join(list[:min(len(list), shown)], "; ")
	if rest := len(list) - shown; rest > 0 {
		s += fmt.Sprintf("; and %d more", rest)
	}
	return s
}
