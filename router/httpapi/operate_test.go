package httpapi

import (
	"strings"
	"testing"
	"time"

	"inferonce/jobstore"
	"inferonce/router"
)

func TestAJobIsReadInEveryState(t *testing.T) {
	f := newFace(t)
	for _, s := range jobstore.JobStates {
		f.router.jobs[jobID] = aJob(s)
		r := f.want(ask{method: "GET", path: "/v1/jobs/" + jobID, key: "key-infer"}, 200, "")
		if r.text("state") != string(s) || r.header.Get("Inferonce-Job-Id") != jobID {
			t.Errorf("%s: %v %s", s, r.header, r.raw)
		}
		if live := r.header.Get("Retry-After") != ""; live != s.Live() {
			t.Errorf("%s: Retry-After %q", s, r.header.Get("Retry-After"))
		}
	}
}

// The job of the design, member by member and in its order.
func TestTheShapeOfAJob(t *testing.T) {
	f := newFace(t)
	r := f.want(ask{method: "GET", path: "/v1/jobs/" + jobID, key: "key-infer"}, 200, "")
	const want = `{"object":"job","id":"job_3f01k","state":"succeeded","version":2,"contract":"ticket-triage@1","idempotency_key":"order-8841",` +
		`"created_at":"2026-01-15T12:00:00.000Z","ended_at":"2026-01-15T12:00:03.000Z","deadline":"2026-01-15T12:00:30.000Z","completed_by":2,"recovered":true,` +
		`"result":{"output":{"category":"cards","urgent":false,"note":"<b>&amp;"},"target":"llama","provider":"local","model":"triage","finish_reason":"stop","usage":{"input_tokens":212,"output_tokens":11}},` +
		`"error":null,"attempts":[{"number":1,"target":"mini","provider":"openai","model":"gpt-x-mini","state":"failed","started_at":"2026-01-15T12:00:00.000Z","ended_at":"2026-01-15T12:00:01.000Z",` +
		`"failure":{"class":"rate_limited","effect":"none","detail":"slow down","status":429,"retry_after_ms":2000}},` +
		`{"number":2,"target":"llama","provider":"local","model":"triage","state":"succeeded","started_at":"2026-01-15T12:00:02.000Z","ended_at":"2026-01-15T12:00:03.000Z"}]}`
	if got := strings.TrimSpace(r.raw); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}

func TestASettledAttemptAndALateResultAreShown(t *testing.T) {
	f := newFace(t)
	j := aJob(jobstore.JobCancelled)
	j.Attempts[0].Late = &jobstore.Late{Bytes: 12, SHA256: "ab"}
	f.router.jobs[jobID] = j
	r := f.want(ask{method: "GET", path: "/v1/jobs/" + jobID, key: "key-infer"}, 200, "")
	for _, part := range []string{`"settlement":{"as":"cancelled","by":"acme/k1","reason":"withdrawn"}`, `"late":{"bytes":12,"sha256":"ab",`} {
		if !strings.Contains(r.raw, part) {
			t.Errorf("%s is not in %s", part, r.raw)
		}
	}
}

func TestCancelling(t *testing.T) {
	f := newFace(t)
	f.router.jobs[jobID] = aJob(jobstore.JobCancelled)
	cancel := fine()["POST /v1/jobs/{id}/cancel"]
	f.want(cancel, 200, "")
	f.want(cancel.saying("").without("Content-Type"), 200, "")
	if f.router.asked[0] != "withdrawn" || f.router.asked[1] != "" {
		t.Errorf("reasons %q", f.router.asked)
	}
	f.want(cancel.saying(`{"reason":7}`), 400, codeBodyInvalid)
	f.want(cancel.saying(`{"why":"x"}`), 400, codeBodyInvalid)
	if r := f.given(jobstore.ErrEnded, cancel, 409, codeJobEnded); r.text("job_id") != jobID {
		t.Error(r.raw)
	}
}

func TestUnknownJobsComeWithOwnerAndAdvice(t *testing.T) {
	f := newFace(t)
	f.router.page = jobstore.Page{Jobs: []jobstore.Job{aJob(jobstore.JobUnknown)}, Next: "5.job_a"}
	r := f.want(ask{method: "GET", path: "/v1/unknown?limit=1", key: "key-operate"}, 200, "")
	job := r.body["data"].([]any)[0].(object)
	tip := job["advice"].([]any)[0].(object)
	if job["owner"] != "acme" || r.body["next"] != "5.job_a" || f.router.asked[0] != `["",1]` {
		t.Errorf("%s, asked %s", r.raw, f.router.asked)
	}
	if tip["known"] != "Attempt 1 went to mini and is unknown since 2026-01-15 12:00:20 UTC: timeout, first_byte. The provider may have executed it, and may still be at it." {
		t.Errorf("known: %s", tip["known"])
	}
	if !strings.Contains(tip["do"].(string), "provider openai (its id chatcmpl-77)") || tip["resolve"] != "/v1/jobs/"+jobID+"/attempts/1/resolve" {
		t.Errorf("do: %s at %s", tip["do"], tip["resolve"])
	}
}

func TestAdviceWithoutReferenceNamesTheAttempt(t *testing.T) {
	j := aJob(jobstore.JobUnknown)
	j.Attempts[0].Reference, j.Attempts[0].Failure = "", nil
	if tip := advise(&j)[0]; !strings.Contains(tip.Do, "attempt id job_3f01k.1") || strings.Contains(tip.Known, ":  ") {
		t.Errorf("%+v", tip)
	}
}

func TestSettlingHandsOnTheOperatorsWord(t *testing.T) {
	f := newFace(t)
	resolve := fine()["POST /v1/jobs/{id}/attempts/{n}/resolve"]
	f.want(resolve, 200, "")
	f.want(resolve.with("If-Match", `"7"`).saying(`{"as":"executed","reason":"found it","output":{"urgent": true}}`), 200, "")
	f.want(resolve.with("If-Match", "*").saying(`{"as":"executed","reason":"lost","output":null}`), 200, "")
	want := []router.Settle{
		{JobID: jobID, Number: 1, As: jobstore.NotExecuted, By: "acme/k2", Reason: "not in their log"},
		{JobID: jobID, Number: 1, As: jobstore.Executed, By: "acme/k2", Reason: "found it", IfVersion: 7},
		{JobID: jobID, Number: 1, As: jobstore.Executed, By: "acme/k2", Reason: "lost"},
	}
	outputs := []string{"", `{"urgent":true}`, ""}
	for i, got := range f.router.settled {
		if string(got.Output) != outputs[i] {
			t.Errorf("settlement %d has output %q, want %q", i, got.Output, outputs[i])
		}
		got.Output = nil
		if got.JobID != want[i].JobID || got.As != want[i].As || got.By != want[i].By || got.Reason != want[i].Reason || got.IfVersion != want[i].IfVersion || got.Number != 1 {
			t.Errorf("settlement %+v, want %+v", got, want[i])
		}
	}
}

func TestASettlementThatSaysNothingIsRefused(t *testing.T) {
	f := newFace(t)
	resolve := fine()["POST /v1/jobs/{id}/attempts/{n}/resolve"]
	for body, place := range map[string]string{
		`{"reason":"x"}`:                                      "/as",
		`{"as":"done","reason":"x"}`:                          "/as",
		`{"as":1,"reason":"x"}`:                               "/as",
		`{"as":"executed","reason":["x"]}`:                    "/reason",
		`{"as":"cancelled","reason":"x","output":{}}`:         "/output",
		`{"as":"executed","reason":"x","by":"somebody else"}`: "/by",
	} {
		if r := f.want(resolve.saying(body), 400, codeBodyInvalid); r.text("pointer") != place {
			t.Errorf("%s: %s", body, r.raw)
		}
	}
	for _, n := range []string{"0", "-1", "x", "1.0", "99999999999999999999"} {
		odd := resolve
		odd.path = "/v1/jobs/" + jobID + "/attempts/" + n + "/resolve"
		f.want(odd, 404, codeJobNotFound)
	}
	for _, tag := range []string{"", "3", `W/"3"`, `"-3"`, `"x"`, `"3", "4"`} {
		f.want(resolve.with("If-Match", tag), 400, codeIfMatch)
	}
	f.want(resolve.with("If-Match", `"3"`, `"3"`), 400, codeIfMatch)
	if len(f.router.settled) != 0 {
		t.Errorf("%d of them reached the router", len(f.router.settled))
	}
}

func TestASettlementTooSoonSaysWhen(t *testing.T) {
	f := newFace(t)
	resolve := fine()["POST /v1/jobs/{id}/attempts/{n}/resolve"]
	r := f.given(&jobstore.TooSoonError{Wait: 2500 * time.Millisecond}, resolve, 409, codeTooSoon)
	if r.header.Get("Retry-After") != "3" || r.header.Get("Retry-After-Ms") != "2500" || r.text("job_id") != jobID {
		t.Errorf("%v %s", r.header, r.raw)
	}
}

func TestSwitchingEligibility(t *testing.T) {
	f := newFace(t)
	set := fine()["PUT /v1/eligibility/{target}/{contract}"]
	r := f.want(set, 200, "")
	if r.header.Get("ETag") != `"4"` || r.body["version"] != 4.0 || r.text("state") != "eligible" {
		t.Errorf("%v %s", r.header, r.raw)
	}
	f.want(set.with("If-Match", `"0"`).saying(`{"enabled":true,"reason":"back"}`), 200, "")
	want := []router.Switch{
		{Target: "llama", Contract: "ticket-triage@1", By: "acme/k2", Reason: "drifts", IfVersion: 3},
		{Target: "llama", Contract: "ticket-triage@1", By: "acme/k2", Reason: "back", Enable: true},
	}
	f.want(set.saying(`{"enabled":true,"reason":"all others are down","override_until":"2026-01-15T14:00:00+01:00"}`), 200, "")
	want = append(want, router.Switch{Target: "llama", Contract: "ticket-triage@1", By: "acme/k2", Reason: "all others are down", Enable: true, IfVersion: 3})
	if until := f.router.switchd[2].OverrideUntil; !until.Equal(noon.Add(time.Hour)) {
		t.Errorf("override until %s", until)
	}
	f.router.switchd[2].OverrideUntil = time.Time{}
	for i, got := range f.router.switchd {
		if got != want[i] {
			t.Errorf("switch %+v, want %+v", got, want[i])
		}
	}
	for body, place := range map[string]string{`{"reason":"x"}`: "/enabled", `{"enabled":"yes","reason":"x"}`: "/enabled",
		`{"enabled":true,"reason":"x","override_until":"tomorrow"}`: "/override_until", `{"enabled":true,"reason":"x","override_until":""}`: "/override_until",
		`{"enabled":true,"reason":"x","override_until":72}`: "/override_until",
		`{"enabled":true,"reason":1}`:                       "/reason", `{"enabled":true,"reason":"` + strings.Repeat("x", 2001) + `"}`: "/reason"} {
		if r := f.want(set.saying(body), 400, codeBodyInvalid); r.text("pointer") != place {
			t.Errorf("%s: %s", body, r.raw)
		}
	}
}

func TestAnOverrideThatIsRefusedNamesItsMember(t *testing.T) {
	f := newFace(t)
	r := f.given(&router.OverrideError{Message: "an override may last 72 hours at most"}, fine()["PUT /v1/eligibility/{target}/{contract}"], 400, codeBodyInvalid)
	if r.text("pointer") != "/override_until" || r.text("detail") != "an override may last 72 hours at most" {
		t.Error(r.raw)
	}
}

func TestEligibilityIsListedWithItsVersion(t *testing.T) {
	f := newFace(t)
	rec := aRecord()
	f.router.stands = []router.Standing{{Target: "llama", Contract: "ticket-triage@1", Digest: "sha256:aa", State: jobstore.Eligible, Eligible: true, Reason: "proved", Record: &rec},
		{Target: "mini", Contract: "ticket-triage@1", Digest: "sha256:aa", State: jobstore.Pending, Reason: "no report yet"}}
	r := f.want(fine()["GET /v1/eligibility"], 200, "")
	data := r.body["data"].([]any)
	if data[0].(object)["version"] != 4.0 || data[1].(object)["version"] != 0.0 || data[1].(object)["record"] != nil ||
		data[0].(object)["state"] != "eligible" || data[1].(object)["state"] != "pending" {
		t.Error(r.raw)
	}
}

func TestAReportIsHandedOnByteForByte(t *testing.T) {
	f := newFace(t)
	body := "{ \"b\":1.50,\n \"a\":[] }\n"
	f.want(fine()["POST /v1/conformance/reports"].saying(body), 200, "")
	if string(f.router.reports[0]) != body || f.router.bys[0] != "acme/k3" {
		t.Errorf("%q by %s", f.router.reports[0], f.router.bys[0])
	}
	r := f.given(&router.ReportError{Code: "wrong_digest", Message: "the report is about another contract"},
		fine()["POST /v1/conformance/reports"], 422, codeReportRefused)
	if r.text("reason") != "wrong_digest" || r.text("detail") != "the report is about another contract" {
		t.Error(r.raw)
	}
}

func TestTheAuditLogIsPaged(t *testing.T) {
	f := newFace(t)
	entry := jobstore.AuditEntry{ID: "5-0", At: noon, By: "acme/k2", Action: "disable", Target: "llama", Contract: "ticket-triage@1",
		Digest: "sha256:aa", From: jobstore.Eligible, To: jobstore.Disabled, Reason: "drifts",
		Seq: 7, Evidence: &jobstore.Evidence{Calls: 9, Failed: 5, Row: 5, Checks: map[string]int{"STR-01": 5}}, Prev: "bb", Hash: "cc"}
	f.router.audit = []jobstore.AuditEntry{entry, entry}
	r := f.want(ask{method: "GET", path: "/v1/audit?before=9-0&limit=2", key: "key-operate"}, 200, "")
	if !strings.Contains(r.raw, `"evidence":{"calls":9,"failed":5,"in_a_row":5,"checks":{"STR-01":5}},"prev":"bb","hash":"cc"}`) ||
		!strings.Contains(r.raw, `"head":{"seq":7,"hash":"cc"}`) {
		t.Error(r.raw)
	}
	if r.body["next"] != "5-0" || f.router.asked[0] != `["9-0",2]` {
		t.Errorf("%s, asked %s", r.raw, f.router.asked)
	}
	if r := f.want(ask{method: "GET", path: "/v1/audit?limit=3", key: "key-operate"}, 200, ""); r.body["next"] != nil {
		t.Error(r.raw)
	}
}
