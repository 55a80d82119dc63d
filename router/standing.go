package router

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// reportSkew is how far the clock of the machine that ran conformance may be ahead.
const reportSkew = 5 * time.Minute

// barred names the fallbacks of a route that may not take over.
func (r *Router) barred(ctx context.Context, route *Route) (map[string]jobstore.Excluded, error) {
	out := map[string]jobstore.Excluded{}
	for _, name := range route.Fallbacks {
		rec, err := r.Store.EligibilityOf(ctx, name, route.Contract.Digest)
		if err != nil {
			return nil, err
		}
		if code, reason := judgeProof(rec, r.Targets[name], route.Contract, now()); code != "" {
			out[name] = jobstore.Excluded{Target: name, Code: code, Reason: reason}
		}
	}
	return out, nil
}

// Eligibility tells, for every route and target, whether it may take over.
func (r *Router) Eligibility(ctx context.Context) ([]Standing, error) {
	var out []Standing
	for _, ref := range r.Contracts.Refs() {
		route, ok := r.routes[ref]
		if !ok {
			continue
		}
		for _, name := range route.Targets() {
			rec, err := r.Store.EligibilityOf(ctx, name, route.Contract.Digest)
			if err != nil {
				return nil, err
			}
			code, reason := judgeProof(rec, r.Targets[name], route.Contract, now())
			st := Standing{Target: name, Contract: ref, Digest: route.Contract.Digest, Eligible: code == "", Reason: reason}
			if rec.Version > 0 {
				st.Record = &rec
			}
			out = append(out, st)
		}
	}
	return out, nil
}

// SetEligibility is an operator's switch. Disabling is always possible;
// enabling only over a conformance pass that is still good. Doing it twice
// changes nothing the second time.
func (r *Router) SetEligibility(ctx context.Context, s Switch) (jobstore.Eligibility, error) {
	if strings.TrimSpace(s.Reason) == "" {
		return jobstore.Eligibility{}, ErrNoReason
	}
	c, err := r.Contracts.Get(s.Contract)
	if err != nil {
		return jobstore.Eligibility{}, err
	}
	t, ok := r.Targets[s.Target]
	if !ok {
		return jobstore.Eligibility{}, r.noTarget(s.Target)
	}
	rec, err := r.Store.EligibilityOf(ctx, s.Target, c.Digest)
	if err != nil {
		return jobstore.Eligibility{}, err
	}
	want := jobstore.Disabled
	if s.Enable {
		want = jobstore.Eligible
	}
	if rec.Version > 0 && rec.State == want {
		return rec, nil
	}
	if rec.Version != s.IfVersion {
		return rec, &jobstore.ConflictError{Version: rec.Version}
	}
	to := rec
	to.Target, to.Contract, to.Digest, to.State, to.Reason, to.By, to.Changed = s.Target, c.Ref(), c.Digest, want, s.Reason, s.By, now()
	if s.Enable {
		if code, reason := judgeProof(to, t, c, now()); code != "" {
			return rec, &NotProvedError{Reason: reason}
		}
	}
	action := "disable"
	if s.Enable {
		action = "enable"
	}
	return r.moveEligibility(ctx, rec, to, action)
}

func (r *Router) noTarget(name string) error {
	e := &TargetError{Target: name}
	for t := range r.Targets {
		e.Known = append(e.Known, t)
	}
	slices.Sort(e.Known)
	return e
}

func (r *Router) moveEligibility(ctx context.Context, from, to jobstore.Eligibility, action string) (jobstore.Eligibility, error) {
	entry := jobstore.AuditEntry{At: to.Changed, By: to.By, Action: action, Target: to.Target, Contract: to.Contract,
		Digest: to.Digest, From: from.State, To: to.State, Reason: to.Reason}
	if to.Proof != nil {
		entry.Report = to.Proof.Report
	}
	v, err := r.Store.SetEligibility(ctx, to, entry)
	if err != nil {
		return from, err
	}
	to.Version = v
	r.observer.Observe(Observation{Event: EligibilityMoved, Target: to.Target, Contract: to.Contract, State: string(to.State), By: to.By, Code: action})
	return to, nil
}

// AcceptReport turns a conformance report into eligibility: a pass grants it, a
// fail revokes it, an inconclusive run changes nothing. A pair that an operator
// switched off stays off. The same report again changes nothing.
func (r *Router) AcceptReport(ctx context.Context, raw []byte, by string) (jobstore.Eligibility, error) {
	rep, c, err := r.readReport(raw)
	if err != nil {
		return jobstore.Eligibility{}, err
	}
	sum := sha256.Sum256(raw)
	proof := &jobstore.Proof{Report: rep.ID, SHA256: hex.EncodeToString(sum[:]), SuiteVersion: rep.SuiteVersion, Mode: rep.Mode,
		Verdict: string(rep.Verdict), Provider: rep.Provider, Model: rep.Model.Asked, Served: rep.Model.Served,
		Runs: rep.Totals.Runs, Issued: rep.Finished, Expires: rep.Finished.Add(r.ProofLife)}
	for range 8 {
		rec, err := r.Store.EligibilityOf(ctx, rep.Target, c.Digest)
		if err != nil {
			return rec, err
		}
		if rec.Proof != nil && rec.Proof.Report == rep.ID {
			return rec, nil
		}
		if rec.Proof != nil && rep.Finished.Before(rec.Proof.Issued) {
			return rec, &ReportError{"report_older", "a newer report is on record, " + rec.Proof.Report}
		}
		to, action := withProof(rec, rep, c, proof, by)
		to, err = r.moveEligibility(ctx, rec, to, action)
		var conflict *jobstore.ConflictError
		if !errors.As(err, &conflict) {
			return to, err
		}
	}
	return jobstore.Eligibility{}, fmt.Errorf("%w: the record kept changing", jobstore.ErrUnavailable)
}

func withProof(rec jobstore.Eligibility, rep contracts.Report, c *contracts.Contract, proof *jobstore.Proof, by string) (jobstore.Eligibility, string) {
	to := rec
	to.Target, to.Contract, to.Digest, to.Proof, to.By, to.Changed = rep.Target, c.Ref(), c.Digest, proof, by, now()
	switch {
	case rec.State == jobstore.Disabled:
		to.By, to.Reason = rec.By, rec.Reason
		return to, "report"
	case rep.Verdict == contracts.Pass:
		to.State, to.Reason = jobstore.Eligible, "conformance passed"
		return to, "grant"
	}
	to.State, to.Reason = jobstore.Revoked, "conformance failed: "+strings.Join(rep.Reasons, "; ")
	return to, "revoke"
}

func (r *Router) readReport(raw []byte) (contracts.Report, *contracts.Contract, error) {
	var rep contracts.Report
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rep); err != nil {
		return rep, nil, &ReportError{"report_invalid", "the report is not of the published shape: " + err.Error()}
	}
	c, err := r.Contracts.Get(fmt.Sprintf("%s@%d", rep.Contract.Name, rep.Contract.Version))
	if err != nil {
		return rep, nil, &ReportError{"report_contract", fmt.Sprintf("no contract %s@%d is loaded", rep.Contract.Name, rep.Contract.Version)}
	}
	return rep, c, r.refuseReport(rep, c)
}

func (r *Router) refuseReport(rep contracts.Report, c *contracts.Contract) error {
	t, ok := r.Targets[rep.Target]
	switch {
	case rep.SchemaVersion != contracts.ReportSchema:
		return &ReportError{"report_schema", fmt.Sprintf("report schema %d; this router reads %d", rep.SchemaVersion, contracts.ReportSchema)}
	case rep.SuiteVersion != r.SuiteVersion:
		return &ReportError{"report_suite", "suite version " + rep.SuiteVersion + "; this router accepts " + r.SuiteVersion}
	case rep.Contract.Digest != c.Digest:
		return &ReportError{"report_digest", "the report is about another state of contract " + c.Ref() + "; run conformance again"}
	case !ok:
		return &ReportError{"report_target", r.noTarget(rep.Target).Error()}
	case rep.Model.Asked != t.Model || rep.Provider != t.Provider:
		return &ReportError{"report_model", fmt.Sprintf("the report is about %s at %s; target %s is %s at %s", rep.Model.Asked, rep.Provider, t.Name, t.Model, t.Provider)}
	case rep.ID == "" || rep.Totals.Runs == 0 || len(rep.Checks) == 0:
		return &ReportError{"report_empty", "the report tested nothing"}
	case rep.Finished.After(now().Add(reportSkew)):
		return &ReportError{"report_future", "the report was finished in the future; check the clocks"}
	case rep.Verdict == contracts.Inconclusive:
		return &ReportError{"report_inconclusive", "an inconclusive run neither grants nor revokes: " + strings.Join(rep.Reasons, "; ")}
	case rep.Verdict != contracts.Pass && rep.Verdict != contracts.Fail:
		return &ReportError{"report_invalid", "the verdict is " + string(rep.Verdict)}
	}
	return nil
}

// Audit reads the log of eligibility changes, newest first.
func (r *Router) Audit(ctx context.Context, before string, limit int) ([]jobstore.AuditEntry, jobstore.AuditHead, error) {
	return r.Store.Audit(ctx, before, limit)
}
