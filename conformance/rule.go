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
	found      map[string]finding // by checks that are not about the cases' answers
	sent       map[string]string  // the sampling that goes with every case
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
		switch {
		case c.set != nil:
			r.ofSet(c, &v)
		case c.run != nil:
			r.ofRuns(c, &v)
		default:
			r.ofFinding(c, &v)
		}
		if c.ID == idTaken {
			v.Values = r.sent
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
	case got.ok < got.n && (c.least == 0 || float64(got.ok) < c.least*float64(got.n)):
		v.Verdict = contracts.Fail
	default:
		v.Verdict = contracts.Pass
	}
}

func (r rules) ofRuns(c Check, v *contracts.ReportCheck) {
	t := r.count(c)
	v.N, v.OK, v.Bound = t.n, t.ok, LowerBound(t.ok, t.n)
	if t.first != "" {
		v.Detail = fmt.Sprintf("case %s: %s", t.first, t.why)
	}
	switch {
	case t.n == 0:
		v.Verdict, v.Detail = r.unreached(c)
	case c.ID == idRight:
		v.Verdict, v.Detail = r.right(t)
	case c.ID == idGrounded, c.ID == idAgree, c.ID == idFits:
		v.Verdict = passIf(r.often(t.ok, t.n))
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

// ofFinding takes over what a check found that looked for itself.
func (r rules) ofFinding(c Check, v *contracts.ReportCheck) {
	f, ok := r.found[c.ID]
	switch {
	case c.idle != "":
		v.Verdict, v.Detail = contracts.NotApplicable, c.idle
	case ok:
		v.N, v.OK, v.Verdict, v.Detail, v.Values = f.n, f.ok, f.verdict, f.detail, f.values
	case r.mode == Quick && c.probe != nil:
		v.Verdict, v.Detail = contracts.NotApplicable, "quick asks nothing beside the cases; certify does"
	default:
		v.Verdict, v.Detail = contracts.Inconclusive, "the suite ended before it"
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
		return contracts.NotApplicable, "no case is about it"
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
