// Package conformancetest replays the conformance suite under go test, for
// those who write an adapter or keep a contract beside their code.
package conformancetest

import (
	"fmt"
	"strings"
	"testing"

	"inferonce/conformance"
	"inferonce/contracts"
)

// Run holds a target against a contract and reports each check of the catalogue
// as a subtest. A check that could not be proved fails its test; one that the
// contract has no use for says so in its log. It returns the report for further
// questions.
func Run(t *testing.T, o conformance.Options) contracts.Report {
	t.Helper()
	r, err := conformance.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		t.Run(c.ID, func(t *testing.T) { replay(t, c) })
	}
	t.Run("verdict", func(t *testing.T) {
		if r.Verdict != contracts.Pass {
			t.Errorf("%s: %s", r.Verdict, strings.Join(r.Reasons, "; "))
		}
	})
	return r
}

func replay(t *testing.T, c contracts.ReportCheck) {
	line := fmt.Sprintf("%s: %s: %d of %d; %s", c.Verdict, c.Says, c.OK, c.N, c.Detail)
	switch standing(c) {
	case unproved:
		t.Error(line)
	default: // proved, recorded, or of no use to this contract, which the line says
		t.Log(line)
	}
}

type word string

const (
	proved   word = "proved"
	recorded word = "recorded" // a capability that is not there
	unused   word = "unused"   // the contract has no use for the check
	unproved word = "unproved" // failed, or not shown
)

func standing(c contracts.ReportCheck) word {
	weighs := c.Class == string(conformance.Hard) || c.Class == string(conformance.Statistical)
	switch {
	case c.Verdict == contracts.Pass:
		return proved
	case c.Verdict == contracts.NotApplicable:
		return unused
	case !weighs:
		return recorded
	}
	return unproved
}
