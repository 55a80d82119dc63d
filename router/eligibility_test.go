package router

import (
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

var noon = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// passed is a pair with a good pass, at noon.
func passed() pairing {
	return pairing{target: providers.Target{Name: "llama", Provider: "local", Model: "triage"}, host: "http://gpu:8080", suite: "1",
		contract: &contracts.Contract{Name: "tickets", Version: 1, Digest: "sha256:aa"},
		rec: jobstore.Eligibility{Version: 3, State: jobstore.Eligible, By: "ops", Reason: "because",
			Proof: &jobstore.Proof{Verdict: "pass", Provider: "local", Model: "triage", BaseHost: "http://gpu:8080", SuiteVersion: "1",
				Issued: noon.Add(-time.Hour), Expires: noon.Add(time.Hour)}}}
}

func TestWhoMayTakeOver(t *testing.T) {
	override := func(d time.Duration) *jobstore.Override {
		return &jobstore.Override{By: "ops", Reason: "all others are down", Until: noon.Add(d)}
	}
	for _, c := range []struct {
		name  string
		with  func(p *pairing)
		state jobstore.EligibilityState
		code  string
		says  string
	}{
		{"a good pass makes eligible", func(p *pairing) {}, jobstore.Eligible, "", "good until 2026-01-15T13:00:00Z"},
		{"no record is pending, and says what to run", func(p *pairing) { p.rec = jobstore.Eligibility{} }, jobstore.Pending, "not_proved", "run: inferonce conformance run --target llama --contract tickets@1"},
		{"a record without proof is pending", func(p *pairing) { p.rec.Proof = nil }, jobstore.Pending, "not_proved", "holds no conformance pass"},
		{"a pass that ends now is over", func(p *pairing) { p.rec.Proof.Expires = noon }, jobstore.Expired, "expired", "expired at 2026-01-15T12:00:00Z"},
		{"another model is not the one that passed", func(p *pairing) { p.target.Model = "other" }, jobstore.Pending, "other_model", "model triage"},
		{"another provider neither", func(p *pairing) { p.target.Provider = "cloud" }, jobstore.Pending, "other_provider", "provider local"},
		{"nor the same one at another host", func(p *pairing) { p.host = "http://elsewhere" }, jobstore.Pending, "other_host", "http://elsewhere"},
		{"a pass from before hosts were kept goes on", func(p *pairing) { p.rec.Proof.BaseHost = "" }, jobstore.Eligible, "", ""},
		{"a pass of another suite does not apply", func(p *pairing) { p.suite = "2" }, jobstore.Pending, "other_suite", "suite version 1"},
		{"a suspended one says when it can come back", func(p *pairing) { p.rec.State, p.rec.Suspended = jobstore.Suspended, noon.Add(-time.Minute) }, jobstore.Suspended, "suspended", "from 2026-01-15T12:59:00Z on"},
		{"a revoked one that needs a certify run says so", func(p *pairing) { p.rec.State, p.rec.Certify = jobstore.Revoked, true }, jobstore.Revoked, "revoked", "--mode certify"},
		{"switched off stays off, whatever the pass", func(p *pairing) { p.rec.State, p.rec.Under = jobstore.Disabled, jobstore.Eligible }, jobstore.Disabled, "disabled", "switched off by ops: because"},
		{"an override stands in for a pass", func(p *pairing) { p.rec.Proof, p.rec.Override = nil, override(time.Minute) }, jobstore.Eligible, "", "until 2026-01-15T12:01:00Z without a valid pass: all others are down"},
		{"and for a suspended one", func(p *pairing) { p.rec.State, p.rec.Override = jobstore.Suspended, override(1) }, jobstore.Eligible, "", ""},
		{"an override ends by itself", func(p *pairing) { p.rec.State, p.rec.Override = jobstore.Suspended, override(0) }, jobstore.Suspended, "suspended", ""},
		{"an override that is over leaves a good pass good", func(p *pairing) { p.rec.Override = override(-1) }, jobstore.Eligible, "", "conformance passed"},
		{"switched off is stronger than an override", func(p *pairing) { p.rec.State, p.rec.Override = jobstore.Disabled, override(1) }, jobstore.Disabled, "disabled", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := passed()
			c.with(&p)
			j := p.judge(noon)
			if j.state != c.state || j.code != c.code || !strings.Contains(j.reason, c.says) {
				t.Errorf("%s %q: %s; want %s %q with %q", j.state, j.code, j.reason, c.state, c.code, c.says)
			}
		})
	}
}

func TestHowLongAPassIsGoodFor(t *testing.T) {
	const week, month = 7 * 24 * time.Hour, 30 * 24 * time.Hour
	for _, c := range []struct {
		name, asked string
		served      []string
		pinned      *bool
		want        time.Duration
	}{
		{"a pinned model", "gpt-4o-2024-08-06", []string{"gpt-4o-2024-08-06"}, nil, month},
		{"a name with a version that was not named in answers", "qwen3-4b", nil, nil, month},
		{"a name without a digit names no version", "triage", nil, nil, week},
		{"unless the configuration says that it is pinned", "triage", nil, new(true), month},
		{"latest behind a hyphen", "mistral-small-latest", []string{"mistral-small-latest"}, nil, week},
		{"latest behind a colon", "llama3:latest", nil, nil, week},
		{"latest in another spelling", "Claude-3-LATEST", nil, nil, week},
		{"latest alone", "latest", nil, nil, week},
		{"a name that only contains the letters", "translatest-2", nil, nil, month},
		{"latest in the middle is part of a name", "latest-news-7b", nil, nil, month},
		{"an alias is known by the name that answers", "gpt-4o", []string{"gpt-4o-2024-08-06"}, nil, week},
		{"and is what the configuration says it is", "gpt-4o", []string{"gpt-4o-2024-08-06"}, new(true), month},
		{"a reseller's name with a date may move all the same", "acme/model-2025-01-01", nil, new(false), week},
		{"an answer without a name is no other name", "qwen3-4b", []string{""}, nil, month},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := proofLife(providers.Target{Model: c.asked, Pinned: c.pinned}, c.served); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestDrifted(t *testing.T) {
	for _, c := range []struct {
		name               string
		calls, failed, row int
		want               bool
	}{
		{"nothing seen", 0, 0, 0, false},
		{"four failures in a row, and nothing else", 4, 4, 4, false},
		{"five in a row", 5, 5, 5, true},
		{"five in a row after 195 good ones", 200, 5, 5, true},
		{"one failure of the first call is no rate", 1, 1, 1, false},
		{"every second call fails, ten calls", 10, 5, 1, true},
		// P(X >= k) for n = 200 at 2 percent, from a binomial table: 0.109 for 7, 0.049 for 8.
		{"seven of 200 may still be 2 percent", 200, 7, 1, false},
		{"eight of 200 are more than 2 percent with 95 percent confidence", 200, 8, 1, true},
		// P(X >= 5): 0.049 for n = 99, 0.051 for n = 100.
		{"five of 99", 99, 5, 1, true},
		{"five of 100", 100, 5, 1, false},
		{"a whole window without a failure", 200, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := drifted(jobstore.Evidence{Calls: c.calls, Failed: c.failed, Row: c.row})
			if (got.rule == ruleLive) != c.want || (got.reason != "") != c.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestTheBinomialTailAgainstKnownValues(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
		want float64
	}{
		{0, 10, 0.5, 1}, {10, 10, 0.5, 1.0 / 1024}, {1, 1, 0.02, 0.02}, {1, 2, 0.02, 0.0396}, {5, 10, 0.5, 638.0 / 1024}, {2, 3, 0.1, 0.028},
	} {
		if got := atLeast(c.k, c.n, c.p); got-c.want > 1e-12 || c.want-got > 1e-12 {
			t.Errorf("P(X >= %d) of %d at %g is %g, want %g", c.k, c.n, c.p, got, c.want)
		}
	}
}

func TestAfterAScheduledRun(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		name    string
		was     jobstore.Canary
		verdict contracts.Verdict
		is      jobstore.Canary
		suspend bool
	}{
		{"the first failure is remembered", jobstore.Canary{}, contracts.Fail, jobstore.Canary{Failed: 1}, false},
		{"the second in a row suspends", jobstore.Canary{Failed: 1}, contracts.Fail, jobstore.Canary{Failed: 2}, true},
		{"a pass between forgives", jobstore.Canary{Failed: 1}, contracts.Pass, jobstore.Canary{}, false},
		{"an inconclusive run neither forgives nor blames", jobstore.Canary{Failed: 1}, contracts.Inconclusive, jobstore.Canary{Failed: 1, Unclear: noon}, false},
		{"inconclusive for less than a day", jobstore.Canary{Unclear: noon.Add(1 - day)}, contracts.Inconclusive, jobstore.Canary{Unclear: noon.Add(1 - day)}, false},
		{"inconclusive for a day suspends", jobstore.Canary{Unclear: noon.Add(-day)}, contracts.Inconclusive, jobstore.Canary{Unclear: noon.Add(-day)}, true},
		{"a conclusive run begins the day anew", jobstore.Canary{Unclear: noon.Add(-day)}, contracts.Fail, jobstore.Canary{Failed: 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			is, d := afterCanary(c.was, c.verdict, noon)
			if is != c.is || (d.rule != "") != c.suspend || (d.reason != "") != c.suspend {
				t.Errorf("%+v, %+v; want %+v", is, d, c.is)
			}
		})
	}
}

func TestReportsThatComeAtTheWrongTime(t *testing.T) {
	proof := &jobstore.Proof{Report: "r1", SHA256: "x", Issued: noon.Add(-time.Hour)}
	suspended := noon.Add(-2 * time.Hour)
	for _, c := range []struct {
		name string
		rec  jobstore.Eligibility
		rep  contracts.Report
		want string
	}{
		{"the first one", jobstore.Eligibility{}, contracts.Report{ID: "r1", Finished: noon, Verdict: contracts.Pass}, ""},
		{"a newer one", jobstore.Eligibility{Proof: proof}, contracts.Report{ID: "r2", Finished: noon, Verdict: contracts.Pass}, ""},
		{"an older one", jobstore.Eligibility{Proof: proof}, contracts.Report{ID: "r0", Finished: noon.Add(-90 * time.Minute), Verdict: contracts.Pass}, "report_older"},
		{"the same id with other content", jobstore.Eligibility{Proof: proof}, contracts.Report{ID: "r1", Finished: noon, Verdict: contracts.Pass}, "report_tampered"},
		{"a run from before the suspension", jobstore.Eligibility{Suspended: suspended}, contracts.Report{ID: "r2", Started: suspended.Add(-1), Finished: noon, Verdict: contracts.Pass}, "report_older"},
		{"a pass within an hour of the suspension", jobstore.Eligibility{Suspended: noon.Add(1 - time.Hour)}, contracts.Report{ID: "r2", Started: noon, Finished: noon, Verdict: contracts.Pass}, "report_too_soon"},
		{"a pass an hour after it", jobstore.Eligibility{Suspended: noon.Add(-time.Hour)}, contracts.Report{ID: "r2", Started: noon, Finished: noon, Verdict: contracts.Pass}, ""},
		{"a fail counts at any time", jobstore.Eligibility{Suspended: noon}, contracts.Report{ID: "r2", Finished: noon, Verdict: contracts.Fail}, ""},
		{"a quick pass where certify is asked for", jobstore.Eligibility{Suspended: suspended, Certify: true}, contracts.Report{ID: "r2", Mode: "quick", Started: noon, Finished: noon, Verdict: contracts.Pass}, "report_mode"},
		{"the certify run itself", jobstore.Eligibility{Suspended: suspended, Certify: true}, contracts.Report{ID: "r2", Mode: "certify", Started: noon, Finished: noon, Verdict: contracts.Pass}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			code := ""
			if e, ok := untimely(c.rec, c.rep, noon).(*ReportError); ok {
				code = e.Code
			}
			if code != c.want {
				t.Errorf("%q, want %q", code, c.want)
			}
		})
	}
}

func TestAReportThatContradictsItself(t *testing.T) {
	check := contracts.ReportCheck{ID: "STR-01", Class: "H", Verdict: contracts.Pass, N: 3, OK: 3}
	for _, c := range []struct {
		name string
		edit func(r *contracts.Report)
		bad  bool
	}{
		{"one that agrees with itself", func(r *contracts.Report) {}, false},
		{"a pass over a failed hard check", func(r *contracts.Report) { r.Checks[0].Verdict = contracts.Fail }, true},
		{"a fail over a failed hard check", func(r *contracts.Report) { r.Checks[0].Verdict, r.Verdict = contracts.Fail, contracts.Fail }, false},
		{"more successes than runs", func(r *contracts.Report) { r.Checks[0].OK = 4 }, true},
		{"a negative number of successes", func(r *contracts.Report) { r.Checks[0].OK = -1 }, true},
		{"a bound above the rate", func(r *contracts.Report) { r.Checks[0].OK, r.Checks[0].Bound = 2, 0.9 }, true},
		{"a check that stands twice", func(r *contracts.Report) { r.Checks = append(r.Checks, check) }, true},
		{"more runs than are counted", func(r *contracts.Report) { r.Cases = []contracts.ReportCase{{Runs: make([]contracts.ReportRun, 4)}} }, true},
		{"more blocked calls than calls", func(r *contracts.Report) { r.Totals.Infra = 4 }, true},
		{"an end before the beginning", func(r *contracts.Report) { r.Started = noon.Add(1) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := contracts.Report{Verdict: contracts.Pass, Finished: noon, Totals: contracts.ReportTotals{Runs: 3}, Checks: []contracts.ReportCheck{check}}
			c.edit(&r)
			if got := contradiction(r); (got != "") != c.bad {
				t.Errorf("%q", got)
			}
		})
	}
}
