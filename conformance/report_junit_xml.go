package conformance

import (
	"encoding/xml"
	"fmt"
	"strings"

	"inferonce/contracts"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

func junitOf(s junitSuite) junitSuites {
	return junitSuites{Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suites: []junitSuite{s}}
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
	Skipped *junitSkip  `xml:"skipped"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitFault struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

// junitSkip has its reason in both places: GitLab reads the text.
type junitSkip struct {
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

// maxMessage bounds a message, in bytes: it is read as one line of a list.
const maxMessage = 300

func fault(check, message, body string) *junitFault {
	message = clip(oneText(visible(message)), maxMessage)
	return &junitFault{visible(check), message, strings.TrimSpace(message + "\n" + oneText(body))}
}

func skip(reason string) *junitSkip {
	reason = clip(oneText(visible(reason)), maxMessage)
	return &junitSkip{reason, reason}
}

// oneText takes out what GitLab would follow: a mark in a test's text that
// names a file to attach.
func oneText(s string) string { return strings.ReplaceAll(s, "[[ATTACHMENT|", "[[attachment|") }

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
		{"target", r.Target}, {"provider", r.Provider}, {"model", r.Model.Asked}, {"served", strings.Join(r.Model.Served, ", ")},
		{"mode", r.Mode}, {"repeats", fmt.Sprint(r.Repeats)}, {"seed", fmt.Sprint(r.Seed)}, {"calls", fmt.Sprint(r.Totals.Runs)},
		{"blocked", fmt.Sprint(r.Totals.Infra)}, {"input_tokens", fmt.Sprint(r.Totals.Usage.InputTokens)},
		{"output_tokens", fmt.Sprint(r.Totals.Usage.OutputTokens)}, {"replayed", fmt.Sprint(r.Replayed)}, {"verdict", string(r.Verdict)},
	}
	if r.Totals.MicroUSD != nil {
		all = append(all, junitProperty{"cost_usd", fmt.Sprintf("%.6f", float64(*r.Totals.MicroUSD)/1e6)})
	}
	for _, c := range r.Checks {
		if c.N > 0 {
			all = append(all, junitProperty{"n." + c.ID, fmt.Sprint(c.N)})
		}
		if c.Bound > 0 {
			all = append(all, junitProperty{"bound." + c.ID, fmt.Sprintf("%.4f", c.Bound)})
		}
	}
	for i := range all {
		all[i].Value = visible(all[i].Value)
	}
	return all
}
