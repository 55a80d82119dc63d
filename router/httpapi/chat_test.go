package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

// chatAsking is a chat that succeeds.
func chatAsking() ask {
	return ask{method: "POST", path: chatPath, key: "key-infer", body: `{"model":"chat","messages":[{"role":"user","content":"hello"}]}`,
		header: http.Header{"Idempotency-Key": {"order-8841"}, "Content-Type": {"application/json"}}}
}

// aChat is a chat job that ended with this output.
func aChat(output string) jobstore.Job {
	j := aJob(jobstore.JobSucceeded)
	j.Contract, j.Result.Output = "chat@1", json.RawMessage(output)
	return j
}

// checkOpenAI holds an error against what the common SDKs do with it.
func (f *face) checkOpenAI(a ask, r reply) {
	f.t.Helper()
	k, ok := catalogue[r.text("code")]
	if r.text("code") == "content_filter" {
		k, ok = catalogue[codeJobFailed], true
	}
	if !ok || r.text("message") == "" || r.text("type") == "" || r.header.Get("Content-Type") != "application/json" {
		f.t.Errorf("%s %s: %d %s", a.method, a.path, r.status, r.raw)
	}
	repeated := r.status == 408 || r.status == 409 || r.status == 422 || r.status == 429 || r.status >= 500
	if repeated != k.retryable || r.header.Get("X-Should-Retry") != fmt.Sprint(k.retryable) {
		f.t.Errorf("%s: status %d, X-Should-Retry %s, retryable %v", r.text("code"), r.status, r.header.Get("X-Should-Retry"), k.retryable)
	}
	if hinted := r.header.Get("Retry-After") != "" && r.header.Get("Retry-After-Ms") != ""; hinted != k.retryable {
		f.t.Errorf("%s: Retry-After %q, retryable %v", r.text("code"), r.header.Get("Retry-After"), k.retryable)
	}
}

// chats are the rows of the design's table of answers, as chats have them.
func (f *face) chats() {
	f.t.Helper()
	for _, row := range submitErrors {
		status := openAIStatus(newProblem(row.code, ""))
		f.given(row.err, chatAsking(), status, row.code)
	}
	for _, row := range outcomes {
		f.router.wait = func(context.Context, string) (jobstore.Job, error) { return row.job, nil }
		switch {
		case row.job.State.Live():
			r := f.want(chatAsking(), 409, codeInProgress)
			if r.header.Get("Location") != jobPath(jobID) || r.header.Get("Inferonce-Job-Id") != jobID {
				f.t.Errorf("%s: %v", row.name, r.header)
			}
		case row.code == "":
			f.want(chatAsking(), 200, "")
		default:
			f.want(chatAsking(), 400, row.code)
		}
	}
	f.router.wait = nil
}

func TestAChatIsOneJobUnderItsKey(t *testing.T) {
	f := newFace(t)
	f.router.wait = func(context.Context, string) (jobstore.Job, error) {
		return aChat(`{"content":"A <b>\u00e4</b>"}`), nil
	}
	body := `{ "messages":[{"role":"user","content":"hello"}], "stream":false, "n":1, "frequency_penalty":0.0, "top_p":null, "user":"u-1",
	  "response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"zeta":{},"alpha":{}}}}}, "model":"chat" }`
	f.want(chatAsking().saying(body), 200, "")
	got := f.router.submissions()[0]
	input := `{"messages":[{"role":"user","content":"hello"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"zeta":{},"alpha":{}}}}}}`
	if string(got.Input) != input {
		t.Errorf("input %s\nwant  %s", got.Input, input)
	}
	if want := `{"contract":"chat@1","input":` + input + `,"user":"u-1"}`; string(got.Intent) != want {
		t.Errorf("intent %s\nwant   %s", got.Intent, want)
	}
	canonical, err := contracts.Canonical([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if got.Owner != "acme" || got.Key != "order-8841" || got.Contract != "chat@1" || got.Fingerprint != contracts.Fingerprint("POST", chatPath, canonical) {
		t.Errorf("%+v", got)
	}
}

func TestAnAnswerIsACompletionAndARepeatIsTheSame(t *testing.T) {
	f := newFace(t)
	// The first answer comes from the router's memory, the repeat from the store,
	// which escapes HTML.
	for i, output := range []string{`{"content":"A <b>ä</b>"}`, `{"content":"A \u003cb\u003e\u00e4\u003c/b\u003e"}`} {
		f.router.submit = func(router.Request) (router.Submitted, error) {
			return router.Submitted{Job: aChat(output), Replayed: i == 1}, nil
		}
		r := f.want(chatAsking(), 200, "")
		if want := fmt.Sprintf(`{"id":"chatcmpl-3f01k","object":"chat.completion","created":%d,"model":"triage","choices":[{"index":0,"message":`+
			`{"role":"assistant","content":"A <b>ä</b>","refusal":null},"logprobs":null,"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":212,"completion_tokens":11,"total_tokens":223}}`+"\n", noon.Unix()); r.raw != want {
			t.Errorf("%s\nwant %s", r.raw, want)
		}
		h := r.header
		if h.Get("Inferonce-Job-Id") != jobID || h.Get("Inferonce-Target") != "llama" || h.Get("Inferonce-Attempts") != "2" || (h.Get("Idempotent-Replayed") == "true") != (i == 1) {
			t.Errorf("%v", h)
		}
	}
}

func TestCallsHaveIDsAndArgumentsAsText(t *testing.T) {
	f := newFace(t)
	f.router.submit = func(router.Request) (router.Submitted, error) {
		return router.Submitted{Job: aChat(`{"calls":[{"id":"a","name":"x","arguments":{"q":"\u003c"}},{"id":"a","name":"y","arguments":{}}]}`)}, nil
	}
	r := f.want(chatAsking(), 200, "")
	if want := `"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"q\":\"<\"}"}},` +
		`{"id":"call_2","type":"function","function":{"name":"y","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"`; !strings.Contains(r.raw, want) {
		t.Error(r.raw)
	}
}

func TestParametersThatARouteCantCarryAreRefusedByName(t *testing.T) {
	f := newFace(t)
	for _, row := range []struct{ member, param, says string }{
		{`"stream":true`, "stream", "streaming is not offered yet; send stream:false"},
		{`"n":2`, "n", "send n:1"},
		{`"logprobs":true`, "logprobs", "send logprobs:false"},
		{`"logit_bias":{"50256":-100}`, "logit_bias", "leave it out"},
		{`"modalities":["text","audio"]`, "modalities", "answers are text"},
		{`"audio":{"voice":"alloy"}`, "audio", "answers are text"},
		{`"functions":[]`, "functions", "use tools"},
		{`"presence_penalty":0.5`, "presence_penalty", "leave it out"},
		{`"temprature":0`, "temprature", "temperature"},
	} {
		r := f.want(chatAsking().saying(`{"model":"chat","messages":[],`+row.member+`}`), 400, codeParameter)
		if r.text("param") != row.param || !strings.Contains(r.text("message"), row.says) {
			t.Errorf("%s: %s", row.member, r.raw)
		}
	}
	if n := len(f.router.submissions()); n != 0 {
		t.Errorf("%d requests reached the router", n)
	}
}

func TestWhatIsWrongWithAChatIsSaidInOpenAIsShape(t *testing.T) {
	f := newFace(t)
	key := f.want(chatAsking().without("Idempotency-Key"), 400, codeKeyRequired)
	if !strings.Contains(key.text("message"), `headers: {"Idempotency-Key": "order-8841"}`) || !strings.Contains(key.text("message"), "idempotencyKey") {
		t.Errorf("no snippet: %s", key.raw)
	}
	for _, row := range []struct {
		name, body   string
		status       int
		code, param  string
		kind, saying string
	}{
		{"another model", `{"model":"gpt-x","messages":[]}`, 404, codeModelUnknown, "model", "invalid_request_error", "there are: chat"},
		{"a route of another kind", `{"model":"ticket-triage","messages":[]}`, 400, codeModelNotChat, "model", "invalid_request_error", "POST /v1/infer"},
		{"no model", `{"messages":[]}`, 400, codeBodyInvalid, "model", "invalid_request_error", "model"},
		{"a member twice", `{"model":"chat","model":"chat"}`, 400, codeBodyInvalid, "model", "invalid_request_error", ""},
		{"no JSON", `model: chat`, 400, codeBodyInvalid, "", "invalid_request_error", ""},
	} {
		r := f.want(chatAsking().saying(row.body), row.status, row.code)
		if r.text("param") != row.param || r.text("type") != row.kind || !strings.Contains(r.text("message"), row.saying) {
			t.Errorf("%s: %s", row.name, r.raw)
		}
	}
	f.router.err = &router.InputError{Contract: "chat@1", Violations: []contracts.Violation{{Pointer: "/messages/1/content", Rule: "required", Message: "must be there"}}}
	if r := f.want(chatAsking(), 400, codeInputInvalid); r.text("param") != "messages[1].content" || !strings.Contains(r.text("message"), "messages[1].content must be there") {
		t.Error(r.raw)
	}
	f.router.err = submitErrors[3].err // content that no target can take
	if r := f.want(chatAsking(), 400, codeUnsupported); r.text("param") != "messages[0].parts[1].image" || !strings.Contains(r.text("message"), "mini: it takes no images") {
		t.Error(r.raw)
	}
	f.router.err = nil
	filtered := aJob(jobstore.JobFailed)
	filtered.Attempts[0].Failure = &contracts.Failure{Class: contracts.ContentFiltered, Effect: contracts.None}
	f.router.wait = func(context.Context, string) (jobstore.Job, error) { return filtered, nil }
	if r := f.want(chatAsking(), 400, "content_filter"); r.text("job_id") != jobID {
		t.Error(r.raw)
	}
}

func TestTheModelsAreTheChatRoutes(t *testing.T) {
	f := newFace(t)
	one := `{"id":"chat","object":"model","created":0,"owned_by":"inferonce"}`
	if r := f.want(ask{method: "GET", path: "/v1/models", key: "key-infer"}, 200, ""); r.raw != `{"data":[`+one+`],"object":"list"}`+"\n" {
		t.Error(r.raw)
	}
	if r := f.want(ask{method: "GET", path: "/v1/models/chat", key: "key-infer"}, 200, ""); r.raw != one+"\n" {
		t.Error(r.raw)
	}
}

// X-Stainless-Timeout is what the client gives us in all; X-Stainless-Retry-Count
// how often it has sent the request before.
func TestAClientsOwnTimeAndCountAreHeeded(t *testing.T) {
	f := newFace(t)
	var left time.Duration
	f.router.wait = func(ctx context.Context, _ string) (jobstore.Job, error) {
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
		return aJob(jobstore.JobRunning), nil
	}
	f.want(chatAsking().with("X-Stainless-Timeout", "10").with("X-Stainless-Retry-Count", "2"), 409, codeInProgress)
	if left > 9*time.Second {
		t.Errorf("waits %s for a client that waits 10s", left)
	}
	if !strings.Contains(f.log.String(), `"client_retry":"2"`) {
		t.Error(f.log.String())
	}
}
