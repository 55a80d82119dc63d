package conformance

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"inferonce/contracts"
)

//go:embed report.html.tmpl
var reportPage string

// HTML writes a report as one page that needs nothing else: no script, no font,
// no image, and a policy that forbids a browser to load any. What a model said
// is text in it, whatever it looks like. With a previous report the page tells
// what changed since; nil leaves that out.
func HTML(w io.Writer, r contracts.Report, previous *contracts.Report) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"mark": pageMark, "visible": visible, "inlines": inLines, "held": heldCounts, "spent": spentIn,
		"moment": func(t time.Time) string { return t.UTC().Format("2 January 2006 15:04:05 UTC") },
		"words":  func(v contracts.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") },
	}).Parse(reportPage)
	if err != nil {
		return fmt.Errorf("parse the page: %w", err)
	}
	var b bytes.Buffer // a page that breaks off would look whole
	if err := t.Execute(&b, pageOf(r, previous)); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	_, err = b.WriteTo(w)
	return err
}

// page is what the template sees.
type page struct {
	contracts.Report
	Ref, Short, Headline string
	Took                 time.Duration
	Failing              []failingCase
	More                 int
	Latency              latency
	Right, Runs          int
	Diff                 *Diff
	Previous             *contracts.Report
}

// maxPageCases bounds the cases of a page; the JSON report has all.
const maxPageCases = 200

func pageOf(r contracts.Report, previous *contracts.Report) page {
	p := page{Report: r, Ref: contractRef(r), Short: digest12(r.Contract.Digest), Headline: headline(r),
		Took: r.Finished.Sub(r.Started).Round(100 * time.Millisecond), Failing: failingCases(r), Latency: latencies(r), Previous: previous}
	if n := len(p.Failing); n > maxPageCases {
		p.Failing, p.More = p.Failing[:maxPageCases], n-maxPageCases
	}
	for _, c := range r.Cases {
		_, failing := firstFailing(c)
		p.Runs += len(c.Runs)
		p.Right += len(c.Runs) - failing
	}
	if previous != nil {
		d := Compare(*previous, r)
		p.Diff = &d
	}
	return p
}

func headline(r contracts.Report) string {
	switch {
	case r.Replayed:
		return "Replayed from a recording: tells what the suite makes of old answers, and is no evidence for a router."
	case r.Verdict == contracts.Pass:
		return "This target does what the contract needs."
	case r.Verdict == contracts.Fail:
		return "This target does not do what the contract needs and must not take over."
	}
	return "Not shown either way: nothing is granted and nothing is revoked."
}

func heldCounts(c contracts.ReportCheck) string {
	if c.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", c.OK, c.N)
}

// pageMark needs no font for pictures.
func pageMark(v contracts.Verdict) string {
	switch v {
	case contracts.Pass:
		return "✓"
	case contracts.Fail:
		return "✗"
	case contracts.NotApplicable:
		return "–"
	}
	return "?"
}

// inLines is visible for a text of several lines, which stay lines.
func inLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	return strings.Join(lines, "\n")
}
