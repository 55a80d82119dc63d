package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
)

func TestTheProgressLineGuessesTheTimeLeft(t *testing.T) {
	for name, row := range map[string]struct {
		done, planned, failed int
		spent                 time.Duration
		want                  string
	}{
		"nothing done yet":            {0, 60, 0, time.Second, "0 of 60 runs, 0 failed, 2 blocked"},
		"a third done in ten seconds": {20, 60, 3, 10 * time.Second, "20 of 60 runs, 3 failed, 2 blocked, about 20s left"},
		"nearly done":                 {59, 60, 0, 59 * time.Millisecond, "59 of 60 runs, 0 failed, 2 blocked, about 1s left"},
		"done":                        {60, 60, 1, time.Minute, "60 of 60 runs, 1 failed, 2 blocked"},
	} {
		if got := progressLine(conformance.Progress{Done: row.done, Planned: row.planned, Infra: 2}, row.failed, row.spent); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestTheProgressLineSaysWhatIsSpent(t *testing.T) {
	got := progressLine(conformance.Progress{Done: 60, Planned: 60, MicroUSD: 125_000}, 0, time.Minute)
	if want := "60 of 60 runs, 0 failed, 0 blocked, $0.125"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A count of tokens is held against the one before only where nothing else changed.
func TestTheRunBeforeIsTheBaselineOfTheSamePair(t *testing.T) {
	o := conformance.Options{Contract: &contracts.Contract{Digest: "sha256:" + strings.Repeat("a", 64)}, Target: providers.Target{Provider: "p", Model: "m"}}
	before := contracts.Report{SchemaVersion: contracts.ReportSchema, SuiteVersion: "3", ID: "conf_a", Mode: "certify", Repeats: 5, Target: "t", Provider: "p",
		Contract: contracts.ReportContract{Name: "c", Version: 1, Digest: o.Contract.Digest}, Verdict: contracts.Pass,
		Model:  contracts.ReportModel{Asked: "m", Served: []string{"m"}, Fingerprint: map[string]string{"token_intercept": "12.50", "token_slope": "200.00"}},
		Checks: []contracts.ReportCheck{}, Cases: []contracts.ReportCase{}}
	for name, l := range map[string]struct {
		change func(*contracts.Report)
		want   bool
	}{
		"the same pair":    {func(*contracts.Report) {}, true},
		"another contract": {func(r *contracts.Report) { r.Contract.Digest = "sha256:" + strings.Repeat("b", 64) }, false},
		"another provider": {func(r *contracts.Report) { r.Provider = "q" }, false},
		"another model":    {func(r *contracts.Report) { r.Model.Asked = "n" }, false},
		"a quick run":      {func(r *contracts.Report) { r.Model.Fingerprint = nil }, false},
	} {
		r := before
		l.change(&r)
		raw, err := conformance.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		f := conformanceFlags{reports: reportFlags{previous: filepath.Join(t.TempDir(), "report.json")}}
		if err := os.WriteFile(f.reports.previous, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		got := o
		if err := f.baseline(&got); err != nil || (got.Baseline != nil) != l.want || l.want && *got.Baseline != (conformance.TokenCount{Intercept: 12.5, Slope: 200}) {
			t.Errorf("%s: %+v, %v", name, got.Baseline, err)
		}
	}
}

func TestProgressIsOneLineOnATerminalAndTenElsewhere(t *testing.T) {
	for terminal, want := range map[bool]string{
		true:  "\r\x1b[K1 of 2 runs, 1 failed, 0 blocked, about 3s left\r\x1b[K2 of 2 runs, 1 failed, 0 blocked\n",
		false: "1 of 2 runs, 1 failed, 0 blocked, about 3s left\n2 of 2 runs, 1 failed, 0 blocked\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			p := newProgress(&b)
			p.terminal = terminal
			time.Sleep(3 * time.Second) // of the bubble's clock
			p.tell(conformance.Progress{Done: 1, Planned: 2, Check: "STR-01"})
			p.tell(conformance.Progress{Done: 2, Planned: 2})
			p.end()
			p.end()
			if b.String() != want {
				t.Errorf("terminal %t: %q, want %q", terminal, b.String(), want)
			}
		})
	}
	var b bytes.Buffer
	p := newProgress(&b)
	for i := range 1000 {
		p.tell(conformance.Progress{Done: i + 1, Planned: 1000})
	}
	if n := strings.Count(b.String(), "\n"); n != 10 {
		t.Errorf("%d lines for 1000 runs", n)
	}
}

func TestAFileIsNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) || isTerminal(&bytes.Buffer{}) {
		t.Error("a file or a buffer counts as a terminal")
	}
}

func TestCanFailoverAsksTheFallbacksOfTheLatestVersion(t *testing.T) {
	all := []standing{
		{Target: "p", Contract: "c@9", Eligible: true}, {Target: "f", Contract: "c@9", Fallback: true},
		{Target: "p", Contract: "c@10"}, {Target: "f", Contract: "c@10", Fallback: true}, {Target: "g", Contract: "c@10", Fallback: true, Eligible: true},
		{Target: "p", Contract: "alone@1", Eligible: true},
	}
	for name, row := range map[string]struct {
		contract, target, ref, fallbacks string
		can                              bool
		code                             int
	}{
		"the latest has one that may":        {"c", "", "c@10", "f g", true, 0},
		"an older one has none":              {"c@9", "", "c@9", "f", false, 0},
		"a target that may":                  {"c", "g", "c@10", "g", true, 0},
		"a target that may not":              {"c", "f", "c@10", "f", false, 0},
		"an eligible primary is no fallback": {"alone", "", "alone@1", "", false, 0},
		"the primary by name":                {"c", "p", "c@10", "", false, exitNotFound},
		"a target that is not there":         {"c", "x", "c@10", "", false, exitNotFound},
		"a contract that is not there":       {"d", "", "", "", false, exitNotFound},
		"a version that is not there":        {"c@2", "", "", "", false, exitNotFound},
	} {
		a, err := canFailover(all, row.contract, row.target)
		code := 0
		if e, ok := err.(*exitError); ok {
			code = e.code
		}
		var names []string
		for _, s := range a.Fallbacks {
			names = append(names, s.Target)
		}
		if code != row.code || a.Contract != row.ref || a.CanFailover != row.can || strings.Join(names, " ") != row.fallbacks {
			t.Errorf("%s: %+v (%v)", name, a, err)
		}
	}
}
