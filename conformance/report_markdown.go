package conformance

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"inferonce/contracts"
)

// Bounds of a Markdown report. GitHub takes at most 1 MiB for the summary of a
// step and drops the whole if it is more
// (docs.github.com/actions/reference/workflow-commands-for-github-actions).
const (
	maxMarkdown      = 1 << 20
	maxMarkdownRows  = 100
	maxMarkdownCases = 50
	maxMarkdownCell  = 400 // bytes; escaping makes at most five of one
	maxMarkdownName  = 80  // bytes of an id
)

// Markdown writes a report as the summary of a job. It is never longer than
// GitHub takes. Nothing that a model said can be more than text in it.
func Markdown(w io.Writer, r contracts.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s %s on %s\n\n", markOf(r.Verdict), cell(r.Target), cell(contractRef(r)))
	fmt.Fprintf(&b, "**%s** · %s at %s · %s, %d repeats, seed %d · suite %s · contract %s\n\n", verdictName(r.Verdict),
		cell(r.Model.Asked), cell(r.Provider), cell(r.Mode), r.Repeats, r.Seed, cell(r.SuiteVersion), name(digest12(r.Contract.Digest)))
	if r.Replayed {
		b.WriteString("Replayed from a recording: no evidence for a router.\n\n")
	}
	for _, reason := range r.Reasons[:min(len(r.Reasons), maxMarkdownCases)] {
		fmt.Fprintf(&b, "- %s\n", cell(reason))
	}
	markdownChecks(&b, r.Checks)
	markdownCases(&b, failingCases(r))
	l := latencies(r)
	fmt.Fprintf(&b, "\n%d calls, %d blocked; %s; half of the answers within %d ms, 95 of 100 within %d ms.\n",
		r.Totals.Runs, r.Totals.Infra, tokensIn(r.Totals), l.P50, l.P95)
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownChecks(b *strings.Builder, checks []contracts.ReportCheck) {
	b.WriteString("\n| | check | class | held | at least | |\n|---|---|---|---:|---:|---|\n")
	for _, c := range checks[:min(len(checks), maxMarkdownRows)] {
		bound := ""
		if c.Bound > 0 {
			bound = fmt.Sprintf("%.3f", c.Bound)
		}
		says := cell(c.Says)
		if c.Detail != "" {
			says += ": " + cell(c.Detail)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %d of %d | %s | %s |\n", markOf(c.Verdict), name(c.ID), name(c.Class), c.OK, c.N, bound, says)
	}
}

func markdownCases(b *strings.Builder, failing []failingCase) {
	if len(failing) == 0 {
		return
	}
	b.WriteString("\n<details><summary>Cases with a failing run</summary>\n\n| case | check | runs | expected | got |\n|---|---|---|---|---|\n")
	for _, c := range failing[:min(len(failing), maxMarkdownCases)] {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", name(c.ID), name(c.First.Check), c.Counted(),
			cell(cmp.Or(c.Wanted(), c.First.Message)), cell(c.Got()))
	}
	if left := len(failing) - maxMarkdownCases; left > 0 {
		fmt.Fprintf(b, "\nAnd %d more, in the JSON report.\n", left)
	}
	b.WriteString("\n</details>\n")
}

func markOf(v contracts.Verdict) string {
	switch v {
	case contracts.Pass:
		return "✅"
	case contracts.Fail:
		return "❌"
	case contracts.NotApplicable:
		return "➖"
	}
	return "❔"
}

func verdictName(v contracts.Verdict) string { return cell(strings.ReplaceAll(string(v), "_", " ")) }

// cell makes a text one cell of a table: every character that Markdown or HTML
// could take for its own becomes its number. A mention or a link of somebody
// else's choice is nothing that a report should make.
func cell(s string) string { return escaped(s, maxMarkdownCell) }

func name(s string) string { return escaped(s, maxMarkdownName) }

func escaped(s string, n int) string {
	var b strings.Builder
	for _, r := range clip(visible(clip(s, n)), n) {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&\"'@:$^=", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
