package router

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// hysteresis is how long a suspension lasts at least, so that a target does not
// come and go with every run. Only an operator's override is faster.
const hysteresis = time.Hour

// standings judges pairs of a contract, read in one call.
func (r *Router) standings(ctx context.Context, c *contracts.Contract, targets []string) ([]pairing, error) {
	pairs := make([]jobstore.Pair, len(targets))
	for i, t := range targets {
		pairs[i] = jobstore.Pair{Target: t, Digest: c.Digest}
	}
	recs, err := r.Store.EligibilityOfEach(ctx, pairs)
	if err != nil {
		return nil, err
	}
	out := make([]pairing, len(targets))
	for i, t := range targets {
		out[i] = r.pairing(recs[i], t, c)
	}
	return out, nil
}

func (r *Router) pairing(rec jobstore.Eligibility, target string, c *contracts.Contract) pairing {
	t := r.Targets[target]
	return pairing{rec: rec, target: t, contract: c, host: r.Hosts[t.Provider], suite: r.SuiteVersion, scheduled: r.Canary.covers(c.Ref())}
}

// barred names the fallbacks of a route that may not take over, and says
// whether its primary is demoted.
func (r *Router) barred(ctx context.Context, route *Route) (map[string]jobstore.Excluded, bool, error) {
	all, err := r.standings(ctx, route.Contract, route.Targets())
	if err != nil {
		return nil, false, err
	}
	out, at := map[string]jobstore.Excluded{}, now()
	for _, p := range all[1:] {
		if j := p.judge(at); j.code != "" {
			out[p.target.Name] = jobstore.Excluded{Target: p.target.Name, Code: j.code, Reason: j.reason}
		}
	}
	return out, isDemoted(all[0].rec, at), nil
}

// Eligibility tells, for every route and target, whether it may take over.
func (r *Router) Eligibility(ctx context.Context) ([]Standing, error) {
	var out []Standing
	var before map[string]string // read once, where a pair has no record
	for _, ref := range r.Contracts.Refs() {
		route, ok := r.routes[ref]
		if !ok {
			continue
		}
		all, err := r.standings(ctx, route.Contract, route.Targets())
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			if p.rec.Version == 0 {
				if before == nil {
					if before, err = r.earlier(ctx); err != nil {
						return nil, err
					}
				}
				p.before = before[p.target.Name+" "+p.contract.Ref()]
			}
			st := p.standing(now())
			st.Fallback = p.target.Name != route.Primary
			out = append(out, st)
		}
	}
	return out, nil
}

// earlier reads, by target and contract, which state of the contract the newest
// record is about.
func (r *Router) earlier(ctx context.Context) (map[string]string, error) {
	all, err := r.Store.AllEligibility(ctx)
	if err != nil {
		return nil, err
	}
	digests, newest := map[string]string{}, map[string]time.Time{}
	for _, rec := range all {
		if k := rec.Target + " " + rec.Contract; rec.Changed.After(newest[k]) {
			digests[k], newest[k] = rec.Digest, rec.Changed
		}
	}
	return digests, nil
}

func (p pairing) standing(at time.Time) Standing {
	j := p.judge(at)
	st := Standing{Target: p.target.Name, Contract: p.contract.Ref(), Digest: p.contract.Digest, State: j.state,
		Eligible: j.code == "", Reason: j.reason}
	if p.rec.Version > 0 {
		st.Record, st.RenewFrom = &p.rec, renewFrom(p.rec.Proof)
	}
	return st
}

// SetEligibility is an operator's switch. Disabling is always possible;
// enabling only over a conformance pass that is still good, or with an override
// that ends by itself. Doing it twice changes nothing the second time.
func (r *Router) SetEligibility(ctx context.Context, s Switch) (jobstore.Eligibility, error) {
	if strings.TrimSpace(s.Reason) == "" {
		return jobstore.Eligibility{}, ErrNoReason
	}
	at := now()
	if err := s.refuseOverride(at); err != nil {
		return jobstore.Eligibility{}, err
	}
	c, err := r.Contracts.Get(s.Contract)
	if err != nil {
		return jobstore.Eligibility{}, err
	}
	if _, ok := r.Targets[s.Target]; !ok {
		return jobstore.Eligibility{}, r.noTarget(s.Target)
	}
	rec, err := r.Store.EligibilityOf(ctx, s.Target, c.Digest)
	if err != nil {
		return jobstore.Eligibility{}, err
	}
	to, ch := switched(rec, s, c, at)
	same := rec.Version > 0 && rec.State == to.State && sameOverride(rec.Override, to.Override)
	if !same && rec.Version != s.IfVersion {
		return rec, &jobstore.ConflictError{Version: rec.Version}
	}
	if j := r.pairing(to, s.Target, c).judge(at); s.Enable && j.code != "" {
		return rec, &NotProvedError{Reason: j.reason}
	}
	if same {
		return rec, nil
	}
	return r.move(ctx, rec, to, ch)
}

// switched is the record after an operator's switch. It is pure.
func switched(rec jobstore.Eligibility, s Switch, c *contracts.Contract, at time.Time) (jobstore.Eligibility, change) {
	to, under := rec, underneath(rec)
	to.Target, to.Contract, to.Digest, to.Changed = s.Target, c.Ref(), c.Digest, at
	ch := change{action: "disable", by: s.By, reason: s.Reason}
	if !s.Enable {
		to.State, to.Under, to.Override = jobstore.Disabled, under, nil
	} else {
		ch.action = "enable"
		to.State, to.Under, to.Override = under, "", nil
		if !s.OverrideUntil.IsZero() {
			ch.action, ch.fresh = "override", true
			ch.reason += " (until " + s.OverrideUntil.UTC().Format(time.RFC3339) + ")"
			to.Override = &jobstore.Override{By: s.By, Reason: s.Reason, Until: s.OverrideUntil.UTC()}
		}
	}
	// Why a pair is suspended or revoked is still to be read under an override.
	if to.State == jobstore.Disabled || to.State == jobstore.Eligible || to.State == jobstore.Pending {
		to.By, to.Reason = s.By, s.Reason
	}
	return to, ch
}

func sameOverride(a, b *jobstore.Override) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Reason == b.Reason && a.Until.Equal(b.Until)
}

func (s Switch) refuseOverride(at time.Time) error {
	switch {
	case s.OverrideUntil.IsZero():
		return nil
	case !s.Enable:
		return &OverrideError{"an override belongs to enabling; switching off needs none"}
	case !s.OverrideUntil.After(at):
		return &OverrideError{"the override would be over already"}
	case s.OverrideUntil.After(at.Add(maxOverride)):
		return &OverrideError{"an override may last 72 hours at most"}
	}
	return nil
}

func (r *Router) noTarget(name string) error {
	e := &TargetError{Target: name}
	for t := range r.Targets {
		e.Known = append(e.Known, t)
	}
	slices.Sort(e.Known)
	return e
}

// change is what the audit log says of a move of eligibility.
type change struct {
	action, by, reason string
	drift              drift  // that a rule found, if one did
	of                 string // id of the report that it was held against
	evidence           *jobstore.Evidence
	report             string // id; the record's own if empty
	fresh              bool   // what live traffic showed before says nothing any more
}

func (r *Router) move(ctx context.Context, from, to jobstore.Eligibility, ch change) (jobstore.Eligibility, error) {
	to.ID, to.PreviousID = "elig_"+strings.ToLower(rand.Text()), from.ID
	entry := jobstore.AuditEntry{At: to.Changed, By: ch.by, Action: ch.action, Target: to.Target, Contract: to.Contract,
		Digest: to.Digest, From: from.State, To: to.State, Reason: ch.reason, Report: ch.report,
		Evidence: ch.evidence, EvidenceSHA256: ch.evidence.Sum()}
	if entry.Report == "" && to.Proof != nil {
		entry.Report = to.Proof.Report
	}
	if to.Proof != from.Proof {
		entry.Proof = to.Proof
	}
	v, err := r.Store.SetEligibility(ctx, to, entry, ch.fresh)
	if err != nil {
		return from, err
	}
	to.Version = v
	r.observer.Observe(Observation{Event: EligibilityMoved, Target: to.Target, Contract: to.Contract, State: string(to.State), By: ch.by, Code: ch.action, Rule: ch.drift.rule})
	return to, nil
}

// takeOut suspends or revokes a pair on what a machine saw. It says whether it
// changed something: a pair that is out already stays as it is, unless it is
// suspended and its model is gone. An operator's override goes on until its end.
// The error is a *ConflictError if rec is not the newest.
func (r *Router) takeOut(ctx context.Context, rec jobstore.Eligibility, c *contracts.Contract, ch change) (bool, error) {
	to, changes := takenOut(rec, c, ch, now())
	if !changes {
		return false, nil
	}
	ch.action, ch.reason = "suspend", ch.drift.reason
	if ch.drift.gone {
		ch.action = "revoke"
	}
	_, err := r.move(ctx, rec, to, ch)
	return err == nil, err
}

// takenOut is the record after it. It is pure.
func takenOut(rec jobstore.Eligibility, c *contracts.Contract, ch change, at time.Time) (to jobstore.Eligibility, changes bool) {
	under, state := underneath(rec), jobstore.Suspended
	if ch.drift.gone {
		state = jobstore.Revoked
	}
	if under == jobstore.Revoked || under == state {
		return rec, false
	}
	to = rec
	to.Contract, to.Changed, to.Suspended, to.Certify = c.Ref(), at, at, rec.Certify || ch.drift.certify
	setUnderneath(&to, state)
	if to.State != jobstore.Disabled {
		to.By, to.Reason = ch.by, ch.drift.reason
	}
	return to, true
}

func isConflict(err error) bool {
	_, yes := errors.AsType[*jobstore.ConflictError](err)
	return yes
}

// Audit reads the log of eligibility changes, newest first, and where its chain
// ends.
func (r *Router) Audit(ctx context.Context, before string, limit int) ([]jobstore.AuditEntry, jobstore.AuditHead, error) {
	return r.Store.Audit(ctx, before, limit)
}
