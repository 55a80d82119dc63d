package router

import (
	"fmt"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// judgeProof decides who may serve a contract as a fallback, and on which
// record: pure. An empty code means that the target may.
//
// A contract that needs a schema or tools goes to no fallback that has not
// proved them: the pass for the contract's digest is that proof, since the run
// was made with them. Nothing is asked of a primary.
func judgeProof(rec jobstore.Eligibility, t providers.Target, c *contracts.Contract, now time.Time) (code, reason string) {
	run := fmt.Sprintf("run: inferonce conformance run --target %s --contract %s", t.Name, c.Ref())
	switch {
	case rec.Version == 0:
		return "not_proved", "no conformance run for this contract as it is now (" + shortDigest(c.Digest) + "), so it has not proved " + needs(c) + "; " + run
	case rec.State == jobstore.Disabled:
		return "disabled", "switched off by " + rec.By + ": " + rec.Reason
	case rec.State == jobstore.Revoked:
		return "revoked", rec.Reason + "; " + run
	case rec.Proof == nil || rec.Proof.Verdict != string(contracts.Pass):
		return "not_proved", "its record holds no conformance pass; " + run
	case rec.Proof.Model != t.Model:
		return "other_model", fmt.Sprintf("the pass is for model %s, the target now asks for %s; %s", rec.Proof.Model, t.Model, run)
	case rec.Proof.Provider != t.Provider:
		return "other_provider", fmt.Sprintf("the pass is for provider %s, the target now uses %s; %s", rec.Proof.Provider, t.Provider, run)
	case !now.Before(rec.Proof.Expires):
		return "expired", "its conformance pass expired at " + rec.Proof.Expires.Format(time.RFC3339) + "; " + run
	}
	return "", "conformance passed, with " + needs(c) + ", at " + rec.Proof.Issued.Format(time.RFC3339) + ", good until " + rec.Proof.Expires.Format(time.RFC3339)
}

// needs names what a contract asks of a target beside an answer.
func needs(c *contracts.Contract) string {
	switch n := len(c.Tools); n {
	case 0:
		return "the output schema"
	case 1:
		return "the contract's tool"
	default:
		return fmt.Sprintf("the contract's %d tools", n)
	}
}

func shortDigest(d string) string { return d[:min(len(d), 19)] }
