package conformance

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"inferonce/contracts"
)

// maxAnnotations is how many annotations of one kind GitHub shows for a step;
// it drops the others without a word
// (docs.github.com/rest/checks/runs and the limits of workflow commands).
const maxAnnotations = 10

// Annotations writes a report as GitHub workflow commands: the verdict first,
// then what failed, an error where it failed the pair and a warning otherwise.
// file is the contract's path in the repository; "" if it has none there.
func Annotations(w io.Writer, r contracts.Report, file string) error {
	a := annotations{file: file, left: map[string]int{"error": maxAnnotations, "warning": maxAnnotations}}
	kind := map[contracts.Verdict]string{contracts.Pass: "", contracts.Fail: "error"}
	level, known := kind[r.Verdict]
	if !known {
		level = "warning"
	}
	if level != "" {
		a.add(level, fmt.Sprintf("%s: %s", r.Verdict, pairName(r)), cmp.Or(strings.Join(r.Reasons, "; "), "no reason was given"))
	}
	for _, c := range r.Checks {
		switch {
		case c.Verdict == contracts.Fail && canFail(c):
			a.add("error", c.ID, fmt.Sprintf("%s: held in %s. %s", c.Says, held(c), c.Detail))
		case c.Verdict == contracts.Fail, c.Verdict == contracts.Inconclusive:
			a.add("warning", c.ID, fmt.Sprintf("%s: held in %s. %s", c.Says, held(c), c.Detail))
		}
	}
	for _, c := range failingCases(r) {
		level := "error"
		if r.Verdict != contracts.Fail {
			level = "warning"
		}
		a.add(level, fmt.Sprintf("%s[%s]", c.First.Check, c.ID), c.Counted()+"; expected "+c.Wanted())
	}
	_, err := io.WriteString(w, a.text.String())
	return err
}

type annotations struct {
	file string
	left map[string]int
	text strings.Builder
}

// maxAnnotation bounds one message, in bytes.
const maxAnnotation = 1 << 10

func (a *annotations) add(level, title, message string) {
	if a.left[level] == 0 {
		return
	}
	a.left[level]--
	a.text.WriteString("::" + level + " ")
	if a.file != "" {
		a.text.WriteString("file=" + commandProperty(a.file) + ",")
	}
	fmt.Fprintf(&a.text, "title=%s::%s\n", commandProperty(clip(visible(title), maxMessage)), commandData(clip(visible(message), maxAnnotation)))
}

// commandData and commandProperty escape as actions/toolkit does
// (packages/core/src/command.ts): the runner undoes just these. The older form
// of a command, ##[name], is found anywhere in a line, so it is broken up.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", "##[", "## [").Replace(s)
}

func commandProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandData(s))
}
