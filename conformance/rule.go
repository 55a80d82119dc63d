package conformance

import (
	"fmt"

	"inferonce/contracts"
)

// rules turn what came of the runs into verdicts. They are pure: the same
// results give the same verdicts.
type rules struct {
	mode       string
	minSuccess float64 // the contract's
	blocks     int     // of runs that were planned
	checks     []Check
	cases      []caseResult
}

// minUnpadded is the share of answers that must not be padded.
const minUnpadded = 0.99

// complete says that every planned run came to an end.
func (r rules) complete() bool {
	for _, c := range r.cases {
		if c.missing() > 0 {
			return false
		}
	}
	return len(r.cases) > 0
}

// verdicts judges every check of the catalogue, in its order.
func (r rules) verdicts() []contracts.ReportCheck {
	all := make([]contracts.ReportCheck, 0, len(r.checks))
	for _, c := range r.checks {
		v := contracts.ReportCheck{ID: c.ID, Class: string(c.Class), Says: c.Says}
		if c.set != nil {
			r.ofSet(c, &v)
		} else {
			r.ofRuns(c, &v)
		}
		all = append(all, v)
	}
	return all
}

func (r rules) ofSet(c Check, v *contracts.ReportCheck) {
	if !r.complete() {
		v.Verdict, v.Detail = contracts.Inconclusive, "not all runs were made"
		return
	}
	got := c.set(r.cases)
	v.N, v.OK, v.Detail = got.n, got.ok, got.detail
	switch {
	case got.n == 0:
		v.Verdict, v.Detail = contracts.NotApplicable, "the cases have nothing to compare"
	case got.ok < got.n:
		v.Verdict = contracts.Fail
	default:
		v.Verdict = contracts.Pass
	}
}

func (r rules) ofRuns(c Check, v *contracts.ReportCheck) {
	t := count(c, r.checks, r.cases)
	v.N, v.OK, v.Bound = t.n, t.ok, LowerBound(t.ok, t.n)
	if t.first != "" {
		v.Detail = fmt.Sprintf("case %s: %s", t.first, t.why)
	}
	switch {
	case t.n == 0:
		v.Verdict, v.Detail = r.unreached(c)
	case c.ID == idRight:
		v.Verdict, v.Detail = r.right(t)
	case c.ID == idArguments:
		v.Verdict = r.argumentsVerdict(t)
	case c.structural():
		v.Verdict = r.structure(t)
	case c.Class == Statistical:
		v.Verdict = passIf(float64(t.ok) >= minUnpadded*float64(t.n))
	default:
		v.Verdict = passIf(t.ok == t.n)
	}
}

func passIf(holds bool) contracts.Verdict {
	if holds {
		return contracts.Pass
	}
	return contracts.Fail
}

// unreached tells a check that speaks about no case from one that no run came to.
func (r rules) unreached(c Check) (contracts.Verdict, string) {
	if c.idle != "" {
		return contracts.NotApplicable, c.idle
	}
	if c.applies != nil {
		for _, k := range r.cases {
			if c.applies(k.Case) {
				return contracts.Inconclusive, "no run came to it"
			}
		}
		return contracts.NotApplicable, "no case is tagged for it"
	}
	return contracts.Inconclusive, "no run came to it"
}

// structure forgives certify one broken run in its two blocks, whatever check
// of structure it broke. With one block it can't say yet.
func (r rules) structure(t counts) contracts.Verdict {
	broken := r.broken()
	switch {
	case t.ok == t.n:
		return contracts.Pass
	case r.mode != Certify || broken > 1:
		return contracts.Fail
	case r.blocks < 2 || !r.complete():
		return contracts.Inconclusive
	}
	return contracts.Pass
}

func (r rules) broken() int {
	n := 0
	for _, c := range r.cases {
		for _, run := range c.runs {
			if i := find(r.checks, run.Check); i >= 0 && r.checks[i].structural() {
				n++
			}
		}
	}
	return n
}
