package router

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// reportSkew is how far the clock of the machine that ran conformance may be ahead.
const reportSkew = 5 * time.Minute

// modeCertify is the mode that brings back a pair whose quick run failed after
// a suspension.
const modeCertify = "certify"

// AcceptReport turns a conformance report into eligibility: a pass in mode certify
// grants it, a fail revokes it, an inconclusive run changes nothing, and a quick
// pass confirms what stands. A pair that an operator
// switched off stays off. The same report again changes nothing. What is
// refused is a *ReportError, and eligibility is as it was.
func (r *Router) AcceptReport(ctx context.Context, raw []byte, by string) (jobstore.Eligibility, error) {
	rep, c, err := r.readReport(raw)
	if err != nil {
		return jobstore.Eligibility{}, err
	}
	proof := proofOf(rep, raw, r.Targets[rep.Target], r.Hosts[rep.Provider], by)
	for range maxConflicts {
		rec, err := r.Store.EligibilityOf(ctx, rep.Target, c.Digest)
		if err != nil {
			return rec, err
		}
		if rec.Proof != nil && rec.Proof.Report == rep.ID && rec.Proof.SHA256 == proof.SHA256 {
			return rec, nil
		}
		if err := untimely(rec, rep, now()); err != nil {
			return rec, err
		}
		if rep.Verdict == contracts.Pass && rep.Mode != modeCertify {
			if rec.Proof != nil && underneath(rec) == jobstore.Eligible {
				return rec, nil // it confirms what stands, and prolongs nothing
			}
			return rec, &ReportError{"report_mode", "a run in mode " + rep.Mode + " can revoke and grants nothing; run conformance in mode certify"}
		}
		to, ch := withProof(rec, rep, c, proof, by, now())
		to, err = r.move(ctx, rec, to, ch)
		var conflict *jobstore.ConflictError
		if !errors.As(err, &conflict) {
			return to, err
		}
	}
	return jobstore.Eligibility{}, errKeptChanging
}

// maxConflicts bounds how often a change is made anew on a record that somebody
// else changed meanwhile.
const maxConflicts = 8

var errKeptChanging = fmt.Errorf("%w: the record kept changing", jobstore.ErrUnavailable)

// untimely refuses a report that is good in itself but not at this point of the
// record's history. It is pure.
func untimely(rec jobstore.Eligibility, rep contracts.Report, now time.Time) error {
	back := rec.Suspended.Add(hysteresis)
	switch {
	case rec.Proof != nil && rec.Proof.Report == rep.ID:
		return &ReportError{"report_tampered", "another report with this id is on record, and they differ"}
	case rec.Proof != nil && rep.Finished.Before(rec.Proof.Issued):
		return &ReportError{"report_older", "a newer report is on record, " + rec.Proof.Report}
	case rep.Verdict != contracts.Pass || rec.Suspended.IsZero():
		return nil
	case rep.Started.Before(rec.Suspended):
		return &ReportError{"report_older", "the run began before the target was suspended at " + rec.Suspended.Format(time.RFC3339) + "; run conformance again"}
	case rec.Certify && rep.Mode != modeCertify:
		return &ReportError{"report_mode", "a run after the suspension failed; only one in mode certify brings the target back"}
	case now.Before(back):
		return &ReportError{"report_too_soon", "the target was suspended at " + rec.Suspended.Format(time.RFC3339) + "; a pass counts from " + back.Format(time.RFC3339) + " on"}
	}
	return nil
}

func withProof(rec jobstore.Eligibility, rep contracts.Report, c *contracts.Contract, proof *jobstore.Proof, by string, at time.Time) (jobstore.Eligibility, change) {
	to, before := rec, underneath(rec)
	to.Target, to.Contract, to.Digest, to.Proof, to.Changed = rep.Target, c.Ref(), c.Digest, proof, at
	ch := change{action: "revoke", by: by, reason: "conformance failed: " + strings.Join(rep.Reasons, "; ")}
	if rep.Verdict == contracts.Pass {
		ch.action, ch.reason, ch.fresh = "grant", "conformance passed", before != jobstore.Eligible
		setUnderneath(&to, jobstore.Eligible)
		to.Suspended, to.Certify, to.Override = time.Time{}, false, nil
	} else {
		setUnderneath(&to, jobstore.Revoked)
		to.Certify = rec.Certify || before == jobstore.Suspended
		if by == canaryAuthor && rec.Suspended.IsZero() { // a renewal; tries to come back keep their distance
			to.Suspended, to.Certify = at, true
		}
	}
	if rec.State == jobstore.Disabled {
		ch.action = "report"
		return to, ch
	}
	to.By, to.Reason = ch.by, ch.reason
	return to, ch
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
	case major(rep.SuiteVersion) != major(r.SuiteVersion):
		return &ReportError{"report_suite", "suite version " + rep.SuiteVersion + "; this router accepts " + r.SuiteVersion}
	case rep.Replayed:
		return &ReportError{"report_replayed", "the report is of a recording, which says nothing about the target today; run conformance live"}
	case rep.Contract.Digest != c.Digest:
		return &ReportError{"report_digest", "the report is about another state of contract " + c.Ref() + "; run conformance again"}
	case !ok:
		return &ReportError{"report_target", r.noTarget(rep.Target).Error()}
	case rep.Model.Asked != t.Model || rep.Provider != t.Provider:
		return &ReportError{"report_model", fmt.Sprintf("the report is about %s at %s; target %s is %s at %s", rep.Model.Asked, rep.Provider, t.Name, t.Model, t.Provider)}
	case rep.ID == "" || rep.Totals.Runs == 0 || len(rep.Checks) == 0:
		return &ReportError{"report_empty", "the report tested nothing"}
	case contradiction(rep) != "":
		return &ReportError{"report_tampered", "the report contradicts itself: " + contradiction(rep)}
	case rep.Finished.After(now().Add(reportSkew)):
		return &ReportError{"report_future", "the report was finished in the future; check the clocks"}
	case rep.Verdict == contracts.Inconclusive:
		return &ReportError{"report_inconclusive", "an inconclusive run neither grants nor revokes: " + strings.Join(rep.Reasons, "; ")}
	case rep.Verdict != contracts.Pass && rep.Verdict != contracts.Fail:
		return &ReportError{"report_invalid", "the verdict is " + string(rep.Verdict)}
	}
	return nil
}

// contradiction says where a report does not agree with itself, "" if it does.
// Whoever may hand reports in is trusted; this finds a file that was edited by
// hand or damaged. It is pure.
func contradiction(rep contracts.Report) string {
	seen := map[string]bool{}
	for _, c := range rep.Checks {
		switch {
		case seen[c.ID]:
			return "check " + c.ID + " stands in it twice"
		case c.OK < 0 || c.OK > c.N:
			return "check " + c.ID + " held more often than it was made"
		case c.N > 0 && c.Bound > float64(c.OK)/float64(c.N):
			return "the bound of check " + c.ID + " is above its rate"
		case rep.Verdict == contracts.Pass && c.Class == "H" && c.Verdict == contracts.Fail:
			return "it says pass, and the hard check " + c.ID + " failed"
		}
		seen[c.ID] = true
	}
	runs := 0
	for _, k := range rep.Cases {
		runs += len(k.Runs)
	}
	switch {
	case rep.Totals.Infra < 0 || rep.Totals.Infra > rep.Totals.Runs:
		return "it counts more blocked calls than calls"
	case runs > rep.Totals.Runs:
		return "it lists more runs than it counts"
	case rep.Finished.Before(rep.Started):
		return "it ended before it began"
	}
	return ""
}
