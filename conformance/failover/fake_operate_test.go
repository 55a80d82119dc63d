package failover

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"inferonce/contracts"
)

// job serves what lies below /v1/jobs.
func (f *fake) job(w http.ResponseWriter, owner string, part []string, raw []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.jobs[part[0]]
	if f.flaw == "lets owners share keys" {
		owner = "all"
	}
	if j == nil || j.owner != owner {
		detail := ""
		if f.flaw == "tells foreign ids apart" {
			detail = part[0]
		}
		problem(w, 404, "job_not_found", map[string]any{"detail": detail})
		return
	}
	switch {
	case len(part) == 1:
		reply(w, 200, j.view())
	case part[1] == "cancel":
		f.cancel(w, j)
	case len(part) == 4 && part[3] == "resolve":
		n, _ := strconv.Atoi(part[2])
		f.resolve(w, j, n, raw)
	}
}

func (f *fake) cancel(w http.ResponseWriter, j *record) {
	if !j.Live() && j.State != cancelled {
		problem(w, 409, "job_ended", nil)
		return
	}
	if j.State != cancelled {
		j.State = cancelled
		j.Version++
		j.touch()
	}
	reply(w, 200, j.view())
}

func (f *fake) resolve(w http.ResponseWriter, j *record, n int, raw []byte) {
	var in struct {
		As, Reason string
		Output     json.RawMessage
	}
	json.Unmarshal(raw, &in)
	a := &j.Attempts[n-1]
	var violation *contracts.Failure
	if in.Output != nil {
		_, violation = j.contract.CheckOutput(string(in.Output), j.input)
	}
	lax := f.flaw == "takes any settlement"
	switch {
	case in.Reason == "" && !lax:
		problem(w, 400, "reason_required", nil)
	case violation != nil && !lax:
		problem(w, 422, "output_invalid", nil)
	case a.State != unknown:
		problem(w, 409, "attempt_not_unknown", nil)
	case in.As == "not_executed" && !j.tooSoon:
		j.tooSoon = true
		problem(w, 409, "too_soon", nil)
	default:
		f.settled(j, a, in.As, in.Reason, in.Output)
		reply(w, 200, j.view())
	}
}

func (f *fake) settled(j *record, a *Attempt, as, reason string, output json.RawMessage) {
	a.Settlement = &Settlement{As: as, By: "one", Reason: reason}
	if output != nil {
		f.finish(j, a, true, output)
		return
	}
	a.State = failed
	j.Version++
	f.next(j)
}

func (f *fake) listStandings(w http.ResponseWriter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []map[string]any
	for c, s := range f.standing {
		all = append(all, map[string]any{"target": "sim-b", "contract": c, "eligible": s.on, "reason": "", "record": map[string]any{"version": s.version}})
	}
	reply(w, 200, map[string]any{"data": all})
}

func (f *fake) setStanding(w http.ResponseWriter, r *http.Request, contract string, raw []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var in struct {
		Enabled bool
		Reason  string
	}
	json.Unmarshal(raw, &in)
	s, match := f.standing[contract], r.Header.Get("If-Match")
	if f.flaw == "runs ended jobs again later" {
		for _, j := range f.jobs {
			f.call(f.life, j, 1, "sim-b")
		}
	}
	switch {
	case match == "":
		problem(w, 428, "if_match_required", nil)
	case in.Reason == "":
		problem(w, 400, "reason_required", nil)
	case s.on == in.Enabled && f.flaw != "counts every switch":
		reply(w, 200, nil)
	case match != fmt.Sprintf("%q", strconv.FormatInt(s.version, 10)):
		problem(w, 412, "version_conflict", nil)
	default:
		s.version++
		s.on = in.Enabled
		f.audit = append(f.audit, in.Reason)
		reply(w, 200, nil)
	}
}

// takeReport believes every report; its id names the contract.
func (f *fake) takeReport(w http.ResponseWriter, raw []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var in contracts.Report
	json.Unmarshal(raw, &in)
	s := f.standing[in.ID]
	s.version++
	s.on = true
	reply(w, 200, nil)
}
