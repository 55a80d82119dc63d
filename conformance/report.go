package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"inferonce/contracts"
)

// report is made when all workers are gone.
func (s *suite) report() contracts.Report {
	r := rules{s.Mode, s.Contract.MinSuccess, s.blocks, s.checks, s.results(), s.found, s.sent()}
	rep := contracts.Report{
		SchemaVersion: contracts.ReportSchema, SuiteVersion: SuiteVersion, ID: s.id,
		Mode: s.Mode, Repeats: s.Repeats, Seed: s.Seed,
		Contract: contracts.ReportContract{Name: s.Contract.Name, Version: s.Contract.Version, Digest: s.Contract.Digest},
		Target:   s.Target.Name, Provider: s.Target.Provider,
		BaseHost: s.BaseHost, ProfileDigest: s.Target.Profile, Gone: s.gone,
		Model: contracts.ReportModel{Asked: s.Target.Model, Served: namesIn(r.cases, func(o outcome) string { return o.model }),
			SystemFingerprints: namesIn(r.cases, func(o outcome) string { return o.system })},
		Started: s.started.UTC(), Finished: s.finished.UTC(), Stopped: s.stopped,
		Totals: contracts.ReportTotals{Runs: s.calls, Probes: s.asked, Infra: s.infra, Usage: s.usage, MicroUSD: s.cost()},
		Checks: r.verdicts(), Cases: s.reportCases(r.cases),
	}
	rep.Model.Fingerprint, rep.Enforcement = s.known(), s.found[idEnforced].values["enforcement"]
	_, rep.Replayed = s.Provider.(*Replayer)
	rep.Verdict, rep.Reasons = overall(rep.Checks, r.criticalWrong(), s.doubts(r))
	NewRedactor(s.Secrets...).report(&rep)
	return rep
}

func (s *suite) results() []caseResult {
	all := make([]caseResult, len(s.cases))
	for i, k := range s.cases {
		all[i] = caseResult{k, max(s.blocks, 1) * s.Repeats, s.done[i]}
	}
	return all
}

// overall weighs what was found. What no further run can mend fails the pair,
// also where much was blocked; after that any doubt makes the suite
// inconclusive; only then do rates count.
func overall(checks []contracts.ReportCheck, criticalWrong bool, doubts []string) (contracts.Verdict, []string) {
	var failed []string
	final := criticalWrong
	for _, c := range checks {
		if c.Verdict != contracts.Fail || c.Class != string(Hard) && c.Class != string(Statistical) {
			continue
		}
		failed = append(failed, fmt.Sprintf("%s held in %d of %d; %s", c.ID, c.OK, c.N, c.Detail))
		final = final || c.Class == string(Hard)
	}
	switch {
	case final, len(failed) > 0 && len(doubts) == 0:
		return contracts.Fail, failed
	case len(doubts) > 0:
		return contracts.Inconclusive, append(doubts, failed...)
	}
	return contracts.Pass, nil
}

// doubts are the reasons for which the suite can't grant anything.
func (s *suite) doubts(r rules) []string {
	var all []string
	if s.stopped != "" {
		all = append(all, s.stopped)
	}
	if float64(s.infra) > maxInfra*float64(s.calls) {
		all = append(all, fmt.Sprintf("%d of %d calls were blocked: %s", s.infra, s.calls, s.causeList()))
	}
	if missing := s.planned() - s.ended; missing > 0 && s.stopped == "" {
		all = append(all, fmt.Sprintf("%d runs stayed blocked: %s", missing, s.causeList()))
	}
	for _, c := range s.checks {
		// A check that was never begun is explained by why the suite ended.
		if f := s.found[c.ID]; f.verdict == contracts.Inconclusive && c.Class != Advisory && c.Class != Capability && s.stopped == "" {
			all = append(all, c.ID+" could not be shown: "+f.detail)
		}
	}
	if whole := len(s.Contract.Cases); len(r.cases) < whole {
		all = append(all, fmt.Sprintf("only %d of %d cases were run, which can't pass a pair", len(r.cases), whole))
	}
	return all
}

func (s *suite) causeList() string {
	var all []string
	for _, c := range slices.Sorted(maps.Keys(s.causes)) {
		all = append(all, fmt.Sprintf("%s (%d)", c, s.causes[c]))
	}
	return strings.Join(all, ", ")
}

// namesIn are the different names that answers bear, in order.
func namesIn(cases []caseResult, of func(outcome) string) []string {
	names := map[string]bool{}
	for _, c := range cases {
		for _, r := range c.runs {
			if n := of(r); n != "" {
				names[n] = true
			}
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(names))...)
}

func (s *suite) reportCases(results []caseResult) []contracts.ReportCase {
	all := make([]contracts.ReportCase, 0, len(results))
	for _, c := range results {
		runs := make([]contracts.ReportRun, 0, len(c.runs))
		for _, o := range c.runs {
			runs = append(runs, s.reportRun(o))
		}
		k := contracts.ReportCase{ID: c.ID, Critical: c.Critical, Runs: runs}
		if c.passed() < len(c.runs) {
			k.Expected, k.Reproduce = wanted(c.Case), s.reproduce(c.Case)
		}
		all = append(all, k)
	}
	return all
}

// reportRun leaves out what the model and the provider said, unless the options
// ask for it: a hash tells two answers apart without telling either.
func (s *suite) reportRun(o outcome) contracts.ReportRun {
	run := contracts.ReportRun{Verdict: passIf(o.Passed()), Check: o.Check, LatencyMS: o.latency.Milliseconds(), Message: o.Message}
	if o.content != "" {
		sum := sha256.Sum256([]byte(o.content))
		run.SHA256 = hex.EncodeToString(sum[:])
	}
	if o.usage.Reported {
		u := o.usage
		run.Usage, run.MicroUSD = &u, s.costOf(o)
	}
	if o.Failure != nil {
		f := *o.Failure
		run.Failure = &f
	}
	switch {
	case s.StoreContent:
		run.Content = strings.ToValidUTF8(o.content, "\uFFFD")
	case run.Failure != nil:
		run.Failure.Detail = ""
	}
	return run
}

// Encode writes a report as JSON, the source of every other format. The same
// report gives the same bytes.
func Encode(r contracts.Report) ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the report: %w", err)
	}
	return append(b, '\n'), nil
}
