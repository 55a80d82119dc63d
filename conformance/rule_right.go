package conformance

import (
	"fmt"
	"strings"

	"inferonce/contracts"
)

// right is the rule of SEM-01: critical cases in every repeat, and then each
// case by thirds (quick) or all runs by their bound (certify). A contract that
// lets whole cases go wrong is judged by its cases in both modes.
func (r rules) right(t counts) (contracts.Verdict, string) {
	faults := r.rateFaults(t)
	always := 0
	for _, c := range r.cases {
		if c.passed() == c.planned {
			always++
		}
		if f := r.caseFault(c); f != "" {
			faults = append(faults, f)
		}
	}
	if len(faults) > 0 {
		return contracts.Fail, someOf(faults)
	}
	detail := fmt.Sprintf("%d of %d cases are right in every repeat", always, len(r.cases))
	if r.byCase() {
		ok := r.mostlyRight()
		detail += fmt.Sprintf(", %d in most: bound over cases %.3f", ok, LowerBound(ok, len(r.cases)))
	}
	return contracts.Pass, detail
}

// byCase says that the contract lets whole cases go wrong. Then they are what
// is counted: a target that always says the same has told everything about a
// case in one run, and five would only make the bound look better.
func (r rules) byCase() bool { return r.minSuccess < contracts.DefaultMinSuccess }

// rateFaults holds the share of right runs, and of cases, against what the
// contract asks for.
func (r rules) rateFaults(t counts) []string {
	var faults []string
	if bound := LowerBound(t.ok, t.n); r.mode == Certify && bound < r.minSuccess {
		faults = append(faults, fmt.Sprintf("the bound is %.3f, below %.2f", bound, r.minSuccess))
	}
	if !r.byCase() {
		return faults
	}
	ok, n := r.mostlyRight(), len(r.cases)
	if bound := LowerBound(ok, n); r.mode == Certify && bound < r.minSuccess {
		return append(faults, fmt.Sprintf("%d of %d cases are right: the bound is %.3f, below %.2f", ok, n, bound, r.minSuccess))
	}
	if float64(ok) < r.minSuccess*float64(n) {
		faults = append(faults, fmt.Sprintf("%d of %d cases are right, less than %.2f of them", ok, n, r.minSuccess))
	}
	return faults
}

// mostlyRight counts the cases that are right in more than half of their runs.
func (r rules) mostlyRight() int {
	n := 0
	for _, c := range r.cases {
		if 2*c.passed() > c.planned {
			n++
		}
	}
	return n
}

func (r rules) caseFault(c caseResult) string {
	wrong, reached := c.wrong(), c.wrong()+c.passed()
	switch {
	case c.Critical && wrong > 0:
		return fmt.Sprintf("critical case %s is wrong in %d of %d runs", c.ID, wrong, reached)
	case r.byCase():
		return ""
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
