package failover

import (
	"fmt"
	"io"
	"strings"

	"inferonce/providers/sim"
)

// WriteTo writes the result as a short block for people: what was asked, what
// the ledger says ran, and where it went wrong.
func (r Result) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-7s  %s  %s (%s)\n", strings.ReplaceAll(string(r.Verdict), "_", " "), r.ID, r.Title, strings.Join(r.Proves, " "))
	fmt.Fprintf(&b, "         asked   %s\n", r.Asks)
	if r.Verdict != NotRun {
		fmt.Fprintf(&b, "         ledger  %s\n", ledgerText(r.Ledger))
	}
	if r.Count != nil {
		fmt.Fprintf(&b, "         count   %s\n", r.Count.Paid)
	}
	if r.Verdict == NotRun {
		fmt.Fprintf(&b, "         why     %s\n", r.Reason)
	}
	if r.Verdict == Failed {
		r.explain(&b)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (r Result) explain(b *strings.Builder) {
	for _, line := range strings.Split(r.Reason, "; ") {
		fmt.Fprintf(b, "         wrong   %s\n", line)
	}
	for _, line := range r.Transcript {
		fmt.Fprintf(b, "         then    %s\n", line)
	}
}

// shown is how many calls a block lists; the rest is counted.
const shown = 6

func ledgerText(ran []sim.Execution) string {
	if len(ran) == 0 {
		return "nothing ran"
	}
	var parts []string
	for _, e := range ran[:min(shown, len(ran))] {
		parts = append(parts, callText(e))
	}
	if more := len(ran) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	n := executed(ran)
	word := "executions"
	if n == 1 {
		word = "execution"
	}
	return fmt.Sprintf("%d %s: %s", n, word, strings.Join(parts, "; "))
}

func callText(e sim.Execution) string {
	s := e.Provider
	if e.Attempt > 0 {
		s += fmt.Sprintf(" attempt %d", e.Attempt)
	}
	if e.Executed {
		s += " executed"
	} else {
		s += " ran nothing"
	}
	if e.Fault != "" {
		s += " [" + e.Fault + "]"
	}
	return s
}

// WriteTo writes the summary in one line, or two if something was not run.
func (s Summary) WriteTo(w io.Writer) (int64, error) {
	line := fmt.Sprintf("%d passed, %d failed, %d not run, at %s\n", s.Passed, s.Failed, s.NotRun, s.Target)
	if s.NotRun > 0 {
		line += "what was not run was not shown to hold\n"
	}
	n, err := io.WriteString(w, line)
	return int64(n), err
}
