package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

// logged answers a request and returns what it left in the log.
func logged(t *testing.T, f *fake, a ask) (*httptest.ResponseRecorder, []object) {
	t.Helper()
	out := &lockedBuffer{}
	w := serveContext(t.Context(), f, a, slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	var lines []object
	for line := range strings.Lines(out.String()) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, o)
	}
	return w, lines
}

func TestARequestLeavesOneLine(t *testing.T) {
	w, lines := logged(t, newFake(), inferAsk().with("X-Request-Id", "lb-1"))
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	line := lines[0]
	want := object{"msg": "request served", "level": "INFO", "method": "POST", "route": "/v1/infer", "status": 200.0, "request": "lb-1",
		"in": float64(len(inferAsk().body)), "out": float64(w.Body.Len()), "owner": "acme", "key_id": "k1", "job": jobID, "attempts": 2.0, "target": "llama"}
	for name, value := range want {
		if line[name] != value {
			t.Errorf("%s is %v, want %v", name, line[name], value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(line)) {
		if _, ok := want[name]; !ok && name != "time" && name != "elapsed" {
			t.Errorf("the line has %s=%v", name, line[name])
		}
	}
}

func TestTheLineNamesTheRouteAndNotThePath(t *testing.T) {
	_, lines := logged(t, newFake(), ask{method: "GET", path: "/v1/jobs/canary-id", key: "key-infer"})
	if lines[0]["route"] != "/v1/jobs/{id}" || lines[0]["status"] != 404.0 || strings.Contains(fmt.Sprint(lines), "canary") {
		t.Error(lines)
	}
	_, lines = logged(t, newFake(), ask{method: "GET", path: "/canary?canary=1", key: "key-infer"})
	if lines[0]["route"] != "none" || strings.Contains(fmt.Sprint(lines), "canary") {
		t.Error(lines)
	}
}

// R17: neither prompts nor keys nor a provider's text get into the log,
// whatever happens to the request.
func TestCanariesStayOutOfTheLog(t *testing.T) {
	const canary = "CANARY"
	a := inferAsk().with("Idempotency-Key", "key-"+canary).saying(`{"contract":"a","input":"`+canary+`","metadata":{"m":"`+canary+`"}}`).
		with("Cookie", canary).with("User-Agent", canary)
	violation := []contracts.Violation{{Pointer: "/" + canary, Message: canary}}
	happenings := map[string]func(*fake, *ask){
		"it succeeds":             func(*fake, *ask) {},
		"the key is nobody's":     func(_ *fake, a *ask) { a.key = canary },
		"the body is cut":         func(_ *fake, a *ask) { a.body = `{"` + canary },
		"a member is unknown":     func(_ *fake, a *ask) { a.body = `{"` + canary + `":1}` },
		"the query is unknown":    func(_ *fake, a *ask) { a.path += "?" + canary + "=" + canary },
		"the request id is odd":   func(_ *fake, a *ask) { *a = a.with("X-Request-Id", canary+" "+canary) },
		"the input is refused":    func(f *fake, _ *ask) { f.err = &router.InputError{Contract: "a", Violations: violation} },
		"the contract is none":    func(f *fake, _ *ask) { f.err = &contracts.UnknownContractError{Ref: canary} },
		"the key is reused":       func(f *fake, _ *ask) { f.err = &jobstore.KeyReusedError{JobID: jobID} },
		"the store is away":       func(f *fake, _ *ask) { f.err = jobstore.ErrUnavailable },
		"the handler panics":      func(f *fake, _ *ask) { f.panics = canary },
		"it panics with an error": func(f *fake, _ *ask) { f.panics = errors.New(canary) },
		"the provider says much": func(f *fake, _ *ask) {
			f.wait = func(context.Context, string) (jobstore.Job, error) {
				j := aJob(jobstore.JobFailed)
				j.Attempts[0].Failure.Detail, j.Error.Message = canary, canary
				return j, nil
			}
		},
	}
	for name, happen := range happenings {
		f, a := newFake(), a
		happen(f, &a)
		w, lines := logged(t, f, a)
		if text, _ := json.Marshal(lines); len(lines) == 0 || strings.Contains(string(text), canary) {
			t.Errorf("%s (%d): %s", name, w.Code, text)
		}
	}
}

func TestAPanicIsAnsweredAndTheProcessLives(t *testing.T) {
	f := newFake()
	f.panics = "canary"
	w, lines := logged(t, f, inferAsk())
	if w.Code != 500 || !strings.Contains(w.Body.String(), `"code":"internal"`) || strings.Contains(w.Body.String(), "canary") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w.Header().Get("Inferonce-Job-Id") != "" || lines[0]["level"] != "ERROR" || lines[0]["type"] != "string" || lines[len(lines)-1]["status"] != 500.0 {
		t.Error(lines)
	}
}

// An answer that has begun can't become a problem; the caller must not take
// what came for the whole.
func TestAPanicAmidAnAnswerCutsTheConnection(t *testing.T) {
	f := newFace(t, func(o *Options) {
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic("canary")
		})
	})
	res, err := f.client.Get(f.url + "/metrics")
	if err == nil {
		_, err = res.Body.Read(make([]byte, 200))
		for err == nil {
			_, err = res.Body.Read(make([]byte, 200))
		}
		res.Body.Close()
	}
	if err == nil || err.Error() == "EOF" {
		t.Errorf("the answer looks whole: %v", err)
	}
	f.want(ask{method: "GET", path: "/healthz"}, 200, "")
}

func TestTheRequestID(t *testing.T) {
	for given, kept := range map[string]bool{
		"lb-1.2_3:4/5": true, strings.Repeat("x", 128): true,
		"": false, "with space": false, "ünïcode": false, `"quoted"`: false, "a\tb": false, "x=y;z": false, strings.Repeat("x", 129): false,
	} {
		a := ask{method: "GET", path: "/healthz"}.with("X-Request-Id", given)
		got := serve(newFake(), a).Header().Get("X-Request-Id")
		if (got == given) != kept || !kept && (!strings.HasPrefix(got, "req_") || len(got) < 20) {
			t.Errorf("%q became %q", given, got)
		}
	}
	two := serve(newFake(), ask{method: "GET", path: "/healthz"}.with("X-Request-Id", "a", "b")).Header().Get("X-Request-Id")
	if two == "a" || two == "b" {
		t.Errorf("of two ids, %q was taken", two)
	}
}

// C07: nothing that a caller chose becomes a header line of ours.
func TestNothingCanBeInjectedIntoHeaders(t *testing.T) {
	f := newFace(t)
	const evil = "x%0d%0aSet-Cookie:%20evil=1"
	asks := []ask{
		{method: "GET", path: "/v1/jobs/" + evil, key: "key-infer"},
		{method: "GET", path: "/v1/jobs?" + evil, key: "key-infer"},
		{method: "GET", path: "/" + evil},
		fine()["POST /v1/jobs/{id}/cancel"],
		inferAsk().saying(`{"contract":"a\r\nSet-Cookie: evil=1","input":1}`),
		inferAsk().with("Prefer", "wait=1; Set-Cookie: evil=1"),
	}
	asks[3].path = "/v1/jobs/" + evil + "/cancel"
	f.router.submit = func(r router.Request) (router.Submitted, error) {
		if strings.Contains(r.Contract, "\r\n") {
			return router.Submitted{}, &contracts.UnknownContractError{Ref: r.Contract}
		}
		return router.Submitted{Job: aJob(jobstore.JobRunning)}, nil
	}
	for _, a := range asks {
		if r := f.do(a); r.header.Get("Set-Cookie") != "" || strings.Contains(fmt.Sprint(r.header), "evil") {
			t.Errorf("%s: %v", a.path, r.header)
		}
	}
}
