package gemini

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"inferonce/contracts"
	"inferonce/providers/adaptertest"
)

const good = `{"candidates":[{"content":{"parts":[{"text":"{\"category\":\"billing\"}"}],"role":"model"},"finishReason":"STOP","index":0}],` +
	`"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":5,"totalTokenCount":17},"modelVersion":"m-2026","responseId":"r1"}`

const (
	failing500 = `{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}`
	throttled  = `{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}`
	page       = "<!DOCTYPE html><html><body>Bad gateway</body></html>"
)

var canaries = []string{
	`{"error":{"code":400,"message":"API key not valid ` + canary + `","status":"INVALID_ARGUMENT","details":[{"reason":"` + canary + `"}]}}`,
	`{"error":{"code":429,"message":"` + canary + `","status":"` + canary + `","details":[{"retryDelay":"` + canary + `"}]}}`,
	`[{"error":{"message":"` + canary + `"}}]`,
	`{"error":"` + canary + `"}`,
	`<html>` + canary + `</html>`,
	`{"promptFeedback":{"blockReason":"` + canary + `"}}`,
	`{"candidates":[{"finishReason":"` + canary + `","finishMessage":"` + canary + `"}]}`,
	`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"call: ` + canary + `"}]}`,
}

func failing(status, message, details string) string {
	return `{"error":{"message":"` + message + `","status":"` + status + `","details":[` + details + `]}}`
}

func ending(reason string) string {
	return `{"candidates":[{"content":{"parts":[{"text":"some"}]},"finishReason":` + reason + `}],"usageMetadata":{"promptTokenCount":1}}`
}

const (
	perMinute = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier"}]}`
	perDay    = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"},{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}`
	in13s     = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"13s"}`
	badKey    = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`
	noBilling = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BILLING_DISABLED","domain":"googleapis.com"}`
)

func TestAnAnswerThatIsNone(t *testing.T) {
	cases := []struct {
		name   string
		status int
		body   string
		class  contracts.Class
		effect contracts.Effect
		code   string
		wait   time.Duration
	}{
		{"a request that is wrong", 400, failing("INVALID_ARGUMENT", "bad", ""), contracts.InvalidRequest, contracts.None, "", 0},
		{"a wrong key is a 400 here", 400, failing("INVALID_ARGUMENT", "API key not valid.", badKey), contracts.Auth, contracts.None, "", 0},
		{"a place or an account that may not", 400, failing("FAILED_PRECONDITION", "User location is not supported", ""), contracts.Auth, contracts.None, "precondition", 0},
		{"a prompt that is too long", 400, failing("INVALID_ARGUMENT", "The input token count (2) exceeds the maximum number of tokens allowed (1).", ""), contracts.ContextLength, contracts.None, "", 0},
		{"no key", 401, failing("UNAUTHENTICATED", "m", ""), contracts.Auth, contracts.None, "", 0},
		{"no permission", 403, failing("PERMISSION_DENIED", "m", ""), contracts.Auth, contracts.None, "", 0},
		{"no billing", 403, failing("PERMISSION_DENIED", "m", noBilling), contracts.QuotaExhausted, contracts.None, "", 0},
		{"no such model", 404, failing("NOT_FOUND", "m", ""), contracts.NotFound, contracts.None, "", 0},
		{"a quota per minute", 429, failing("RESOURCE_EXHAUSTED", "m", perMinute+","+in13s), contracts.RateLimited, contracts.None, "", 13 * time.Second},
		{"a quota per day, whose delay is another's", 429, failing("RESOURCE_EXHAUSTED", "m", perDay+","+in13s), contracts.QuotaExhausted, contracts.None, "per_day", 0},
		{"no credit", 429, failing("RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", ""), contracts.QuotaExhausted, contracts.None, "", 0},
		{"the cap of a project", 429, failing("RESOURCE_EXHAUSTED", "Your project has exceeded its monthly spending cap.", in13s), contracts.QuotaExhausted, contracts.None, "", 0},
		{"a quota that is not named", 429, failing("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", ""), contracts.RateLimited, contracts.None, "", 0},
		{"a quota in a list", 429, "[" + failing("RESOURCE_EXHAUSTED", "m", perDay) + "]", contracts.QuotaExhausted, contracts.None, "per_day", 0},
		{"a quota per day before one per minute", 429, failing("RESOURCE_EXHAUSTED", "m", perDay+","+perMinute), contracts.QuotaExhausted, contracts.None, "per_day", 0},
		{"details of another form", 429, `{"error":{"status":"RESOURCE_EXHAUSTED","message":"m","details":["x",{"violations":3},` + in13s + `]}}`, contracts.RateLimited, contracts.None, "", 13 * time.Second},
		{"somebody gave up", 499, failing("CANCELLED", "m", ""), contracts.Timeout, contracts.Open, "cancelled", 0},
		{"the provider's own failure ended", 500, failing500, contracts.ProviderError, contracts.Ended, "", 0},
		{"an unknown failure of the provider ended", 500, failing("UNKNOWN", "m", ""), contracts.ProviderError, contracts.Ended, "", 0},
		{"a failure that somebody else reports is open", 500, page, contracts.ProviderError, contracts.Open, "edge", 0},
		{"a 502 of somebody else is open", 502, page, contracts.Timeout, contracts.Open, "edge", 0},
		{"overload", 503, failing("UNAVAILABLE", "The model is overloaded.", in13s), contracts.Overloaded, contracts.None, "", 13 * time.Second},
		{"unavailable, said by somebody else, is open", 503, page, contracts.Connection, contracts.Open, "edge", 0},
		{"a deadline at the provider is open", 504, failing("DEADLINE_EXCEEDED", "m", ""), contracts.Timeout, contracts.Open, "", 0},
		{"a status that nobody listed is open", 599, failing("NEW", "m", ""), contracts.ProviderError, contracts.Open, "unlisted", 0},

		{"a quota inside a success", 200, failing("RESOURCE_EXHAUSTED", "m", in13s), contracts.RateLimited, contracts.None, "embedded", 13 * time.Second},
		{"a quota per day inside a success", 200, failing("RESOURCE_EXHAUSTED", "m", perDay), contracts.QuotaExhausted, contracts.None, "per_day", 0},
		{"a deadline inside a success is open", 200, failing("DEADLINE_EXCEEDED", "m", ""), contracts.Timeout, contracts.Open, "embedded", 0},
		{"a number inside a success", 200, `{"error":{"code":503,"message":"m"}}`, contracts.Overloaded, contracts.None, "embedded", 0},
		{"an unknown error inside a success ended", 200, failing("NEW", "m", ""), contracts.ProviderError, contracts.Ended, "embedded", 0},

		{"the limit of tokens", 200, ending(`"MAX_TOKENS"`), contracts.Truncated, contracts.Ended, "length", 0},
		{"safety", 200, ending(`"SAFETY"`), contracts.ContentFiltered, contracts.Ended, "answer", 0},
		{"recitation", 200, ending(`"RECITATION"`), contracts.ContentFiltered, contracts.Ended, "answer", 0},
		{"a blocklist", 200, ending(`"BLOCKLIST"`), contracts.ContentFiltered, contracts.Ended, "answer", 0},
		{"prohibited content", 200, ending(`"PROHIBITED_CONTENT"`), contracts.ContentFiltered, contracts.Ended, "answer", 0},
		{"personal data", 200, ending(`"SPII"`), contracts.ContentFiltered, contracts.Ended, "answer", 0},
		{"a call that can't be read", 200, ending(`"MALFORMED_FUNCTION_CALL"`), contracts.BadResponse, contracts.Ended, "tool_call", 0},
		{"a call that nobody offered, by the provider's word", 200, ending(`"UNEXPECTED_TOOL_CALL"`), contracts.BadResponse, contracts.Ended, "tool_call", 0},
		{"too many calls", 200, ending(`"TOO_MANY_TOOL_CALLS"`), contracts.BadResponse, contracts.Ended, "tool_call", 0},
		{"a signature that is missing", 200, ending(`"MISSING_THOUGHT_SIGNATURE"`), contracts.BadResponse, contracts.Ended, "tool_call", 0},
		{"a language", 200, ending(`"LANGUAGE"`), contracts.BadResponse, contracts.Ended, "finish_reason", 0},
		{"another reason", 200, ending(`"OTHER"`), contracts.BadResponse, contracts.Ended, "finish_reason", 0},
		{"a reason that is not known", 200, ending(`"NEW"`), contracts.BadResponse, contracts.Ended, "finish_reason", 0},
		{"no reason", 200, ending(`null`), contracts.Truncated, contracts.Ended, "cut", 0},
		{"a prompt that was blocked ran nothing", 200, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}`, contracts.ContentFiltered, contracts.None, "prompt", 0},
		{"no candidates and no reason", 200, `{"candidates":[],"usageMetadata":{"promptTokenCount":9}}`, contracts.BadResponse, contracts.Ended, "no_candidates", 0},
		{"an image that could not be fetched", 200, `{"candidates":[{"content":{"parts":[{"text":"c"}]},"finishReason":"STOP","urlContextMetadata":{"urlMetadata":[{"urlRetrievalStatus":"URL_RETRIEVAL_STATUS_SUCCESS"},{"urlRetrievalStatus":"URL_RETRIEVAL_STATUS_UNSAFE"}]}}]}`, contracts.BadResponse, contracts.Ended, "url_retrieval", 0},
		{"no content", 200, `{"candidates":[{"finishReason":"STOP"}]}`, contracts.BadResponse, contracts.Ended, "empty", 0},
		{"thoughts alone", 200, `{"candidates":[{"content":{"parts":[{"text":"t","thought":true}]},"finishReason":"STOP"}]}`, contracts.BadResponse, contracts.Ended, "empty", 0},
		{"calls that nobody offered", 200, `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"b"}}]},"finishReason":"STOP"}]}`, contracts.BadResponse, contracts.Ended, "empty", 0},
		{"a page with 200", 200, page, contracts.BadResponse, contracts.Ended, "html", 0},
		{"nothing with 200", 200, "", contracts.BadResponse, contracts.Ended, "empty", 0},
		{"204", 204, "", contracts.BadResponse, contracts.Ended, "empty", 0},
		{"an answer that is still to come is open", 202, good, contracts.ProviderError, contracts.Open, "unlisted", 0},
		{"text with 200", 200, "ok", contracts.BadResponse, contracts.Ended, "not_json", 0},
		{"a list of answers", 200, "[" + good + "]", contracts.BadResponse, contracts.Ended, "not_json", 0},
		{"a member twice", 200, `{"candidates":[],"candidates":[]}`, contracts.BadResponse, contracts.Ended, "not_json", 0},
		{"bytes that are no text", 200, "{\"responseId\":\"\xff\"}", contracts.BadResponse, contracts.Ended, "utf8", 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := adaptertest.NewServer(t, adaptertest.Says(tc.status, tc.body))
			c, f := ask(t, p, plain())
			if f == nil || f.Class != tc.class || f.Effect != tc.effect || f.Code != tc.code || f.Status != tc.status || f.RetryAfter != tc.wait {
				t.Errorf("got %+v, %+v, want %s/%s/%s after %s", c, f, tc.class, tc.effect, tc.code, tc.wait)
			}
		})
	}
}

func TestNoRowOfTheTableHidesAnother(t *testing.T) {
	for i, r := range table {
		a := account{status: r.status, reason: r.reason, daily: r.daily}
		if len(r.phrases) > 0 {
			a.message = "X " + r.phrases[0]
		}
		for j, earlier := range table[:i] {
			if earlier.fits(a) {
				t.Errorf("row %d is hidden by row %d", i, j)
			}
		}
		if !r.fits(a) || r.fits(account{}) {
			t.Errorf("row %d does not depend on its words", i)
		}
	}
}

func TestStatedDelays(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"13s": 13 * time.Second, "0.25s": 250 * time.Millisecond, "21599.960323804s": 21599960323804 * time.Nanosecond,
		"0s": 0, "": 0, "s": 0, "13": 0, "-3s": 0, "1h": 0, "1ms": 0, "NaNs": 0, "1e9s": 0, "1.2.3s": 0, "1s2s": 3 * time.Second,
		"86401s": 24 * time.Hour, "99999999999999999999s": 24 * time.Hour,
	} {
		if got := delay(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestAHeaderOutranksTheDelayInTheBody(t *testing.T) {
	p := adaptertest.NewServer(t, adaptertest.Says(429, failing("RESOURCE_EXHAUSTED", "m", in13s), "Retry-After", "2"))
	if _, f := ask(t, p, plain()); f == nil || f.RetryAfter != 2*time.Second {
		t.Errorf("got %+v", f)
	}
}

func TestADailyQuotaStatesNoWait(t *testing.T) { // what is stated beside it is the minute's
	p := adaptertest.NewServer(t, adaptertest.Says(429, failing("RESOURCE_EXHAUSTED", "m", perDay), "Retry-After", "34"))
	if _, f := ask(t, p, plain()); f == nil || f.Class != contracts.QuotaExhausted || f.RetryAfter != 0 {
		t.Errorf("got %+v", f)
	}
}

func TestUsage(t *testing.T) {
	for raw, want := range map[string]contracts.Usage{
		`{"promptTokenCount":1,"candidatesTokenCount":2}`:                         {InputTokens: 1, OutputTokens: 2, Reported: true},
		`{"promptTokenCount":1,"candidatesTokenCount":2,"thoughtsTokenCount":40}`: {InputTokens: 1, OutputTokens: 42, Reported: true},
		`{"promptTokenCount":1}`:                                                  {InputTokens: 1, Reported: true},
		`{"promptTokenCount":-1}`:                                                 {},
		`{"promptTokenCount":"1"}`:                                                {},
		`{"promptTokenCount":1,"candidatesTokenCount":9223372036854775807,"thoughtsTokenCount":1}`: {},
		`{"candidatesTokenCount":2}`: {}, `null`: {}, `[]`: {}, ``: {},
	} {
		if got := usage([]byte(raw)); got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

func TestTheKeyGoesInItsHeaderOnly(t *testing.T) {
	p := adaptertest.NewServer(t, adaptertest.Says(200, good))
	if _, f := ask(t, p, plain()); f != nil {
		t.Fatal(f)
	}
	got := <-p.Asked
	if got.Head.Get("X-Goog-Api-Key") != canary || got.Head.Get("Authorization") != "" || got.Head.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", got.Head)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(200, []byte(good))
	f.Add(200, []byte(ending(`"SAFETY"`)))
	f.Add(200, []byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"b","args":[1e999]}}]},"finishReason":"STOP"}]}`))
	f.Add(429, []byte(failing("RESOURCE_EXHAUSTED", "m", perDay+","+in13s)))
	f.Add(500, []byte(`[{"error":{"details":[{"violations":[{}]}]}}]`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c, failed := read(answer(status, string(body)), 0, canary)
		if failed != nil {
			adaptertest.Checked(t, failed)
			if failed.Class == "" || failed.Effect == "" || failed.RetryAfter < 0 || failed.RetryAfter > maxWait {
				t.Errorf("%+v", failed)
			}
			return
		}
		if status != 200 && status != 201 || c.Content == "" && len(c.ToolCalls) == 0 || !utf8.ValidString(c.Content) || !json.Valid(body) {
			t.Errorf("status %d, %q became a success: %+v", status, body, c)
		}
	})
}
