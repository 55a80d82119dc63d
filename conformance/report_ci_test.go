package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"inferonce/contracts"
)

// huge is a report in which everything is long and much fails.
func huge() contracts.Report {
	long := strings.Repeat("<|`é\n", 4000)
	r := hostileReport(long)
	for i := range 3000 {
		r.Reasons = append(r.Reasons, long)
		r.Checks = append(r.Checks, contracts.ReportCheck{ID: fmt.Sprint("X-", i), Class: "H", Says: long, Detail: long, Verdict: contracts.Fail, N: 1})
		c := r.Cases[0]
		c.ID = fmt.Sprint("case", i)
		r.Cases = append(r.Cases, c)
	}
	return r
}

func markdown(t *testing.T, r contracts.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestASummaryIsNeverLongerThanGitHubTakes(t *testing.T) {
	if got := len(markdown(t, huge())); got > maxMarkdown {
		t.Errorf("%d bytes", got)
	}
}

// Whatever a model says, the lines and cells of the summary stay the same, and
// no character is left that Markdown or HTML would act on.
func TestWhateverAModelSaysIsTextInTheSummary(t *testing.T) {
	shape := func(s string) string {
		return fmt.Sprint(strings.Count(s, "\n"), strings.Count(s, "|"), strings.Count(s, "<"), strings.Count(s, "`"))
	}
	want := shape(markdown(t, hostileReport("harmless")))
	for _, text := range append(hostile, "@everyone", "| a | b |", "# h", "[x](http://evil.example)", "![x](http://evil.example)", "```", "$x$") {
		got := markdown(t, hostileReport(text))
		if shape(got) != want {
			t.Errorf("%q changes the summary to\n%s", text, got)
		}
		for _, bad := range []string{"](", "@everyone", "$x$", "http:/"} {
			if strings.Contains(got, bad) {
				t.Errorf("%q leaves %q", text, bad)
			}
		}
	}
}

func TestTheSummaryTellsTheVerdictTheCountsAndTheCases(t *testing.T) {
	got := markdown(t, leakyReport(t, true))
	for _, want := range []string{"## ❌ t on tickets&#64;1", "**fail**", "| ❌ | SEM-01 | S | 20 of 23 | 0.", "| name | SEM-01 | 3 of 3 runs fail |", "order&#95;id is null", secret} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if got := markdown(t, run(t, options(tickets(t), honest))); !strings.HasPrefix(got, "## ✅ t on") || strings.Contains(got, "<details>") {
		t.Errorf("a passing summary: %s", got)
	}
}

func annotated(t *testing.T, r contracts.Report, file string) []string {
	t.Helper()
	var b bytes.Buffer
	if err := Annotations(&b, r, file); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestAnnotationsStayWithinGitHubsLimits(t *testing.T) {
	r := huge()
	for i := range r.Checks {
		if i%2 == 0 {
			r.Checks[i].Class = "C"
		}
	}
	lines := annotated(t, r, "c.yaml")
	count := map[string]int{}
	for _, l := range lines {
		kind, _, _ := strings.Cut(strings.TrimPrefix(l, "::"), " ")
		count[kind]++
		if len(l) > 4<<10 || !strings.HasPrefix(l, "::") {
			t.Errorf("a line of %d bytes: %.80s", len(l), l)
		}
	}
	if len(lines) != 20 || count["error"] != 10 || count["warning"] != 10 {
		t.Errorf("%d lines: %v", len(lines), count)
	}
}

func TestAnAnnotationIsOneCommandWhateverAModelSays(t *testing.T) {
	for _, text := range append(hostile, "::error::mine", "\n::set-output name=x::y", "a,title=b::c", "100%0A::error::mine", "##[add-mask]x", "x ##[stop-commands]y") {
		lines := annotated(t, hostileReport(text), "a,b:c.yaml")
		if len(lines) != 3 {
			t.Errorf("%q makes %d lines: %q", text, len(lines), lines)
		}
		for _, l := range lines {
			head, rest, _ := strings.Cut(strings.TrimPrefix(l, "::"), "::")
			if !strings.HasPrefix(head, "error file=a%2Cb%3Ac.yaml,title=") || strings.Count(head, ",") != 1 || rest == "" || strings.Contains(l, "##[") {
				t.Errorf("%q: %q", text, l)
			}
		}
	}
}

func TestAnnotationsFollowTheVerdict(t *testing.T) {
	all := suites(t)
	for name, want := range map[string]string{"failing": "::error ", "blocked": "::warning "} {
		if got := annotated(t, all[name], ""); !strings.HasPrefix(got[0], want+"title=") {
			t.Errorf("%s: %q, want %s", name, got[0], want)
		}
	}
	if got := annotated(t, all["passing"], ""); got[0] != "" {
		t.Errorf("a pass says %q", got)
	}
}
