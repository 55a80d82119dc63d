package conformance

import (
	"time"

	"inferonce/contracts"
)

// outcome is what one run came to, after its last call.
type outcome struct {
	Ruling
	repeat  int
	content string
	model   string // that the answer names; "" if there was none
	system  string // the provider's mark of what ran; "" if there was none
	latency time.Duration
	usage   contracts.Usage
}

// caseResult is a case with the runs that ended, in order of their repeats.
type caseResult struct {
	contracts.Case
	planned int
	runs    []outcome
}

// missing says how many planned runs never came to an end.
func (c caseResult) missing() int { return c.planned - len(c.runs) }

// counts is how often a check was reached, and how often it held.
type counts struct {
	n, ok int
	first string // the first case that failed it
	why   string
}

// count holds all runs against one check. A run counts for a check if it came
// to it and the check speaks about its case. A wrong answer to a negative case,
// or none because a filter held it back, is also no right answer.
func (r rules) count(c Check) counts {
	var t counts
	mine := find(r.checks, c.ID)
	for _, k := range r.cases {
		if c.applies != nil && !c.applies(k.Case) {
			continue
		}
		for _, o := range k.runs {
			t.add(c.ID, k.ID, o, mine, find(r.checks, o.Check))
		}
	}
	return t
}

func (t *counts) add(id, kase string, r outcome, mine, failed int) {
	reached := r.Passed() || mine <= failed || id == idRight && judged(r.Check)
	if !reached {
		return
	}
	t.n++
	if r.Passed() || mine < failed {
		t.ok++
		return
	}
	if t.first == "" {
		t.first, t.why = kase, r.Message
	}
}

// wrong counts the runs that reached their meaning and missed it.
func (c caseResult) wrong() int {
	n := 0
	for _, r := range c.runs {
		if !r.Passed() && judged(r.Check) {
			n++
		}
	}
	return n
}

// passed counts the runs in which every check held.
func (c caseResult) passed() int {
	n := 0
	for _, r := range c.runs {
		if r.Passed() {
			n++
		}
	}
	return n
}
