package conformance

import (
	"fmt"
	"slices"
	"strings"

	"inferonce/contracts"
)

// failingCase is a case of which a run did not pass, with the first such run.
type failingCase struct {
	contracts.ReportCase
	First   contracts.ReportRun
	Failing int
}

// failingCases are in the order of the report.
func failingCases(r contracts.Report) []failingCase {
	var all []failingCase
	for _, c := range r.Cases {
		if first, n := firstFailing(c); n > 0 {
			all = append(all, failingCase{c, first, n})
		}
	}
	return all
}

// Wanted is what the case and the contract ask for, in words.
func (c failingCase) Wanted() string {
	var all []string
	if c.Expected != "" {
		all = append(all, c.Expected)
	}
	if c.First.Failure != nil {
		for _, v := range c.First.Failure.Violations[:min(len(c.First.Failure.Violations), 5)] {
			all = append(all, strings.TrimSpace(v.Pointer+" "+v.Message))
		}
	}
	return strings.Join(all, "; ")
}

// Got is what came: the answer if the report holds it, else its hash.
func (c failingCase) Got() string { return got(c.First) }

// Counted says how many runs failed.
func (c failingCase) Counted() string {
	text := fmt.Sprintf("%d of %d runs fail", c.Failing, len(c.Runs))
	if c.Critical {
		text += ", critical"
	}
	return text
}

// canFail says whether a check of this class can fail the pair.
func canFail(c contracts.ReportCheck) bool {
	return c.Class == string(Hard) || c.Class == string(Statistical)
}

// held is "20 of 23" with the bound, if there is one.
func held(c contracts.ReportCheck) string {
	text := fmt.Sprintf("%d of %d", c.OK, c.N)
	if c.Bound > 0 {
		text += fmt.Sprintf(", at least %.3f", c.Bound)
	}
	return text
}

// latency is how long calls took, in milliseconds, by nearest rank.
type latency struct {
	N             int
	P50, P95, Max int64
}

func latencies(r contracts.Report) latency {
	var all []int64
	for _, c := range r.Cases {
		for _, run := range c.Runs {
			all = append(all, run.LatencyMS)
		}
	}
	if len(all) == 0 {
		return latency{}
	}
	slices.Sort(all)
	rank := func(percent int) int64 { return all[(len(all)*percent+99)/100-1] }
	return latency{len(all), rank(50), rank(95), all[len(all)-1]}
}

// spentIn is what a run cost, in words; "" where there is no price.
func spentIn(t contracts.ReportTotals) string {
	if t.MicroUSD == nil {
		return ""
	}
	return Dollars(*t.MicroUSD)
}

// tokensIn is what a run used: counts of tokens and, where there is a price, money.
func tokensIn(t contracts.ReportTotals) string {
	text := fmt.Sprintf("%d tokens in, %d out", t.Usage.InputTokens, t.Usage.OutputTokens)
	if t.MicroUSD != nil {
		text += ", " + spentIn(t)
	}
	return text
}

// clip keeps the first n bytes of a text, cut between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}

// pairName is the name of what was tested, as the specification of reports has
// it: provider/model@contract:digest12.
func pairName(r contracts.Report) string {
	return fmt.Sprintf("%s/%s@%s:%s", r.Provider, r.Model.Asked, r.Contract.Name, digest12(r.Contract.Digest))
}
