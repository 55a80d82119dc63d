package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"inferonce/contracts"
)

// JUnit writes a report as the XML that continuous integration reads: a suite
// for the pair, a test for each check and one for each case. Inconclusive is an
// error, so that nothing that was not shown looks like a success, and not
// applicable is skipped with its reason.
func JUnit(w io.Writer, r contracts.Report) error {
	suite := junitSuite{
		Name:       fmt.Sprintf("%s/%s@%s:%s", r.Provider, r.Model.Asked, r.Contract.Name, digest12(r.Contract.Digest)),
		Timestamp:  r.Started.Format("2006-01-02T15:04:05"),
		Time:       seconds(r.Finished.Sub(r.Started).Milliseconds()),
		Properties: junitProperties(r),
	}
	for _, c := range r.Checks {
		suite.add(checkTest(c))
	}
	for _, c := range r.Cases {
		suite.add(caseTest(c, r.Verdict))
	}
	suite.add(verdictTest(r))
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return fmt.Errorf("encode JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	List       []junitTest     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitTest struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Time    string      `xml:"time,attr"`
	Failure *junitFault `xml:"failure"`
	Error   *junitFault `xml:"error"`
	Skipped *junitFault `xml:"skipped"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitFault struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

func (s *junitSuite) add(t junitTest) {
	s.Tests++
	switch {
	case t.Failure != nil:
		s.Failures++
	case t.Error != nil:
		s.Errors++
	case t.Skipped != nil:
		s.Skipped++
	}
	s.List = append(s.List, t)
}

func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }

func digest12(digest string) string {
	_, hex, _ := strings.Cut(digest, ":")
	return hex[:min(len(hex), 12)]
}

func junitProperties(r contracts.Report) []junitProperty {
	all := []junitProperty{
		{"report", r.ID}, {"suite_version", r.SuiteVersion}, {"contract", contractRef(r)}, {"digest", r.Contract.Digest},
		{"target", r.Target}, {"mode", r.Mode}, {"repeats", fmt.Sprint(r.Repeats)}, {"seed", fmt.Sprint(r.Seed)},
		{"calls", fmt.Sprint(r.Totals.Runs)}, {"blocked", fmt.Sprint(r.Totals.Infra)}, {"verdict", string(r.Verdict)},
	}
	for _, c := range r.Checks {
		if c.Bound > 0 {
			all = append(all, junitProperty{"bound." + c.ID, fmt.Sprintf("%.4f", c.Bound)})
		}
	}
	return all
}

// checkTest fails only where the check can fail the pair: a capability is
// recorded.
func checkTest(c contracts.ReportCheck) junitTest {
	t := junitTest{Class: layer(c.ID), Name: c.ID + " " + c.Says, Time: seconds(0)}
	body := fmt.Sprintf("held in %d of %d", c.OK, c.N)
	switch c.Verdict {
	case contracts.Fail:
		t.Failure = &junitFault{c.ID, c.Detail, body}
		if c.Class == string(Capability) || c.Class == string(Advisory) {
			t.Failure, t.Skipped = nil, &junitFault{Message: "recorded: " + body}
		}
	case contracts.Inconclusive:
		t.Error = &junitFault{c.ID, c.Detail, body}
	case contracts.NotApplicable:
		t.Skipped = &junitFault{Message: c.Detail}
	}
	return t
}

func layer(id string) string {
	family, _, _ := strings.Cut(id, "-")
	return "conformance." + strings.ToLower(family)
}

// caseTest fails only in a suite that did not pass: a rule may forgive a run,
// and then a red test beside a pass would send people looking for nothing.
func caseTest(c contracts.ReportCase, verdict contracts.Verdict) junitTest {
	first, failing := firstFailing(c)
	t := junitTest{Class: "conformance.case", Name: c.ID}
	total := int64(0)
	for _, run := range c.Runs {
		total += run.LatencyMS
	}
	t.Time = seconds(total)
	switch {
	case len(c.Runs) == 0:
		t.Error = &junitFault{Message: "no run of this case came to an end"}
	case failing > 0 && verdict == contracts.Pass:
		t.Out = caseBody(c, first, failing)
	case failing > 0:
		t.Failure = &junitFault{first.Check, first.Message, caseBody(c, first, failing)}
	}
	return t
}

func caseBody(c contracts.ReportCase, first contracts.ReportRun, failing int) string {
	var b strings.Builder
	writeCase(&b, c, first, failing)
	return strings.TrimSpace(b.String())
}

func verdictTest(r contracts.Report) junitTest {
	t := junitTest{Class: "conformance", Name: "verdict", Time: seconds(0)}
	message := strings.Join(r.Reasons, "; ")
	switch r.Verdict {
	case contracts.Fail:
		t.Failure = &junitFault{"verdict", message, ""}
	case contracts.Inconclusive:
		t.Error = &junitFault{"verdict", message, ""}
	}
	return t
}
