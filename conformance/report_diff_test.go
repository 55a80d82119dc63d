package conformance

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
)

// small is a passing report of one check and a critical case of three runs.
func small(change func(*contracts.Report)) contracts.Report {
	ok := contracts.ReportRun{Verdict: contracts.Pass}
	r := contracts.Report{ID: "a", Verdict: contracts.Pass, Target: "t", Contract: contracts.ReportContract{Name: "c", Version: 1, Digest: "sha256:aa"},
		Checks: []contracts.ReportCheck{{ID: "STR-01", Class: "H", Verdict: contracts.Pass, N: 3, OK: 3}},
		Cases:  []contracts.ReportCase{{ID: "x", Runs: []contracts.ReportRun{ok, ok, ok}}}}
	if change != nil {
		change(&r)
	}
	return r
}

func failingRuns(n int) func(*contracts.Report) {
	return func(r *contracts.Report) {
		for i := range n {
			r.Cases[0].Runs[i] = contracts.ReportRun{Verdict: contracts.Fail, Check: "SEM-01"}
		}
	}
}

func TestCompareSaysWhatChangedAndWhetherItIsWorse(t *testing.T) {
	verdict := func(v contracts.Verdict) func(*contracts.Report) { return func(r *contracts.Report) { r.Verdict = v } }
	check := func(class string, v contracts.Verdict) func(*contracts.Report) {
		return func(r *contracts.Report) { r.Checks[0].Class, r.Checks[0].Verdict, r.Checks[0].OK = class, v, 1 }
	}
	for name, row := range map[string]struct {
		before, after func(*contracts.Report)
		want          string // changes, those that are worse with "!"
	}{
		"the same":                         {nil, nil, ""},
		"from pass to fail":                {nil, verdict(contracts.Fail), "!verdict"},
		"from pass to inconclusive":        {nil, verdict(contracts.Inconclusive), "!verdict"},
		"from inconclusive to fail":        {verdict(contracts.Inconclusive), verdict(contracts.Fail), "!verdict"},
		"from fail to pass":                {verdict(contracts.Fail), nil, "verdict"},
		"a hard check no longer holds":     {nil, check("H", contracts.Fail), "!STR-01"},
		"a hard check was not shown":       {nil, check("H", contracts.Inconclusive), "!STR-01"},
		"a hard check holds again":         {check("H", contracts.Fail), nil, "STR-01"},
		"a capability is gone":             {check("C", contracts.Pass), check("C", contracts.Fail), "STR-01"},
		"only counts grew":                 {nil, func(r *contracts.Report) { r.Checks[0].N, r.Checks[0].OK = 9, 9 }, ""},
		"one run of three fails":           {nil, failingRuns(1), "case x"},
		"two runs of three fail":           {nil, failingRuns(2), "!case x"},
		"they failed before, too":          {failingRuns(3), failingRuns(2), "case x"},
		"one run of a critical case fails": {func(r *contracts.Report) { r.Cases[0].Critical = true }, func(r *contracts.Report) { failingRuns(1)(r); r.Cases[0].Critical = true }, "!case x"},
		"a case is new":                    {func(r *contracts.Report) { r.Cases = nil }, nil, "case x"},
		"a case is gone":                   {nil, func(r *contracts.Report) { r.Cases = nil }, "case x"},
		"a check is new":                   {func(r *contracts.Report) { r.Checks = nil }, nil, "STR-01"},
		"a check is gone":                  {nil, func(r *contracts.Report) { r.Checks = nil }, "STR-01"},
		"a case was not run":               {nil, func(r *contracts.Report) { r.Cases[0].Runs = nil }, "case x"},
		"another target, another contract": {nil, func(r *contracts.Report) { r.Target, r.Contract.Digest = "u", "sha256:bb" }, "target digest"},
	} {
		d := Compare(small(row.before), small(row.after))
		var got []string
		for _, c := range d.Changes {
			mark := ""
			if c.Worse {
				mark = "!"
			}
			got = append(got, mark+c.What)
		}
		if text := strings.Join(got, " "); text != row.want || d.Worse != strings.Contains(row.want, "!") {
			t.Errorf("%s: %q (worse %t), want %q", name, text, d.Worse, row.want)
		}
	}
}

func TestADiffReadsAsLinesWithTheOutcomeLast(t *testing.T) {
	for want, row := range map[string][2]contracts.Report{
		"the same as before":   {small(nil), small(nil)},
		"no worse than before": {small(failingRuns(3)), small(nil)},
		"worse than before":    {small(nil), small(func(r *contracts.Report) { failingRuns(3)(r); r.Cases[0].ID = "x" })},
	} {
		var b bytes.Buffer
		if err := DiffText(&b, Compare(row[0], row[1])); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if lines[len(lines)-1] != want || slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "WORSE") }) != (want == "worse than before") {
			t.Errorf("%q, want %s last", lines, want)
		}
	}
}

func TestLatencyIsByNearestRank(t *testing.T) {
	r := contracts.Report{}
	if l := latencies(r); l != (latency{}) {
		t.Errorf("no runs: %+v", l)
	}
	for i := range 20 {
		r.Cases = append(r.Cases, contracts.ReportCase{Runs: []contracts.ReportRun{{LatencyMS: int64(20 - i)}}})
	}
	if l := latencies(r); l != (latency{20, 10, 19, 20}) {
		t.Errorf("1 to 20 ms: %+v", l)
	}
}
