package anthropic

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"inferonce/contracts"
	"inferonce/providers/adaptertest"
)

const good = `{"id":"msg_1","type":"message","role":"assistant","model":"m-2026","content":[{"type":"text","text":"{\"category\":\"billing\"}"}],` +
	`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":12,"output_tokens":5}}`

const (
	failing500 = `{"type":"error","error":{"type":"api_error","message":"Internal server error"},"request_id":"req_1"}`
	throttled  = `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"req_1"}`
	page       = "<!DOCTYPE html><html><body>Bad gateway</body></html>"
)

var canaries = []string{
	`{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key ` + canary + `"}}`,
	`{"type":"error","error":{"type":"` + canary + `","message":"` + canary + `","details":{"error_code":"` + canary + `"}}}`,
	`{"error":"` + canary + `"}`,
	`<html>` + canary + `</html>`,
	`{"content":[],"stop_reason":"` + canary + `"}`,
	`{"content":[{"type":"text","text":"` + canary + `"}],"stop_reason":"refusal"}`,
}

func says400(kind, message, details string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"` + details + `},"request_id":"req_1"}`
}

func ending(reason string) string {
	return `{"id":"msg_1","model":"m","content":[{"type":"text","text":"some"}],"stop_reason":` + reason + `,"usage":{"input_tokens":1,"output_tokens":1}}`
}

func TestAnAnswerThatIsNone(t *testing.T) {
	cases := []struct {
		name   string
		status int
		body   string
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		{"a request that is wrong", 400, says400("invalid_request_error", "messages: bad", ""), contracts.InvalidRequest, contracts.None, ""},
		{"a wrong key", 401, says400("authentication_error", "invalid x-api-key", ""), contracts.Auth, contracts.None, ""},
		{"no money", 402, says400("billing_error", "pay", ""), contracts.QuotaExhausted, contracts.None, ""},
		{"no permission", 403, says400("permission_error", "m", ""), contracts.Auth, contracts.None, ""},
		{"no such model", 404, says400("not_found_error", "model: m", ""), contracts.NotFound, contracts.None, ""},
		{"a request that is too large", 413, says400("request_too_large", "m", ""), contracts.InvalidRequest, contracts.None, ""},
		{"too large, said by the edge", 413, page, contracts.InvalidRequest, contracts.None, ""},
		{"a rate limit", 429, throttled, contracts.RateLimited, contracts.None, ""},
		{"the spend limit of the tier", 429, says400("rate_limit_error", "You have reached your API usage limits", `,"details":{"error_code":"enforced_spend_limit_reached"}`), contracts.QuotaExhausted, contracts.None, ""},
		{"the spend limit of the organization", 400, says400("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01.", ""), contracts.QuotaExhausted, contracts.None, ""},
		{"the spend limit of the workspace", 400, says400("invalid_request_error", "You have reached your specified workspace API usage limits.", ""), contracts.QuotaExhausted, contracts.None, ""},
		{"no credit", 400, says400("invalid_request_error", "Your credit balance is too low to access the Anthropic API.", ""), contracts.QuotaExhausted, contracts.None, ""},
		{"a prompt that is too long", 400, says400("invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum", ""), contracts.ContextLength, contracts.None, ""},
		{"prompt and answer that are too long together", 400, says400("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 2", ""), contracts.ContextLength, contracts.None, ""},
		{"the provider's own failure ended", 500, failing500, contracts.ProviderError, contracts.Ended, ""},
		{"a failure that somebody else reports is open", 500, page, contracts.ProviderError, contracts.Open, "edge"},
		{"a 502 of somebody else is open", 502, page, contracts.Timeout, contracts.Open, "edge"},
		{"work that took too long is open", 504, says400("timeout_error", "m", ""), contracts.Timeout, contracts.Open, ""},
		{"overload", 529, says400("overloaded_error", "Overloaded", ""), contracts.Overloaded, contracts.None, ""},
		{"a 529 without the provider's words is open", 529, page, contracts.ProviderError, contracts.Open, "unlisted"},
		{"a status that nobody listed is open", 599, says400("new_error", "m", ""), contracts.ProviderError, contracts.Open, "unlisted"},

		{"overload inside a success", 200, says400("overloaded_error", "m", ""), contracts.Overloaded, contracts.None, "embedded"},
		{"no money inside a success", 200, says400("billing_error", "m", ""), contracts.QuotaExhausted, contracts.None, "embedded"},
		{"too large inside a success", 200, says400("request_too_large", "m", ""), contracts.InvalidRequest, contracts.None, "embedded"},
		{"a timeout inside a success is open", 200, says400("timeout_error", "m", ""), contracts.Timeout, contracts.Open, "embedded"},
		{"the tier's limit inside a success", 200, says400("rate_limit_error", "m", `,"details":{"error_code":"enforced_spend_limit_reached"}`), contracts.QuotaExhausted, contracts.None, "embedded"},
		{"an unknown error inside a success ended", 200, says400("new_error", "m", ""), contracts.ProviderError, contracts.Ended, "embedded"},

		{"the limit of tokens", 200, ending(`"max_tokens"`), contracts.Truncated, contracts.Ended, "length"},
		{"the end of the context", 200, ending(`"model_context_window_exceeded"`), contracts.Truncated, contracts.Ended, "context"},
		{"a refusal", 200, ending(`"refusal"`), contracts.ContentFiltered, contracts.Ended, "refusal"},
		{"a pause", 200, ending(`"pause_turn"`), contracts.BadResponse, contracts.Ended, "paused"},
		{"a reason that is not known", 200, ending(`"compaction"`), contracts.BadResponse, contracts.Ended, "stop_reason"},
		{"no reason", 200, ending(`null`), contracts.Truncated, contracts.Ended, "cut"},
		{"no content", 200, `{"content":[],"stop_reason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "empty"},
		{"thoughts alone", 200, `{"content":[{"type":"thinking","thinking":"t"}],"stop_reason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "empty"},
		{"calls that nobody offered", 200, `{"content":[{"type":"tool_use","id":"a","name":"b","input":{}}],"stop_reason":"tool_use"}`, contracts.BadResponse, contracts.Ended, "empty"},
		{"a page with 200", 200, page, contracts.BadResponse, contracts.Ended, "html"},
		{"nothing with 200", 200, "", contracts.BadResponse, contracts.Ended, "empty"},
		{"204", 204, "", contracts.BadResponse, contracts.Ended, "empty"},
		{"an answer that is still to come is open", 202, good, contracts.ProviderError, contracts.Open, "unlisted"},
		{"text with 200", 200, "ok", contracts.BadResponse, contracts.Ended, "not_json"},
		{"a member twice", 200, `{"content":[],"content":[],"stop_reason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "not_json"},
		{"bytes that are no text", 200, "{\"id\":\"\xff\"}", contracts.BadResponse, contracts.Ended, "utf8"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := adaptertest.NewServer(t, adaptertest.Says(tc.status, tc.body))
			c, f := ask(t, p, plain())
			if f == nil || f.Class != tc.class || f.Effect != tc.effect || f.Code != tc.code || f.Status != tc.status {
				t.Errorf("got %+v, %+v, want %s/%s/%s", c, f, tc.class, tc.effect, tc.code)
			}
		})
	}
}

func TestEveryRowOfTheTableIsUsed(t *testing.T) {
	for i, r := range table {
		var e envelope
		e.Error.Details.Code = r.code
		if len(r.phrases) > 0 {
			e.Error.Message = "X " + r.phrases[0]
		}
		for j, earlier := range table[:i] {
			if earlier.fits(r.status, e) {
				t.Errorf("row %d is hidden by row %d", i, j)
			}
		}
		if !r.fits(r.status, e) || r.fits(r.status, envelope{}) {
			t.Errorf("row %d does not depend on its words", i)
		}
	}
}

func TestUsage(t *testing.T) {
	for raw, want := range map[string]contracts.Usage{
		`{"input_tokens":1,"output_tokens":2}`: {InputTokens: 1, OutputTokens: 2, Reported: true},
		`{"input_tokens":1,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":0}`: {InputTokens: 111, OutputTokens: 0, Reported: true},
		`{"input_tokens":1}`:                      {},
		`{"input_tokens":-1,"output_tokens":2}`:   {},
		`{"input_tokens":1,"output_tokens":"2"}`:  {},
		`{"input_tokens":9e18,"output_tokens":2}`: {},
		`null`: {}, `[]`: {}, ``: {},
		`{"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807,"output_tokens":2}`: {},
	} {
		if got := usage([]byte(raw)); got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

func TestTheStatedWaitIsKept(t *testing.T) {
	p := adaptertest.NewServer(t, adaptertest.Says(529, says400("overloaded_error", "m", ""), "Retry-After", "2"))
	if _, f := ask(t, p, plain()); f == nil || f.RetryAfter != 2*time.Second {
		t.Errorf("got %+v", f)
	}
}

func TestTheReferenceIsToldOnceAndBeforeTheAnswer(t *testing.T) {
	var told []string
	p := adaptertest.NewServer(t, adaptertest.Says(200, good, "Request-Id", "req_7"))
	r := plain()
	r.OnReference = func(id string) { told = append(told, id) }
	c, f := ask(t, p, r)
	if f != nil || c.Reference != "req_7" || len(told) != 1 || told[0] != "req_7" {
		t.Errorf("got %+v, %v, told %v", c, f, told)
	}
	h := (<-p.Asked).Head
	if h.Get("X-Api-Key") != canary || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Content-Type") != "application/json" || h.Get("Authorization") != "" {
		t.Errorf("headers %v", h)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(200, []byte(good))
	f.Add(200, []byte(ending(`"refusal"`)))
	f.Add(200, []byte(`{"content":[{"type":"tool_use","id":"a","name":"b","input":[1e999]}],"stop_reason":"tool_use"}`))
	f.Add(429, []byte(says400("rate_limit_error", "m", `,"details":{"error_code":"enforced_spend_limit_reached"}`)))
	f.Add(500, []byte(`[{"error":{"details":[]}}]`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c, failed := read(answer(status, string(body)), canary)
		if failed != nil {
			adaptertest.Checked(t, failed)
			if failed.Class == "" || failed.Effect == "" {
				t.Errorf("%+v", failed)
			}
			return
		}
		if status != 200 && status != 201 || c.Content == "" && len(c.ToolCalls) == 0 || !utf8.ValidString(c.Content) || !json.Valid(body) {
			t.Errorf("status %d, %q became a success: %+v", status, body, c)
		}
	})
}
