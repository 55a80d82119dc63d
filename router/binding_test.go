package router

import (
	"strings"
	"testing"

	"inferonce/jobstore"
	"inferonce/providers"
)

// What a pass is bound to: each thing alone, and the word for it.
func TestAPassDoesNotOutliveWhatItIsBoundTo(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(p *pairing)
		code string
		says string
	}{
		{"nothing changed", func(*pairing) {}, "", "conformance passed"},
		{"the contract's digest", func(p *pairing) { p.rec, p.before = jobstore.Eligibility{}, "sha256:0123456789abcdef" },
			"not_proved", "the contract changed since its record, which is about sha256:0123456789ab"},
		{"the suite's major version", func(p *pairing) { p.suite = "2.0" }, "other_suite", "suite version 1.4, this router goes by 2.0"},
		{"its minor version is no change", func(p *pairing) { p.suite = "1.9" }, "", ""},
		{"the profile of the provider", func(p *pairing) { p.target.Profile = "sha256:bb" }, "other_profile", "under profile sha256:aa, which is now sha256:bb"},
		{"a pass from before profiles were kept goes on", func(p *pairing) { p.rec.Proof.Profile = "" }, "", ""},
		{"the base host", func(p *pairing) { p.host = "http://other:8080" }, "other_host", "at http://gpu:8080, which is now reached at http://other:8080"},
		{"the model that is asked for", func(p *pairing) { p.target.Model = "triage-2" }, "other_model", "model triage, the target now asks for triage-2"},
		{"the provider", func(p *pairing) { p.target.Provider = "cloud" }, "other_provider", "provider local, the target now uses cloud"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := passed()
			p.suite, p.rec.Proof.SuiteVersion = "1.4", "1.4"
			p.target.Profile, p.rec.Proof.Profile = "sha256:aa", "sha256:aa"
			c.edit(&p)
			j := p.judge(noon)
			if j.code != c.code || !strings.Contains(j.reason, c.says) {
				t.Errorf("%q: %s; want %q with %q", j.code, j.reason, c.code, c.says)
			}
			if c.code != "" && !strings.Contains(j.reason, "run: inferonce conformance run --target llama --contract tickets@1") {
				t.Errorf("it does not say what to do: %s", j.reason)
			}
		})
	}
}

func TestAPassIsBoundToWhereItWasObtained(t *testing.T) {
	r := seenReport()
	r.BaseHost, r.ProfileDigest = "http://ci:1", "sha256:ci"
	p := proofOf(r, nil, providers.Target{Profile: "sha256:here"}, "http://here:1", "ci")
	if p.BaseHost != "http://ci:1" || p.Profile != "sha256:ci" {
		t.Errorf("%+v", p)
	}
}
