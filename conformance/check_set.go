package conformance

import (
	"encoding/json"
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

// view is the part of an answer under the fields, as comparable text.
func view(output json.RawMessage, fields []string) string {
	if len(fields) == 0 {
		return plain(output)
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = field(output, f)
	}
	return strings.Join(parts, "\n")
}

// field is the value under a dotted path; "" if nothing is there.
func field(output json.RawMessage, path string) string {
	var v any
	if json.Unmarshal(output, &v) != nil {
		return ""
	}
	for _, name := range strings.Split(path, ".") {
		next, ok := object(v)[name]
		if !ok {
			return ""
		}
		v = next
	}
	return encode(v)
}

// plain spells a value the one way in which encoding/json does.
func plain(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return encode(v)
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

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
