package httpapi

import (
	"cmp"
	"net/http"
	"time"

	"inferonce/jobstore"
	"inferonce/router"
)

// standingView is whether a target may take over for a contract. Version is
// what If-Match needs; 0 stands for a pair without a record.
type standingView struct {
	Target   string `json:"target"`
	Contract string `json:"contract"`
	Digest   string `json:"digest"`
	State    string `json:"state"`
	Fallback bool   `json:"fallback"`
	Eligible bool   `json:"eligible"`
	Reason   string `json:"reason"`
	Version  int64  `json:"version"`
	// RenewFrom is when to run conformance again, well before the pass expires.
	RenewFrom *time.Time       `json:"renew_from"`
	Record    *eligibilityView `json:"record"`
}

// eligibilityView is a record of eligibility with its version.
type eligibilityView struct {
	Version int64 `json:"version"`
	*jobstore.Eligibility
}

// listEligibility is GET /v1/eligibility: every pair that a route names.
func (a *api) listEligibility(x *exchange) error {
	all, err := a.Router.Eligibility(x.r.Context())
	if err != nil {
		return err
	}
	views := make([]standingView, 0, len(all))
	for _, s := range all {
		v := standingView{Target: s.Target, Contract: s.Contract, Digest: s.Digest, State: string(s.State), Fallback: s.Fallback, Eligible: s.Eligible, Reason: s.Reason}
		if s.Record != nil {
			if !s.RenewFrom.IsZero() {
				v.RenewFrom = &s.RenewFrom
			}
			v.Version, v.Record = s.Record.Version, &eligibilityView{s.Record.Version, s.Record}
		}
		views = append(views, v)
	}
	return x.send(http.StatusOK, newList(views, ""))
}

// setEligibility is PUT /v1/eligibility/{target}/{contract}. If-Match is
// required, so that nobody switches what they have not looked at (R25).
func (a *api) setEligibility(x *exchange) error {
	s := router.Switch{Target: x.values["target"], Contract: x.values["contract"], By: x.caller.by()}
	version, seen, err := ifMatch(x.r.Header)
	if err != nil {
		return err
	}
	if !seen {
		return newProblem(codeIfMatchNeeded, "a change of eligibility says which version it is based on")
	}
	s.IfVersion = version
	if err := a.readSwitch(x, &s); err != nil {
		return err
	}
	rec, err := a.Router.SetEligibility(x.r.Context(), s)
	if err != nil {
		return err
	}
	return x.sendEligibility(rec)
}

func (a *api) readSwitch(x *exchange, s *router.Switch) error {
	m, _, err := a.object(x, "enabled", "reason", "override_until")
	if err != nil {
		return err
	}
	reason, reasonErr := m.text("reason", maxReason)
	if err := cmp.Or(m.require("enabled"), reasonErr); err != nil {
		return err
	}
	if s.OverrideUntil, err = m.time("override_until"); err != nil {
		return err
	}
	s.Reason = reason
	switch string(m["enabled"]) {
	case "true":
		s.Enable = true
	case "false":
	default:
		return bodyProblem(reasonType, pointer("enabled"), `"enabled" must be true or false`)
	}
	return nil
}

// acceptReport is POST /v1/conformance/reports. The report's bytes are handed
// on as they came, since its digest covers them.
func (a *api) acceptReport(x *exchange) error {
	raw, err := a.body(x)
	if err != nil {
		return err
	}
	rec, err := a.Router.AcceptReport(x.r.Context(), raw, x.caller.by())
	if err != nil {
		return err
	}
	return x.sendEligibility(rec)
}

func (x *exchange) sendEligibility(rec jobstore.Eligibility) error {
	x.w.Header().Set("ETag", etag(rec.Version))
	return x.send(http.StatusOK, eligibilityView{rec.Version, &rec})
}

// auditList is a page of the audit log, and where its chain ends.
type auditList struct {
	list[jobstore.AuditEntry]
	Head jobstore.AuditHead `json:"head"`
}

// listAudit is GET /v1/audit: every change of eligibility, newest first, as it
// is hashed.
func (a *api) listAudit(x *exchange) error {
	q := x.r.URL.Query()
	limit, err := limitOf(q)
	if err != nil {
		return err
	}
	entries, head, err := a.Router.Audit(x.r.Context(), q.Get("before"), limit)
	if err != nil {
		return err
	}
	if entries == nil {
		entries = []jobstore.AuditEntry{}
	}
	next := ""
	if len(entries) == limit {
		next = entries[limit-1].ID
	}
	return x.send(http.StatusOK, auditList{newList(entries, next), head})
}
