package conformance

import (
	"fmt"
	"maps"
	"slices"
)

// maxShare is the most that one value may take of all answers, unless it is
// right about as often.
const maxShare = 0.95

// notConstant looks at each field for which the cases expect at least two
// values: the answers must hold two as well, none of them nearly always.
func notConstant(cases []caseResult) setResult {
	var r setResult
	fields := map[string]bool{}
	for _, c := range cases {
		for f := range c.Expected {
			fields[f] = true
		}
	}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		want, got := map[string]int{}, map[string]int{}
		for _, c := range cases {
			tallyField(c, f, want, got)
		}
		if len(want) < 2 {
			continue
		}
		held := 1
		if constant(got, want) {
			held = -1
		}
		r.add(held, fmt.Sprintf("%s is nearly always the same in %d answers", f, sum(got)))
	}
	return r
}

// constant says that one value takes nearly all answers, and that those beside
// it are less than half as many as would be right.
func constant(got, want map[string]int) bool {
	return len(got) < 2 || share(got) > maxShare && 1-share(got) < (1-share(want))/2
}

func tallyField(c caseResult, f string, want, got map[string]int) {
	if c.Expected[f] == nil {
		return
	}
	for _, run := range c.runs {
		if run.Output != nil {
			want[plain(c.Expected[f])]++
			got[field(run.Output, f)]++
		}
	}
}

func sum(m map[string]int) int {
	n := 0
	for _, k := range m {
		n += k
	}
	return n
}

func share(m map[string]int) float64 {
	return float64(slices.Max(slices.Collect(maps.Values(m)))) / float64(sum(m))
}
