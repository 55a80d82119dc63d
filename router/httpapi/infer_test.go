package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

func TestTheAnswerOfEveryOutcome(t *testing.T) {
	f := newFace(t)
	for _, row := range outcomes {
		for _, replayed := range []bool{false, true} {
			t.Run(row.name+map[bool]string{true: ", repeated"}[replayed], func(t *testing.T) {
				f := f.in(t)
				f.router.submit = func(router.Request) (router.Submitted, error) {
					return router.Submitted{Job: aJob(jobstore.JobRunning), Replayed: replayed}, nil
				}
				f.router.wait = func(context.Context, string) (jobstore.Job, error) { return row.job, nil }
				checkOutcome(t, row.job, replayed, f.want(inferAsk(), row.status, row.code))
			})
		}
	}
}

func checkOutcome(t *testing.T, j jobstore.Job, replayed bool, r reply) {
	t.Helper()
	h := r.header
	if want := map[bool]string{true: "true"}[replayed && !j.State.Live()]; h.Get("Idempotent-Replayed") != want {
		t.Errorf("Idempotent-Replayed %q, want %q", h.Get("Idempotent-Replayed"), want)
	}
	if h.Get("Inferonce-Job-Id") != jobID || h.Get("Inferonce-Attempts") != itoa(len(j.Attempts)) || h.Get("Inferonce-Target") != targetOf(&j) {
		t.Errorf("headers %v", h)
	}
	job := r.body
	if r.status >= 400 {
		job, _ = r.body["job"].(object)
		if r.text("job_id") != jobID {
			t.Errorf("job_id %q", r.text("job_id"))
		}
	}
	if job["id"] != jobID || job["state"] != string(j.State) {
		t.Errorf("job %v", job)
	}
	if r.status == 202 && (h.Get("Location") != "/v1/jobs/"+jobID || h.Get("Retry-After") == "" || h.Get("Retry-After-Ms") == "" || h.Get("X-Should-Retry") != "true") {
		t.Errorf("a job that is not over comes with %v", h)
	}
	if r.status < 300 && h.Get("ETag") != `"`+itoa(int(j.Version))+`"` {
		t.Errorf("ETag %q", h.Get("ETag"))
	}
}

func TestAJobThatIsOverAlreadyIsNotWaitedFor(t *testing.T) {
	f := newFace(t)
	f.router.submit = func(router.Request) (router.Submitted, error) {
		return router.Submitted{Job: aJob(jobstore.JobSucceeded), Replayed: true}, nil
	}
	f.router.wait = func(context.Context, string) (jobstore.Job, error) {
		t.Error("waited")
		return jobstore.Job{}, nil
	}
	if r := f.want(inferAsk(), 200, ""); r.header.Get("Idempotent-Replayed") != "true" {
		t.Error("not marked as a replay")
	}
}

func TestExcludedTargetsAreNamed(t *testing.T) {
	f := newFace(t)
	f.router.wait = func(context.Context, string) (jobstore.Job, error) { return aFailedJob("no_eligible_fallback"), nil }
	r := f.want(inferAsk(), 503, codeNoFallback)
	excluded, _ := r.body["excluded"].([]any)
	if len(excluded) != 1 || excluded[0].(object)["target"] != "llama" || excluded[0].(object)["reason"] == "" {
		t.Errorf("excluded %v", excluded)
	}
}

func TestAnUnknownOutcomeSaysWhichAttemptAndWhy(t *testing.T) {
	f := newFace(t)
	f.router.wait = func(context.Context, string) (jobstore.Job, error) { return aJob(jobstore.JobUnknown), nil }
	r := f.want(inferAsk(), 202, "")
	attempt := r.body["attempts"].([]any)[0].(object)
	failure, _ := attempt["failure"].(object)
	if attempt["number"] != 1.0 || attempt["state"] != "unknown" || failure["class"] != "timeout" || failure["effect"] != "open" ||
		attempt["unknown_since"] != "2026-01-15T12:00:20.000Z" {
		t.Errorf("attempt %v", attempt)
	}
}

func TestAReusedKeyNamesTheJobThatHasIt(t *testing.T) {
	f := newFace(t)
	r := f.given(&jobstore.KeyReusedError{JobID: jobID}, inferAsk(), 409, codeKeyReused)
	if r.text("job_id") != jobID || r.header.Get("X-Should-Retry") != "false" {
		t.Errorf("%v %s", r.header, r.raw)
	}
}

func TestARefusedInputNamesThePlaces(t *testing.T) {
	f := newFace(t)
	r := f.given(&router.InputError{Contract: "ticket-triage@1", Violations: []contracts.Violation{{Pointer: "/text", Rule: "type", Message: "must be a string"}}},
		inferAsk(), 422, codeInputInvalid)
	if !strings.Contains(r.raw, `"errors":[{"pointer":"/text","rule":"type","message":"must be a string"}]`) {
		t.Error(r.raw)
	}
}

func TestAnUnknownContractNamesTheKnownOnes(t *testing.T) {
	f := newFace(t)
	r := f.given(&contracts.UnknownContractError{Ref: "triage", Known: []string{"ticket-triage@1"}}, inferAsk(), 404, codeContractUnknown)
	if !strings.Contains(r.raw, `"known":["ticket-triage@1"]`) {
		t.Error(r.raw)
	}
}

func TestTheRouterGetsTheWholeIntent(t *testing.T) {
	f := newFace(t)
	body := ` { "metadata" : {"b":"2","a":"1"}, "input":{"n":1.0,"text":"h\u0069"}, "contract":"ticket-triage@1" } `
	f.want(inferAsk().saying(body).with("Inferonce-Budget", "20s"), 200, "")
	const canonical = `{"contract":"ticket-triage@1","input":{"n":1,"text":"hi"},"metadata":{"a":"1","b":"2"}}`
	r := f.router.submissions()[0]
	if string(r.Intent) != canonical || string(r.Input) != `{"n":1,"text":"hi"}` || r.Contract != "ticket-triage@1" ||
		r.Owner != "acme" || r.Key != "order-8841" || r.Budget != 20*time.Second {
		t.Errorf("%+v intent %s input %s", r, r.Intent, r.Input)
	}
	if r.Fingerprint != contracts.Fingerprint("POST", "/v1/infer", []byte(canonical)) {
		t.Errorf("fingerprint %s", r.Fingerprint)
	}
}

// R4: what says only how to deliver the answer is no part of the intent.
func TestDeliveryIsNoPartOfTheIntent(t *testing.T) {
	f := newFace(t)
	f.want(inferAsk(), 200, "")
	f.want(inferAsk().with("Prefer", "wait=3").with("Inferonce-Budget", "5s").with("X-Request-Id", "a").by("key-admin"), 200, "")
	escaped := inferAsk()
	escaped.path = "/v1/%69nfer"
	f.want(escaped, 200, "")
	if s := f.router.submissions(); s[0].Fingerprint != s[1].Fingerprint || s[0].Fingerprint != s[2].Fingerprint {
		t.Error("the fingerprints differ")
	}
}

func TestAResultLeavesAsItCame(t *testing.T) {
	r := newFace(t).want(inferAsk(), 200, "")
	if !strings.Contains(r.raw, `"output":{"category":"cards","urgent":false,"note":"<b>&amp;"}`) {
		t.Error(r.raw)
	}
}

// A record that can't be shown is our fault, and half an answer is none.
func TestAResultThatIsNoJSONIsInternal(t *testing.T) {
	f := newFace(t)
	f.router.wait = func(context.Context, string) (jobstore.Job, error) {
		j := aJob(jobstore.JobSucceeded)
		j.Result.Output = []byte(`{"cut`)
		return j, nil
	}
	f.want(inferAsk(), 500, codeInternal)
}

func TestAStoreLostDuringTheWaitNamesTheJob(t *testing.T) {
	f := newFace(t)
	f.router.wait = func(context.Context, string) (jobstore.Job, error) { return jobstore.Job{}, jobstore.ErrUnavailable }
	r := f.want(inferAsk(), 503, codeStore)
	if r.text("job_id") != jobID || r.header.Get("Location") != "/v1/jobs/"+jobID || r.header.Get("Inferonce-Job-Id") != jobID {
		t.Errorf("%v %s", r.header, r.raw)
	}
}

func TestADrainingRouterSendsItsCallersAway(t *testing.T) {
	f := newFace(t)
	f.router.err = router.ErrDraining
	req, _ := http.NewRequest("POST", f.url+"/v1/infer", strings.NewReader(inferAsk().body))
	req.Header = inferAsk().header.Clone()
	req.Header.Set("Authorization", "Bearer key-infer")
	res, err := f.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 503 || !res.Close {
		t.Errorf("%d, connection to be closed: %v", res.StatusCode, res.Close)
	}
}
