package router

import (
	"fmt"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// maxOverride is the longest that an operator's word can stand in for a pass.
const maxOverride = 72 * time.Hour

// pairing is all that a target's standing for a contract is judged from.
type pairing struct {
	rec      jobstore.Eligibility
	target   providers.Target
	contract *contracts.Contract
	host     string // that the target's provider is reached at now
	suite    string // the conformance suite whose reports count now
	// before is the digest of another state of the contract, which the target has a
	// record for; "" if it has none, or nobody looked.
	before string
	// scheduled says that this router makes runs for the contract by itself.
	scheduled bool
}

// judgement is where a pair stands, as of a moment. An empty code means that
// the target may take over; reason is in words that an operator can act on.
type judgement struct {
	state        jobstore.EligibilityState
	code, reason string
}

// judge decides who may serve a contract as a fallback, and on which record. It
// is pure. An operator's word comes first, then what reports and live traffic
// showed, then whether the proof is about what runs now, then its age.
//
// A contract that needs a schema or tools goes to no fallback that has not
// proved them: the pass for the contract's digest is that proof, since the run
// was made with them. Nothing is asked of a primary.
func (p pairing) judge(now time.Time) judgement {
	rec, run := p.rec, p.run()
	switch {
	case rec.State == jobstore.Disabled:
		return judgement{jobstore.Disabled, "disabled", "switched off by " + rec.By + ": " + rec.Reason}
	case overridden(rec, now):
		return judgement{jobstore.Eligible, "", fmt.Sprintf("switched on by %s until %s without a valid pass: %s",
			rec.Override.By, rec.Override.Until.Format(time.RFC3339), rec.Override.Reason)}
	case rec.Version == 0:
		return judgement{jobstore.Pending, "not_proved", "no conformance run for this contract as it is now (" + shortDigest(p.contract.Digest) + ")" + p.changed() + ", so it has not proved " + needs(p.contract) + "; " + run}
	case rec.State == jobstore.Suspended:
		return judgement{jobstore.Suspended, "suspended", fmt.Sprintf("suspended by %s: %s; a passing report from %s on brings it back; %s",
			rec.By, rec.Reason, rec.Suspended.Add(hysteresis).Format(time.RFC3339), p.again())}
	case rec.State == jobstore.Revoked:
		return judgement{jobstore.Revoked, "revoked", rec.Reason + "; " + p.again()}
	}
	return p.judgeProof(now)
}

func (p pairing) judgeProof(now time.Time) judgement {
	proof, run := p.rec.Proof, p.run()
	switch {
	case proof == nil || proof.Verdict != string(contracts.Pass):
		return judgement{jobstore.Pending, "not_proved", "its record holds no conformance pass; " + run}
	case proof.Model != p.target.Model:
		return judgement{jobstore.Pending, "other_model", fmt.Sprintf("the pass is for model %s, the target now asks for %s; %s", proof.Model, p.target.Model, run)}
	case proof.Provider != p.target.Provider:
		return judgement{jobstore.Pending, "other_provider", fmt.Sprintf("the pass is for provider %s, the target now uses %s; %s", proof.Provider, p.target.Provider, run)}
	case proof.BaseHost != "" && proof.BaseHost != p.host:
		return judgement{jobstore.Pending, "other_host", fmt.Sprintf("the pass is for the provider at %s, which is now reached at %s; %s", proof.BaseHost, p.host, run)}
	case proof.Profile != "" && proof.Profile != p.target.Profile:
		return judgement{jobstore.Pending, "other_profile", fmt.Sprintf("the pass is for the provider as it was spoken to under profile %s, which is now %s: the adapter's kind or version, or a rule of the target, changed; %s", shortDigest(proof.Profile), shortDigest(p.target.Profile), run)}
	case major(proof.SuiteVersion) != major(p.suite):
		return judgement{jobstore.Pending, "other_suite", fmt.Sprintf("the pass is of suite version %s, this router goes by %s; %s", proof.SuiteVersion, p.suite, run)}
	case !now.Before(proof.Expires):
		return judgement{jobstore.Expired, "expired", "its conformance pass expired at " + proof.Expires.Format(time.RFC3339) + "; " + run}
	}
	return judgement{jobstore.Eligible, "", "conformance passed, with " + needs(p.contract) + ", at " + proof.Issued.Format(time.RFC3339) + ", good until " + proof.Expires.Format(time.RFC3339)}
}

// changed says that what is on record is about another state of the contract.
func (p pairing) changed() string {
	if p.before == "" {
		return ""
	}
	return ": the contract changed since its record, which is about " + shortDigest(p.before)
}

// again says who proves a pair anew that drift took out.
func (p pairing) again() string {
	if p.scheduled && !p.rec.Suspended.IsZero() {
		return "scheduled runs try it from " + p.rec.Suspended.Add(hysteresis).Format(time.RFC3339) + " on; or " + p.run()
	}
	return p.run()
}

// major is the part of a suite's version that a pass is bound to: within it
// checks may be added, and none means something else.
func major(version string) string {
	m, _, _ := strings.Cut(version, ".")
	return m
}

func (p pairing) run() string {
	mode := ""
	if p.rec.Certify {
		mode = " --mode certify"
	}
	return fmt.Sprintf("run: inferonce conformance run --target %s --contract %s%s", p.target.Name, p.contract.Ref(), mode)
}

// overridden says that an operator's word stands in for a pass. It ends by
// itself: nobody has to remember it.
func overridden(rec jobstore.Eligibility, now time.Time) bool {
	return rec.Override != nil && now.Before(rec.Override.Until)
}

// underneath is the state apart from an operator's switch.
func underneath(rec jobstore.Eligibility) jobstore.EligibilityState {
	state := rec.State
	if state == jobstore.Disabled {
		state = rec.Under
		if state == "" && rec.Proof != nil { // switched off before Under was kept
			state = jobstore.Eligible
		}
	}
	if state == "" {
		return jobstore.Pending
	}
	return state
}

// setUnderneath changes the state that counts once no switch is in the way.
func setUnderneath(rec *jobstore.Eligibility, state jobstore.EligibilityState) {
	if rec.State == jobstore.Disabled {
		rec.Under = state
		return
	}
	rec.State = state
}

// isDemoted says that a primary comes after the fallbacks that may take over:
// something showed a fault in it, and no pass came since.
func isDemoted(rec jobstore.Eligibility, now time.Time) bool {
	return !rec.Suspended.IsZero() && !overridden(rec, now)
}

// needs names what a contract asks of a target beside an answer.
func needs(c *contracts.Contract) string {
	if c.Chat {
		return "what its chat cases ask"
	}
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
