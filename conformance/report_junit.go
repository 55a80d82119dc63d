package conformance

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"inferonce/contracts"
)

// JUnit writes a report as the XML that continuous integration reads: one suite
// for the pair, in it a test for each check, named by its id, and one for each
// case, named CASE[case], or ID[case] for the check that it fails. Inconclusive
// is an error, so that nothing that was not shown looks like a success, and
// what does not apply is skipped with its reason.
//
// GitLab shows the text of a failure and not its message, and tells two tests
// apart by class and name; Jenkins and the GitHub actions show both. So the
// text begins with the message, and no name stands twice.
func JUnit(w io.Writer, r contracts.Report) error {
	suite := junitSuite{
		Name:       visible(pairName(r)),
		Timestamp:  r.Started.Format("2006-01-02T15:04:05"),
		Time:       seconds(r.Finished.Sub(r.Started).Milliseconds()),
		Properties: junitProperties(r),
	}
	for _, c := range r.Checks {
		suite.add(checkTest(c))
	}
	for _, c := range r.Cases {
		suite.add(caseTest(c, r))
	}
	suite.add(verdictTest(r))
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitOf(suite)); err != nil {
		return fmt.Errorf("encode JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// checkTest fails only where the check can fail the pair: a capability is
// recorded.
func checkTest(c contracts.ReportCheck) junitTest {
	t := junitTest{Class: layer(c.ID), Name: visible(c.ID), Time: seconds(0)}
	body := fmt.Sprintf("%s\nheld in %s", visible(c.Says), held(c))
	switch {
	case c.Verdict == contracts.Fail && canFail(c):
		t.Failure = fault(c.ID, cmp.Or(c.Detail, c.Says), body)
	case c.Verdict == contracts.Fail:
		t.Skipped = skip("recorded: held in " + held(c))
	case c.Verdict == contracts.Inconclusive:
		t.Error = fault(c.ID, cmp.Or(c.Detail, "not shown"), body)
	case c.Verdict == contracts.NotApplicable:
		t.Skipped = skip(cmp.Or(c.Detail, "does not apply to this contract"))
	}
	return t
}

func layer(id string) string {
	family, _, _ := strings.Cut(id, "-")
	return "conformance." + strings.ToLower(visible(family))
}

// caseTest fails only by a check that did not hold for the whole: a rule may
// forgive a run, and then a red test beside a green check would send people
// looking for nothing.
func caseTest(c contracts.ReportCase, r contracts.Report) junitTest {
	t := junitTest{Class: "conformance.case", Name: "CASE[" + visible(c.ID) + "]", Time: seconds(spent(c))}
	first, failing := firstFailing(c)
	k := failingCase{c, first, failing}
	red := slices.IndexFunc(c.Runs, func(run contracts.ReportRun) bool {
		return run.Verdict != contracts.Pass && !forgiven(run, c.Critical, r)
	})
	switch {
	case len(c.Runs) == 0:
		t.Error = fault("blocked", "no run of this case came to an end", "")
	case red >= 0:
		k.First = c.Runs[red]
		t.Class, t.Name = layer(k.First.Check), fmt.Sprintf("%s[%s]", visible(k.First.Check), visible(c.ID))
		t.Failure = fault(k.First.Check, cmp.Or(k.First.Message, "the check does not hold"), caseBody(k))
	case failing > 0:
		t.Out = oneText(fmt.Sprintf("%s by %s, which the rules forgive\n%s", k.Counted(), visible(first.Check), caseBody(k)))
	}
	return t
}

func forgiven(run contracts.ReportRun, critical bool, r contracts.Report) bool {
	if r.Verdict == contracts.Pass {
		return true
	}
	at := slices.IndexFunc(r.Checks, func(c contracts.ReportCheck) bool { return c.ID == run.Check })
	return at >= 0 && !critical && (r.Checks[at].Verdict == contracts.Pass || !canFail(r.Checks[at]))
}

func spent(c contracts.ReportCase) (ms int64) {
	for _, run := range c.Runs {
		ms += run.LatencyMS
	}
	return ms
}

// maxEvidence bounds what was expected and what came together, in bytes, and
// maxCommand the reproducer, which is of no use if it is cut.
const (
	maxEvidence = 2 << 10
	maxCommand  = 8 << 10
)

func caseBody(k failingCase) string {
	body := clip(fmt.Sprintf("%s\nexpected: %s\ngot: %s", k.Counted(), visible(clip(k.Wanted(), maxEvidence/2)), visible(clip(k.Got(), maxEvidence/2))), maxEvidence)
	switch {
	case k.Reproduce == "":
	case len(k.Reproduce) > maxCommand:
		body += "\nreproduce: see the JSON report, the command is long"
	default:
		body += "\nreproduce: " + k.Reproduce
	}
	return body
}

func verdictTest(r contracts.Report) junitTest {
	t := junitTest{Class: "conformance", Name: "verdict", Time: seconds(0)}
	message := cmp.Or(strings.Join(r.Reasons, "; "), "no reason was given")
	switch r.Verdict {
	case contracts.Pass:
	case contracts.Fail:
		t.Failure = fault("verdict", message, "")
	default:
		t.Error = fault("verdict", message, "")
	}
	return t
}
