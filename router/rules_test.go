package router

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// provedProof is a pass with all that a pair is known again by.
func provedProof() *jobstore.Proof {
	f := jobstore.Fingerprint{TokenIntercept: new(100.0), TokenSlope: new(200.0), System: []string{"fp_1", "fp_2"}, Canary: map[string]string{}}
	for i := range 10 {
		f.Canary[fmt.Sprint("c", i)] = fmt.Sprint("h", i)
	}
	return &jobstore.Proof{Report: "r1", Verdict: "pass", Served: []string{"m-1"}, Fingerprint: &f, Cases: &jobstore.Share{N: 24, OK: 24}}
}

// seenReport is a run of the same target that shows nothing new.
func seenReport() contracts.Report {
	values := map[string]string{"token_intercept": "100.00", "token_slope": "200.00"}
	for i := range 10 {
		values[fmt.Sprint("answer_c", i)] = fmt.Sprint("h", i)
	}
	r := contracts.Report{Verdict: contracts.Pass, Model: contracts.ReportModel{Served: []string{"m-1"}, SystemFingerprints: []string{"fp_2"}, Fingerprint: values}}
	for range 24 {
		r.Cases = append(r.Cases, contracts.ReportCase{Runs: []contracts.ReportRun{{Verdict: contracts.Pass}}})
	}
	return r
}

func counted(r *contracts.Report, intercepts ...float64) {
	for i, v := range intercepts {
		suffix := ""
		if i > 0 {
			suffix = fmt.Sprint("_", i+1)
		}
		r.Model.Fingerprint["token_intercept"+suffix], r.Model.Fingerprint["token_slope"+suffix] = fmt.Sprint(v), "200"
	}
}

func answered(r *contracts.Report, others int) {
	for i := range others {
		r.Model.Fingerprint[fmt.Sprint("answer_c", i)] = "other"
	}
}

func wrongIn(r *contracts.Report, cases int) {
	for i := range cases {
		r.Cases[i].Runs = []contracts.ReportRun{{Verdict: contracts.Fail, Check: "SEM-01"}}
	}
}

func TestWhatAScheduledRunShows(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(p *jobstore.Proof, was *jobstore.Canary, r *contracts.Report)
		rule string
	}{
		{"the same target", func(*jobstore.Proof, *jobstore.Canary, *contracts.Report) {}, ""},
		{"another model answers", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			r.Model.Served = []string{"m-1", "m-2"}
		}, ruleServed},
		{"no model is named", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { r.Model.Served = nil }, ""},
		{"the proof names no model", func(p *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			p.Served, r.Model.Served = nil, []string{"m-9"}
		}, ""},
		{"another system fingerprint", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			r.Model.SystemFingerprints = []string{"fp_1", "fp_3"}
		}, ruleSystem},
		{"the proof has no system fingerprint", func(p *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { p.Fingerprint.System = nil }, ""},
		{"a proof from before fingerprints were kept", func(p *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			p.Fingerprint = nil
			counted(r, 900, 900, 900, 900, 900)
			answered(r, 10)
			r.Model.SystemFingerprints = []string{"x"}
		}, ""},
		{"one count elsewhere", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { counted(r, 110) }, ""},
		{"two counts of five elsewhere", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { counted(r, 110, 100, 110, 101, 99) }, ""},
		{"three counts of five elsewhere", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { counted(r, 110, 100, 110, 101, 96.9) }, ruleTokens},
		{"five counts three tokens away", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { counted(r, 103, 97, 103, 97, 103) }, ""},
		{"the count of a block moved by three percent", func(p *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			counted(r, 100, 100, 100, 100, 100)
			p.Fingerprint.TokenSlope = new(200 / 1.03)
		}, ""},
		{"the count of a block moved by more", func(p *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			counted(r, 100, 100, 100, 100, 100)
			p.Fingerprint.TokenSlope = new(200 / 1.031)
		}, ruleTokens},
		{"two of ten answers changed", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { answered(r, 2) }, ""},
		{"three of ten answers changed", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { answered(r, 3) }, ruleAnswers},
		{"answers that vary by themselves are not compared", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			for i := range 5 {
				delete(r.Model.Fingerprint, fmt.Sprint("answer_c", i))
			}
		}, ""},
		{"the first failed run", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { r.Verdict = contracts.Fail }, ""},
		{"the second in a row", func(_ *jobstore.Proof, was *jobstore.Canary, r *contracts.Report) {
			was.Failed, r.Verdict = 1, contracts.Fail
		}, ruleFailed},
		{"nothing known for a day", func(_ *jobstore.Proof, was *jobstore.Canary, r *contracts.Report) {
			was.Unclear, r.Verdict = noon.Add(-24*time.Hour), contracts.Inconclusive
		}, ruleUnclear},
		{"half of the answers are wrong", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) { wrongIn(r, 12) }, ruleWorse},
		{"a sum that was nearly there", func(_ *jobstore.Proof, was *jobstore.Canary, r *contracts.Report) {
			was.Score, was.Of = 67, "r1"
			wrongIn(r, 3)
		}, ruleWorse},
		{"the same sum against an older proof", func(_ *jobstore.Proof, was *jobstore.Canary, r *contracts.Report) {
			was.Score, was.Of = 67, "r0"
			wrongIn(r, 3)
		}, ""},
		{"answers without their form are not held for wrong", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			wrongIn(r, 12)
			for i := range r.Cases[:12] {
				r.Cases[i].Runs[0].Check = "STR-04"
			}
		}, ""},
		{"a model that is gone", func(_ *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			r.Gone, r.Verdict = true, contracts.Inconclusive
		}, ruleGone},
		{"a proof that is a failed run knows nothing", func(p *jobstore.Proof, _ *jobstore.Canary, r *contracts.Report) {
			p.Verdict = "fail"
			answered(r, 10)
			r.Model.Served = []string{"x"}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, was, r := provedProof(), jobstore.Canary{Tries: 2, Tried: noon}, seenReport()
			c.edit(p, &was, &r)
			is, d, e := seenIn(p, was, r, noon)
			if d.rule != c.rule || (d.reason != "") != (c.rule != "") || e.Rule != c.rule || is.Tries != 2 || !is.Tried.Equal(noon) {
				t.Errorf("%+v, evidence %+v, want %q; %+v", d, e, c.rule, is)
			}
			if model := c.rule == ruleServed || c.rule == ruleSystem || c.rule == ruleTokens || c.rule == ruleGone; d.certify != model || d.gone != (c.rule == ruleGone) {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestWhenAPairMayBeProvedAnew(t *testing.T) {
	for _, c := range []struct {
		name  string
		was   jobstore.Canary
		after time.Duration // of noon
		tries int
	}{
		{"the first try is at once", jobstore.Canary{}, 0, 0},
		{"the second an hour later", jobstore.Canary{Tries: 1, Tried: noon}, time.Hour, 1},
		{"the third two hours after that", jobstore.Canary{Tries: 2, Tried: noon}, 2 * time.Hour, 2},
		{"the sixth sixteen hours later", jobstore.Canary{Tries: 5, Tried: noon}, 16 * time.Hour, 5},
		{"then a day", jobstore.Canary{Tries: 6, Tried: noon}, 24 * time.Hour, 6},
		{"and never longer", jobstore.Canary{Tries: 600, Tried: noon}, 24 * time.Hour, 600},
		{"a try of a day ago still counts", jobstore.Canary{Tries: 6, Tried: noon.Add(-24 * time.Hour)}, 0, 6},
		{"one of longer ago does not", jobstore.Canary{Tries: 6, Tried: noon.Add(-24*time.Hour - 1)}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if at, tries := nextTry(noon, c.was); !at.Equal(noon.Add(c.after)) || tries != c.tries {
				t.Errorf("at %s with %d tries, want %s with %d", at, tries, noon.Add(c.after), c.tries)
			}
		})
	}
}

func TestWhatTheScheduleDoesAboutAPair(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(p *pairing, was *jobstore.Canary)
		want errand
	}{
		{"an eligible pair is looked at", func(*pairing, *jobstore.Canary) {}, look},
		{"one that ends soon is renewed", func(p *pairing, _ *jobstore.Canary) { p.rec.Proof.Expires = noon.Add(47 * time.Hour) }, renew},
		{"one that ended too", func(p *pairing, _ *jobstore.Canary) { p.rec.Proof.Expires = noon.Add(-time.Hour) }, renew},
		{"but is looked at until the next try", func(p *pairing, was *jobstore.Canary) {
			p.rec.Proof.Expires, was.Tries, was.Tried = noon.Add(47*time.Hour), 2, noon.Add(-time.Hour)
		}, look},
		{"a suspended one waits for its hour", func(p *pairing, _ *jobstore.Canary) {
			p.rec.State, p.rec.Suspended = jobstore.Suspended, noon.Add(1-time.Hour)
		}, idle},
		{"and is proved anew then", func(p *pairing, _ *jobstore.Canary) {
			p.rec.State, p.rec.Suspended = jobstore.Suspended, noon.Add(-time.Hour)
		}, recovery},
		{"so is one that was revoked after a suspension", func(p *pairing, _ *jobstore.Canary) {
			p.rec.State, p.rec.Suspended = jobstore.Revoked, noon.Add(-time.Hour)
		}, recovery},
		{"what a report from elsewhere revoked is left alone", func(p *pairing, _ *jobstore.Canary) { p.rec.State = jobstore.Revoked }, idle},
		{"what an operator switched off too", func(p *pairing, _ *jobstore.Canary) {
			p.rec.State, p.rec.Suspended = jobstore.Disabled, noon.Add(-time.Hour)
		}, idle},
		{"a pass of another model is not looked at", func(p *pairing, _ *jobstore.Canary) { p.target.Model = "other" }, idle},
		{"a pair without proof neither", func(p *pairing, _ *jobstore.Canary) { p.rec = jobstore.Eligibility{} }, idle},
		{"one on an operator's word is looked at", func(p *pairing, _ *jobstore.Canary) {
			p.rec.State, p.rec.Suspended = jobstore.Suspended, noon.Add(-time.Hour)
			p.rec.Override = &jobstore.Override{Until: noon.Add(1)}
		}, look},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, was := passed(), jobstore.Canary{}
			p.rec.Proof.Issued, p.rec.Proof.Expires = noon.Add(-time.Hour), noon.Add(6*24*time.Hour)
			c.edit(&p, &was)
			if got := errandOf(p, was, noon); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestRenewFrom(t *testing.T) {
	const day = 24 * time.Hour
	for life, want := range map[time.Duration]time.Duration{7 * day: 5 * day, 30 * day: 23 * day} {
		if got := renewFrom(&jobstore.Proof{Issued: noon, Expires: noon.Add(life)}); !got.Equal(noon.Add(want)) {
			t.Errorf("of a pass for %s: %s after its issue, want %s", life, got.Sub(noon), want)
		}
	}
	if !renewFrom(nil).IsZero() {
		t.Error("no pass is to be renewed")
	}
}

// A live answer that says nothing about the form still tells who gave it.
func TestWhatLiveAnswersShow(t *testing.T) {
	for _, c := range []struct {
		name string
		s    sighting
		n    int // noted
		rule string
	}{
		{"a good answer", sighting{served: "m-1", system: "fp_1"}, 1, ""},
		{"another model", sighting{served: "m-2"}, 1, ruleServed},
		{"another system fingerprint", sighting{served: "m-1", system: "fp_9"}, 1, ruleSystem},
		{"a model that is gone is not counted for an answer", sighting{gone: true, quiet: true}, 0, ruleGone},
	} {
		checks, n := worth(provedProof(), []sighting{c.s})
		if d := seenLive(jobstore.Evidence{}, n); len(checks) != c.n || d.rule != c.rule {
			t.Errorf("%s: %v, %+v", c.name, checks, d)
		}
	}
}

func TestARecordHoldsWhatTheReportShows(t *testing.T) {
	r := seenReport()
	r.ID, r.Provider, r.Model.Asked, r.Mode, r.Enforcement = "r9", "local", "m-1", "certify", "native"
	r.Started, r.Finished, r.Totals.Runs = noon.Add(-time.Minute), noon, 120
	r.Checks = []contracts.ReportCheck{{ID: "PAR-01", Values: map[string]string{"temperature": "0", "max_tokens": "omitted"}},
		{ID: "STA-02", N: 120, OK: 114}, {ID: "SEM-01", N: 120, OK: 118, Bound: 0.948}, {ID: "TOOL-03", Verdict: contracts.Pass}}
	for i := range r.Cases {
		r.Cases[i].Runs[0].LatencyMS = int64(100 + i)
	}
	r.Cases[0].Runs[0] = contracts.ReportRun{Verdict: contracts.Fail, Check: "SEM-01", LatencyMS: 100}
	got := proofOf(r, []byte("{}"), providers.Target{Model: "m-1", Profile: "sha256:p"}, "http://gpu:8080", "acme/ci")
	want := `{"report":"r9","report_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","run_by":"acme/ci","suite_version":"",` +
		`"mode":"certify","verdict":"pass","provider":"local","provider_profile_digest":"sha256:p","base_host":"http://gpu:8080","model":"m-1","served":["m-1"],` +
		`"fingerprint":{"token_intercept":100,"token_slope":200,"system_fingerprint":["fp_2"],"canary_hashes":{"c0":"h0","c1":"h1","c2":"h2","c3":"h3","c4":"h4","c5":"h5","c6":"h6","c7":"h7","c8":"h8","c9":"h9"}},` +
		`"sampling_sent":{"max_tokens":"omitted","temperature":"0"},"enforcement":{"schema":"native","tools":"native"},"runs":120,"cases":{"n":24,"ok":23},` +
		`"bounds":{"SEM-01":0.948},"agreement":0.95,"p95_ms":122,"started":"2026-01-15T11:59:00Z","issued":"2026-01-15T12:00:00Z","expires":"2026-02-14T12:00:00Z"}`
	raw, err := json.Marshal(got)
	if err != nil || string(raw) != want {
		t.Errorf("%v\n%s, want\n%s", err, raw, want)
	}
	if strings.Contains(string(raw), "cost") {
		t.Error("a cost that nobody knows is recorded")
	}
}
