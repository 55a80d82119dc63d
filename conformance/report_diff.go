package conformance

import (
	"fmt"
	"io"
	"strings"

	"inferonce/contracts"
)

// Change is one thing that two reports say differently.
type Change struct {
	What   string `json:"what"` // "verdict", a check's id, or "case " and its id
	Before string `json:"before"`
	After  string `json:"after"`
	Worse  bool   `json:"worse"`
}

// Diff is what changed from one report to a later one.
type Diff struct {
	Before  string   `json:"before"` // ids of the reports
	After   string   `json:"after"`
	Changes []Change `json:"changes"`
	Worse   bool     `json:"worse"`
}

// absent stands where one of the reports lacks a check or a case.
const absent = "not there"

// Compare says what changed, in the order of the later report. It is worse if
// the verdict is, if a check that can fail the pair no longer holds, or if a
// case that was right no longer is: a critical one in every run, any other in
// two thirds. What one of the two lacks is a change and not a loss: the verdict
// tells whether it mattered.
func Compare(before, after contracts.Report) Diff {
	d := Diff{Before: before.ID, After: after.ID, Changes: []Change{}}
	d.add("verdict", string(before.Verdict), string(after.Verdict), rank(after.Verdict) < rank(before.Verdict))
	d.identity(before, after)
	d.checks(before.Checks, after.Checks)
	d.cases(before.Cases, after.Cases)
	return d
}

// rank orders verdicts by what they are worth.
func rank(v contracts.Verdict) int {
	switch v {
	case contracts.Pass, contracts.NotApplicable:
		return 2
	case contracts.Inconclusive:
		return 1
	}
	return 0
}

func (d *Diff) add(what, before, after string, worse bool) {
	if before == after {
		return
	}
	d.Changes = append(d.Changes, Change{what, before, after, worse})
	d.Worse = d.Worse || worse
}

func (d *Diff) identity(a, b contracts.Report) {
	d.add("target", a.Target, b.Target, false)
	d.add("model", a.Provider+"/"+a.Model.Asked, b.Provider+"/"+b.Model.Asked, false)
	d.add("served", strings.Join(a.Model.Served, ", "), strings.Join(b.Model.Served, ", "), false)
	d.add("contract", contractRef(a), contractRef(b), false)
	d.add("digest", digest12(a.Contract.Digest), digest12(b.Contract.Digest), false)
	d.add("suite version", a.SuiteVersion, b.SuiteVersion, false)
	d.add("mode", a.Mode, b.Mode, false)
}

func (d *Diff) checks(before, after []contracts.ReportCheck) {
	was := map[string]contracts.ReportCheck{}
	for _, c := range before {
		was[c.ID] = c
	}
	for _, c := range after {
		old, there := was[c.ID]
		delete(was, c.ID)
		if !there {
			d.add(c.ID, absent, checkState(c), false)
			continue
		}
		d.add(c.ID, checkState(old), checkState(c), canFail(c) && rank(c.Verdict) < rank(old.Verdict))
	}
	for _, c := range before {
		if _, left := was[c.ID]; left {
			d.add(c.ID, checkState(c), absent, false)
		}
	}
}

// checkState leaves counts out of a check that holds: they grow with the mode.
func checkState(c contracts.ReportCheck) string {
	if c.Verdict == contracts.Fail {
		return fmt.Sprintf("%s (%d of %d)", c.Verdict, c.OK, c.N)
	}
	return string(c.Verdict)
}

func (d *Diff) cases(before, after []contracts.ReportCase) {
	was := map[string]contracts.ReportCase{}
	for _, c := range before {
		was[c.ID] = c
	}
	for _, c := range after {
		old, there := was[c.ID]
		delete(was, c.ID)
		if !there {
			d.add("case "+c.ID, absent, caseState(c), false)
			continue
		}
		d.add("case "+c.ID, caseState(old), caseState(c), caseRight(old) && !caseRight(c) && len(c.Runs) > 0)
	}
	for _, c := range before {
		if _, left := was[c.ID]; left {
			d.add("case "+c.ID, caseState(c), absent, false)
		}
	}
}

func caseState(c contracts.ReportCase) string {
	first, failing := firstFailing(c)
	switch {
	case len(c.Runs) == 0:
		return "not run"
	case failing == 0:
		return "right"
	}
	return fmt.Sprintf("%s in %d of %d", first.Check, failing, len(c.Runs))
}

func caseRight(c contracts.ReportCase) bool {
	_, failing := firstFailing(c)
	if c.Critical {
		return failing == 0 && len(c.Runs) > 0
	}
	return len(c.Runs) > 0 && 3*failing <= len(c.Runs)
}

// DiffText writes a Diff for a person, a line for each change and what it comes
// to last.
func DiffText(w io.Writer, d Diff) error {
	var b strings.Builder
	for _, c := range d.Changes {
		mark := "      "
		if c.Worse {
			mark = "WORSE "
		}
		fmt.Fprintf(&b, "%s%s: %s -> %s\n", mark, visible(c.What), visible(c.Before), visible(c.After))
	}
	switch {
	case d.Worse:
		b.WriteString("worse than before\n")
	case len(d.Changes) > 0:
		b.WriteString("no worse than before\n")
	default:
		b.WriteString("the same as before\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
