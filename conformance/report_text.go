package conformance

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"inferonce/contracts"
)

// Summary writes a report for a person: a line for each check with its counts
// and bound, the failing cases with what was wanted and what came, and the
// verdict last. Answers appear only if the report holds them; otherwise their
// hash and the places do. A terminal can't be steered by what a model said:
// control characters are shown as escapes.
func Summary(w io.Writer, r contracts.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s, %s, %d repeats, seed %d\n\n", subject(r), contractRef(r), r.Mode, r.Repeats, r.Seed)
	for _, c := range r.Checks {
		b.WriteString(checkLine(c))
	}
	writeFailing(&b, r)
	fmt.Fprintf(&b, "\n%d calls, %d blocked; %s\n", r.Totals.Runs, r.Totals.Infra, tokensIn(r.Totals))
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "because: %s\n", visible(reason))
	}
	if r.Stopped != "" && r.Verdict == contracts.Fail {
		fmt.Fprintf(&b, "stopped: %s\n", visible(r.Stopped))
	}
	if r.Replayed {
		b.WriteString("replayed from a recording: no evidence for a router\n")
	}
	fmt.Fprintf(&b, "verdict: %s\n", r.Verdict)
	_, err := io.WriteString(w, b.String())
	return err
}

func subject(r contracts.Report) string {
	return visible(fmt.Sprintf("%s (%s at %s)", r.Target, r.Model.Asked, r.Provider))
}

func contractRef(r contracts.Report) string {
	return fmt.Sprintf("%s@%d", r.Contract.Name, r.Contract.Version)
}

// verdictWords are of one width, so that a column can be read down.
var verdictWords = map[contracts.Verdict]string{
	contracts.Pass: "pass", contracts.Fail: "FAIL", contracts.Inconclusive: "open", contracts.NotApplicable: "n/a",
}

func checkLine(c contracts.ReportCheck) string {
	line := fmt.Sprintf("%-4s  %-7s %s  %4d/%-4d", verdictWords[c.Verdict], c.ID, c.Class, c.OK, c.N)
	if c.Bound > 0 {
		line += fmt.Sprintf(" >=%.3f", c.Bound)
	} else {
		line += strings.Repeat(" ", 8)
	}
	line += "  " + c.Says
	if c.Detail != "" {
		line += ": " + c.Detail
	}
	return visible(line) + "\n"
}

// maxFailing bounds the list of failing runs, one a case: the report has all.
const maxFailing = 20

func writeFailing(b *strings.Builder, r contracts.Report) {
	shown, left := 0, 0
	for _, c := range r.Cases {
		first, failing := firstFailing(c)
		switch {
		case failing == 0:
		case shown == maxFailing:
			left++
		default:
			shown++
			writeCase(b, c, first, failing)
		}
	}
	if left > 0 {
		fmt.Fprintf(b, "\nand %d more failing cases, in the report\n", left)
	}
}

func firstFailing(c contracts.ReportCase) (first contracts.ReportRun, failing int) {
	for _, run := range c.Runs {
		if run.Verdict == contracts.Pass {
			continue
		}
		if failing == 0 {
			first = run
		}
		failing++
	}
	return first, failing
}

func writeCase(b *strings.Builder, c contracts.ReportCase, run contracts.ReportRun, failing int) {
	critical := ""
	if c.Critical {
		critical = ", critical"
	}
	fmt.Fprintf(b, "\ncase %s%s: %d of %d runs fail; first %s\n", visible(c.ID), critical, failing, len(c.Runs), run.Check)
	fmt.Fprintf(b, "  %s\n", visible(run.Message))
	if run.Failure != nil {
		for _, v := range run.Failure.Violations[:min(len(run.Failure.Violations), 5)] {
			fmt.Fprintf(b, "  want  %s %s\n", visible(v.Pointer), visible(v.Message))
		}
	}
	fmt.Fprintf(b, "  got   %s\n", visible(got(run)))
}

// maxGot bounds an answer that is shown, in bytes.
const maxGot = 2 << 10

func got(run contracts.ReportRun) string {
	switch {
	case len(run.Content) > maxGot:
		return strings.ToValidUTF8(run.Content[:maxGot], "") + "…"
	case run.Content != "":
		return run.Content
	case run.SHA256 != "":
		return "an answer with sha256 " + run.SHA256
	}
	return "no answer"
}

// visible makes one line of a text that others may have chosen.
func visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
