package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
)

const storeConfig = `store: {redis: "%s", durability: volatile}
providers:
  sim-b: {kind: openai, base_url: "%s/sim/sim-b/v1"}
targets:
  sim-b: {provider: sim-b, model: sim}
routes:
  triage: {contract: ticket-triage, primary: sim-b}
keys:
  - {owner: acme, hash: "sha256:0000000000000000000000000000000000000000000000000000000000000000", scopes: [infer]}
`

// CI that reaches the store needs no router: what it hands in is judged by the
// same rules and is there for every router.
func TestConformanceHandsItsReportToTheStore(t *testing.T) {
	w, err := newWorld(simFlags{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	redis := jobstoretest.StartRedis(t)
	dir := t.TempDir()
	file, out := filepath.Join(dir, "router.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(file, fmt.Appendf(nil, storeConfig, redis.URL(), w.url), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(string) (string, bool) { return "", false }
	root := newRootCmd(env)
	var talk bytes.Buffer
	root.SetOut(&talk)
	root.SetErr(&talk)
	root.SetArgs([]string{"conformance", "run", "-c", file, "--target", "sim-b", "--contract", "ticket-triage", "--mode", "certify", "--errors=false", "--out", out, "--store"})
	if err := root.ExecuteContext(t.Context()); err != nil || !strings.Contains(talk.String(), "sim-b is eligible for ticket-triage@1: conformance passed") {
		t.Fatalf("%v\n%s", err, talk.String())
	}
	raw, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r contracts.Report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	rec := recordIn(t, redis.URL(), r.Contract.Digest)
	if rec.State != jobstore.Eligible || rec.Proof == nil || rec.Proof.Report != r.ID || !strings.HasPrefix(rec.By, "conformance at ") {
		t.Errorf("%+v", rec)
	}

	c, err := configs.Load(file, env)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*contracts.Report){
		"report_digest": func(r *contracts.Report) { r.Contract.Digest = "sha256:" + strings.Repeat("0", 64) },
		"report_suite":  func(r *contracts.Report) { r.SuiteVersion = "99" },
	} {
		bad := r
		spoil(&bad)
		text, err := json.Marshal(bad)
		if err != nil {
			t.Fatal(err)
		}
		err = storeReport(t.Context(), c, text, &talk)
		if err == nil || !strings.Contains(err.Error(), name) || err.(*exitError).code != exitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again := recordIn(t, redis.URL(), r.Contract.Digest); again.Version != rec.Version {
		t.Errorf("a refused report changed the record: %+v", again)
	}
}

func recordIn(t *testing.T, url, digest string) jobstore.Eligibility {
	t.Helper()
	s, err := jobstore.Open(t.Context(), jobstore.Options{URL: url, Durability: jobstore.Volatile})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rec, err := s.EligibilityOf(t.Context(), "sim-b", digest)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}
