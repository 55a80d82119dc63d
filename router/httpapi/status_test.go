package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

func itoa(n int) string { return strconv.Itoa(n) }

// fine gives, for each route, a request that it serves.
func fine() map[string]ask {
	asks := map[string]ask{"POST /v1/infer": inferAsk(), "POST " + chatPath: chatAsking()}
	get := func(pattern, path, key string) {
		asks["GET "+pattern] = ask{method: "GET", path: path, key: key}
	}
	send := func(method, pattern, path, key, body string) {
		asks[method+" "+pattern] = ask{method: method, path: path, key: key, body: body, header: http.Header{"Content-Type": {"application/json"}}}
	}
	get("/v1/models", "/v1/models", "key-infer")
	get("/v1/models/{id}", "/v1/models/chat", "key-infer")
	get("/v1/jobs", "/v1/jobs", "key-infer")
	get("/v1/jobs/{id}", "/v1/jobs/"+jobID, "key-infer")
	send("POST", "/v1/jobs/{id}/cancel", "/v1/jobs/"+jobID+"/cancel", "key-infer", `{"reason":"withdrawn"}`)
	get("/v1/unknown", "/v1/unknown", "key-operate")
	send("POST", "/v1/jobs/{id}/attempts/{n}/resolve", "/v1/jobs/"+jobID+"/attempts/1/resolve", "key-operate", `{"as":"not_executed","reason":"not in their log"}`)
	get("/v1/eligibility", "/v1/eligibility", "key-operate")
	send("PUT", "/v1/eligibility/{target}/{contract}", "/v1/eligibility/llama/ticket-triage@1", "key-operate", `{"enabled":false,"reason":"drifts"}`)
	asks["PUT /v1/eligibility/{target}/{contract}"].header.Set("If-Match", `"3"`)
	send("POST", "/v1/conformance/reports", "/v1/conformance/reports", "key-report", `{"schema_version":1}`)
	get("/v1/audit", "/v1/audit", "key-operate")
	for _, p := range []string{"/healthz", "/readyz", "/metrics", "/version", "/openapi.json"} {
		get(p, p, "")
	}
	return asks
}

// TestEveryDocumentedStatusIsReached runs every way an answer can go. Together
// with face.check it says that the document and the code allow the same.
func TestEveryDocumentedStatusIsReached(t *testing.T) {
	f := newFace(t, func(o *Options) { o.BodyLimit = 1 << 10 })
	asks := fine()
	for _, rt := range f.api.routes {
		a := asks[rt.method+" "+rt.path]
		f.want(a, 200, "")
		if rt.scope != public {
			f.want(a.by(""), 401, codeUnauthorized)
			f.want(a.by("key-none"), 403, codeForbidden)
			f.want(query(a, "colour=red"), 400, codeQuery)
			f.failing(a)
		}
		if rt.path == modelsPath+"/{id}" {
			a.path = "/v1/models/none"
			f.want(a, 404, codeModelUnknown)
		}
		if rt.limit > 0 {
			f.want(a.saying(`"`+strings.Repeat("x", int(rt.limit))+`"`), 413, codeBodyTooLarge)
			f.want(a.with("Content-Type", "text/plain"), 415, codeMediaType)
			f.stalling(a)
		}
	}
	f.operations(asks)
	f.inferences()
	for documented := range f.allowed {
		if !f.seen[documented] {
			t.Errorf("%s is in the document, and no request led to it", documented)
		}
	}
}

func query(a ask, q string) ask { a.path += "?" + q; return a }

func (f *face) want(a ask, status int, code string) reply {
	f.t.Helper()
	r := f.do(a)
	if r.status != status || r.text("code") != code {
		f.t.Errorf("%s %s: %d %q, want %d %q: %s", a.method, a.path, r.status, r.text("code"), status, code, r.raw)
	}
	return r
}

// given lets the router fail once with err.
func (f *face) given(err error, a ask, status int, code string) reply {
	f.t.Helper()
	f.router.err = err
	defer func() { f.router.err = nil }()
	return f.want(a, status, code)
}

// failing is what any call must survive: the store away, an error that nobody
// foresaw, and a panic.
func (f *face) failing(a ask) {
	f.t.Helper()
	if strings.HasPrefix(a.path, modelsPath) { // configuration: there is no store to fail
		f.router.panics = "canary-panic"
		f.want(a, 500, codeInternal)
		f.router.panics = nil
		return
	}
	r := f.given(fmt.Errorf("load job: %w: dial tcp 10.0.0.7:6379: refused", jobstore.ErrUnavailable), a, 503, codeStore)
	if strings.Contains(r.raw, "10.0.0.7") || r.header.Get("X-Should-Retry") != "true" {
		f.t.Errorf("%s: %s", a.path, r.raw)
	}
	f.given(fmt.Errorf("move: %w: %w", jobstore.ErrUnavailable, jobstore.ErrIndeterminate), a, 503, codeStore)
	f.given(io.ErrShortWrite, a, 500, codeInternal)
	f.router.panics = "canary-panic"
	f.want(a, 500, codeInternal)
	f.router.panics = nil
	f.want(a, 200, "")
}

// stalling sends the head and half of the body, and then nothing.
func (f *face) stalling(a ask) {
	f.t.Helper()
	long := f.api.bodyTime
	f.api.bodyTime = 20 * time.Millisecond
	defer func() { f.api.bodyTime = long }()
	for key, want := range map[string]string{a.key: codeBodyTimeout, "junk": codeUnauthorized} {
		r := f.raw(a.by(key), fmt.Sprintf("Content-Length: %d\r\n\r\n{", len(a.body)), false)
		if r.text("code") != want {
			f.t.Errorf("%s: %d %s, want %s", a.path, r.status, r.raw, want)
		}
		f.check(a, r)
	}
}

// raw writes a request by hand, so that it can be wrong.
func (f *face) raw(a ask, rest string, closeAfter bool) reply {
	f.t.Helper()
	address, _ := url.Parse(f.url)
	conn, err := net.Dial("tcp", address.Host)
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: router\r\nAuthorization: Bearer %s\r\n", a.method, a.path, a.key)
	for name, values := range a.header {
		for _, v := range values {
			fmt.Fprintf(conn, "%s: %s\r\n", name, v)
		}
	}
	io.WriteString(conn, rest)
	if closeAfter {
		conn.(*net.TCPConn).CloseWrite()
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: a.method})
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	r := reply{status: res.StatusCode, header: res.Header, raw: string(text)}
	_ = json.Unmarshal(text, &r.body)
	return r
}

// operations are the refusals of the operators' and the owners' calls.
func (f *face) operations(asks map[string]ask) {
	f.t.Helper()
	f.want(query(asks["GET /v1/jobs"], "limit=0"), 400, codeQuery)
	f.given(jobstore.ErrCursor, query(asks["GET /v1/jobs"], "after=x"), 400, codeCursor)
	job := asks["GET /v1/jobs/{id}"]
	job.path = "/v1/jobs/job_none"
	f.want(job, 404, codeJobNotFound)
	cancel := asks["POST /v1/jobs/{id}/cancel"]
	f.given(jobstore.ErrNotFound, cancel, 404, codeJobNotFound)
	f.given(fmt.Errorf("cancel: %w", jobstore.ErrEnded), cancel, 409, codeJobEnded)

	resolve := asks["POST /v1/jobs/{id}/attempts/{n}/resolve"]
	f.given(jobstore.ErrNotFound, resolve, 404, codeJobNotFound)
	f.given(&jobstore.NotUnknownError{State: jobstore.AttemptRunning}, resolve, 409, codeNotUnknown)
	f.given(&jobstore.TooSoonError{Wait: 2500 * time.Millisecond}, resolve, 409, codeTooSoon)
	f.given(jobstore.ErrBusy, resolve, 409, codeUnderWay)
	f.given(jobstore.ErrEnded, resolve, 409, codeJobEnded)
	f.given(router.ErrNoReason, resolve, 400, codeReason)
	f.given(&jobstore.ConflictError{Version: 5}, resolve, 412, codeConflict)
	f.want(resolve.with("If-Match", "2"), 400, codeIfMatch)
	broken := []contracts.Violation{{Pointer: "/category", Rule: "enum", Message: "is none of the seven"}}
	f.given(&router.OutputError{Failure: &contracts.Failure{Class: contracts.ContractViolation, Violations: broken}}, resolve, 422, codeOutputInvalid)

	set := asks["PUT /v1/eligibility/{target}/{contract}"]
	f.want(set.without("If-Match"), 428, codeIfMatchNeeded)
	f.want(set.with("If-Match", "*"), 428, codeIfMatchNeeded)
	f.given(&jobstore.ConflictError{Version: 5}, set, 412, codeConflict)
	f.given(&router.NotProvedError{Reason: "no report for this contract"}, set, 409, codeNotProved)
	f.given(&router.TargetError{Target: "lama", Known: []string{"llama", "mini"}}, set, 404, codeTargetUnknown)
	f.given(&contracts.UnknownContractError{Ref: "triage", Known: []string{"ticket-triage@1"}}, set, 404, codeContractUnknown)
	f.given(router.ErrNoReason, set, 400, codeReason)
	f.given(&router.ReportError{Code: "wrong_digest", Message: "the report is about another contract"}, asks["POST /v1/conformance/reports"], 422, codeReportRefused)

	f.given(jobstore.ErrUnavailable, asks["GET /readyz"], 503, codeStore)
	f.router.health.Draining = true
	f.want(asks["GET /readyz"], 503, codeDraining)
	f.router.health.Draining = false
	f.api.Metrics = nil
	f.want(asks["GET /metrics"], 404, codeNotFound)
}

// inferences are the rows of the design's table of answers.
func (f *face) inferences() {
	f.t.Helper()
	for _, row := range submitErrors {
		f.given(row.err, inferAsk(), row.status, row.code)
	}
	for _, row := range outcomes {
		f.router.wait = func(context.Context, string) (jobstore.Job, error) { return row.job, nil }
		f.want(inferAsk(), row.status, row.code)
	}
	f.router.wait = nil
	f.chats()
}

// submitErrors is what a submission may be refused with. Nothing is stored then.
var submitErrors = []struct {
	err    error
	status int
	code   string
}{
	{&contracts.UnknownContractError{Ref: "triage", Known: []string{"ticket-triage@1"}}, 404, codeContractUnknown},
	{&router.NoRouteError{Contract: "ticket-notify@1", Known: []string{"ticket-triage@1"}}, 404, codeNoRoute},
	{&router.InputError{Contract: "ticket-triage@1", Violations: []contracts.Violation{{Pointer: "/text", Rule: "type", Message: "must be a string"}}}, 422, codeInputInvalid},
	{&router.UnsupportedError{Contract: "chat@1", Part: "messages[0].parts[1].image",
		Excluded: []jobstore.Excluded{{Target: "mini", Code: "unsupported", Reason: "it takes no images"}}}, 422, codeUnsupported},
	{&router.NoTargetError{Excluded: []jobstore.Excluded{{Target: "llama", Code: "not_proved", Reason: "no conformance run"}}}, 503, codeNoFallback},
	{router.ErrKeyRequired, 400, codeKeyRequired},
	{fmt.Errorf("%w: the field account is not in the input", router.ErrKeyRequired), 400, codeKeyRequired},
	{&jobstore.KeyReusedError{JobID: jobID}, 409, codeKeyReused},
	{router.ErrBusy, 503, codeBusy},
	{router.ErrDraining, 503, codeDraining},
	{jobstore.ErrUnavailable, 503, codeStore},
}

// outcomes is how a job may stand when the wait is over.
var outcomes = []struct {
	name   string
	job    jobstore.Job
	status int
	code   string
}{
	{"done well", aJob(jobstore.JobSucceeded), 200, ""},
	{"still queued", aJob(jobstore.JobQueued), 202, ""},
	{"still running", aJob(jobstore.JobRunning), 202, ""},
	{"the outcome is unknown", aJob(jobstore.JobUnknown), 202, ""},
	{"all attempts ended without a result", aJob(jobstore.JobFailed), 502, codeJobFailed},
	{"no fallback may take over", aFailedJob("no_eligible_fallback"), 503, codeNoFallback},
	{"the budget is used up", aFailedJob("deadline_exceeded"), 504, codeDeadline},
	{"claimed too often without progress", aFailedJob("quarantined"), 502, codeQuarantined},
	{"failed for a reason that this face does not know", aFailedJob("something_new"), 502, codeJobFailed},
	{"cancelled by its owner", aJob(jobstore.JobCancelled), 409, codeCancelled},
}
