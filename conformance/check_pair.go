package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"inferonce/contracts"
)

// pairsDiffer compares, repeat by repeat, the answers to every two cases that
// share a pair tag. A pair holds if the answers differ in more than half of the
// repeats in which both cases were answered.
func pairsDiffer(cases []caseResult) setResult {
	var r setResult
	for _, tag := range pairTags(cases) {
		members := slices.DeleteFunc(slices.Clone(cases), func(c caseResult) bool { return !slices.Contains(c.Tags, tag) })
		for i, a := range members {
			for _, b := range members[i+1:] {
				r.add(differ(a, b), fmt.Sprintf("%s: cases %s and %s get the same answer", tag, a.ID, b.ID))
			}
		}
	}
	return r
}

// add counts one thing; undecided is 0, held positive, missed negative.
func (r *setResult) add(held int, detail string) {
	switch {
	case held > 0:
		r.n, r.ok = r.n+1, r.ok+1
	case held < 0:
		r.n++
		if r.detail == "" {
			r.detail = detail
		}
	}
}

func pairTags(cases []caseResult) []string {
	seen := map[string]bool{}
	for _, c := range cases {
		for _, t := range c.Tags {
			if strings.HasPrefix(t, tagPair) {
				seen[t] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func differ(a, b caseResult) int {
	fields := decidingFields(a.Case, b.Case)
	same, other := 0, 0
	for _, x := range a.runs {
		at := slices.IndexFunc(b.runs, func(y outcome) bool { return y.repeat == x.repeat })
		if at < 0 || x.Output == nil || b.runs[at].Output == nil {
			continue
		}
		if view(x.Output, fields) == view(b.runs[at].Output, fields) {
			same++
		} else {
			other++
		}
	}
	switch {
	case same+other == 0:
		return 0
	case other > same:
		return 1
	}
	return -1
}

// decidingFields are the fields for which the two cases want different values;
// all that either names if no expected value differs; none for the whole.
func decidingFields(a, b contracts.Case) []string {
	named := map[string]bool{}
	var apart []string
	for _, f := range slices.Concat(slices.Collect(maps.Keys(a.Expected)), slices.Collect(maps.Keys(b.Expected)),
		slices.Collect(maps.Keys(a.Accepted)), slices.Collect(maps.Keys(b.Accepted))) {
		named[f] = true
	}
	for _, f := range slices.Sorted(maps.Keys(named)) {
		x, y := a.Expected[f], b.Expected[f]
		if x != nil && y != nil && plain(x) != plain(y) {
			apart = append(apart, f)
		}
	}
	if len(apart) > 0 {
		return apart
	}
	return slices.Sorted(maps.Keys(named))
}
