package openaicompat

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

func withChoice(choice string) string { return `{"id":"x","model":"m","choices":[` + choice + `]}` }

func withUsage(usage string) string {
	return `{"choices":[{"message":{"content":"c"},"finish_reason":"stop"}]` + usage + `}`
}

const page = "<!DOCTYPE html><html><body>Bad gateway</body></html>"

func TestAnAnswerThatIsNone(t *testing.T) {
	cases := []struct {
		name   string
		status int
		body   string
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		{"R01 a timeout inside a success is open", 200, `{"error":{"code":504,"message":"m"}}`, contracts.Timeout, contracts.Open, "embedded"},
		{"R01 a rate limit inside a success ran nothing", 200, `{"error":{"code":429,"message":"m"}}`, contracts.RateLimited, contracts.None, "embedded"},
		{"an error inside a choice ended", 200, withChoice(`{"finish_reason":"error","error":{"code":502,"message":"m"},"message":{"content":"par"}}`), contracts.ProviderError, contracts.Ended, "finish_error"},
		{"R02 no choices", 200, `{"id":"x","choices":[]}`, contracts.BadResponse, contracts.Ended, "no_choices"},
		{"choices that are null", 200, `{"choices":null}`, contracts.BadResponse, contracts.Ended, "no_choices"},
		{"no member choices", 200, `{"output":"c"}`, contracts.BadResponse, contracts.Ended, "no_choices"},
		{"R03 a stream without content", 200, "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", contracts.BadResponse, contracts.Ended, "empty"},
		{"R16 an error as a string", 500, `{"error":"m"}`, contracts.ProviderError, contracts.Ended, ""},
		{"R19 a page with 200", 200, page, contracts.BadResponse, contracts.Ended, "html"},
		{"R19 a page with 502", 502, page, contracts.Timeout, contracts.Open, "edge"},
		{"R19 a page with 504", 504, page, contracts.Timeout, contracts.Open, "edge"},
		{"R25 content that is null", 200, withChoice(`{"message":{"role":"assistant","content":null},"finish_reason":"stop"}`), contracts.BadResponse, contracts.Ended, "empty"},
		{"content that is empty", 200, withChoice(`{"message":{"content":""},"finish_reason":"stop"}`), contracts.BadResponse, contracts.Ended, "empty"},
		{"no message", 200, withChoice(`{"finish_reason":"stop"}`), contracts.BadResponse, contracts.Ended, "empty"},
		{"R26 content cut by the limit", 200, withChoice(`{"message":{"content":"{\"city"},"finish_reason":"length"}`), contracts.Truncated, contracts.Ended, "length"},
		{"R26 a call of a tool cut by the limit", 200, withChoice(`{"message":{"content":null,"tool_calls":[{"function":{"arguments":"{\"city"}}]},"finish_reason":"length"}`), contracts.Truncated, contracts.Ended, "length"},
		{"R26 arguments that break off under tool_calls were cut", 200, withChoice(`{"message":{"content":null,"tool_calls":[{"function":{"arguments":"{\"city"}}]},"finish_reason":"tool_calls"}`), contracts.Truncated, contracts.Ended, "arguments"},
		{"a call that nobody offered is no answer", 200, withChoice(`{"message":{"content":null,"tool_calls":[{"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}`), contracts.BadResponse, contracts.Ended, "empty"},
		{"an answer withheld by a filter", 200, withChoice(`{"message":{"content":"par"},"finish_reason":"content_filter"}`), contracts.ContentFiltered, contracts.Ended, "answer"},
		{"a refusal", 200, withChoice(`{"message":{"content":null,"refusal":"I can't"},"finish_reason":"stop"}`), contracts.ContentFiltered, contracts.Ended, "refusal"},
		{"an empty body", 200, "", contracts.BadResponse, contracts.Ended, "empty"},
		{"no content by status", 204, "", contracts.BadResponse, contracts.Ended, "empty"},
		{"accepted is not done", 202, "{}", contracts.ProviderError, contracts.Open, "unlisted"},
		{"text", 200, "OK", contracts.BadResponse, contracts.Ended, "not_json"},
		{"something after the answer", 200, good + "x", contracts.BadResponse, contracts.Ended, "not_json"},
		{"a member named twice", 200, `{"choices":[],"choices":[{"message":{"content":"c"}}]}`, contracts.BadResponse, contracts.Ended, "not_json"},
		{"a list", 200, "[]", contracts.BadResponse, contracts.Ended, "not_json"},
		{"choices of the wrong type", 200, `{"choices":7}`, contracts.BadResponse, contracts.Ended, "not_json"},
		{"bytes that are no UTF-8", 200, withChoice("{\"message\":{\"content\":\"\xff\"}}"), contracts.BadResponse, contracts.Ended, "utf8"},
		{"half of a surrogate pair", 200, withChoice(`{"message":{"content":"\ud800"}}`), contracts.BadResponse, contracts.Ended, "not_json"},
		{"nesting without end", 200, withChoice(strings.Repeat("[", 20000) + strings.Repeat("]", 20000)), contracts.BadResponse, contracts.Ended, "not_json"},
		{"nesting without end where nobody looks", 200, `{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `,"choices":[{"message":{"content":"c"}}]}`, contracts.BadResponse, contracts.Ended, "not_json"},
		{"R04 a stream that died", 200, "data: {\"choices\":[{\"delta\":{\"content\":\"par\"}}]}\n\n", contracts.Truncated, contracts.Ended, "cut"},
		{"a stream cut in a line", 200, "data: {\"choices\":[{\"delta\":{\"content\":\"par\"}}]}\n\ndata: {\"cho", contracts.Truncated, contracts.Ended, "cut"},
		{"a stream with an error", 200, "data: {\"choices\":[{\"delta\":{\"content\":\"par\"}}]}\n\ndata: {\"error\":{\"code\":500,\"message\":\"m\"}}\n\n", contracts.ProviderError, contracts.Ended, "embedded"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newProvider(t, says(tc.status, tc.body))
			_, f := ask(t, p, request())
			if f == nil {
				t.Fatal("it was a success")
			}
			if f.Class != tc.class || f.Effect != tc.effect || f.Code != tc.code || f.Status != tc.status {
				t.Errorf("got %s/%s/%s with status %d, want %s/%s/%s", f.Class, f.Effect, f.Code, f.Status, tc.class, tc.effect, tc.code)
			}
		})
	}
}

func TestAnAnswerWithOddities(t *testing.T) {
	reported := contracts.Usage{InputTokens: 3, OutputTokens: 0, Reported: true}
	cases := []struct {
		name, body, content string
		usage               contracts.Usage
	}{
		{"R28 no usage", withUsage(``), "c", contracts.Usage{}},
		{"R28 usage that is null", withUsage(`,"usage":null`), "c", contracts.Usage{}},
		{"R28 negative usage", withUsage(`,"usage":{"prompt_tokens":-1,"completion_tokens":5}`), "c", contracts.Usage{}},
		{"R28 half of a usage", withUsage(`,"usage":{"prompt_tokens":3}`), "c", contracts.Usage{}},
		{"usage beyond all bounds", withUsage(`,"usage":{"prompt_tokens":1e20000000,"completion_tokens":5}`), "c", contracts.Usage{}},
		{"usage of another shape", withUsage(`,"usage":"much"`), "c", contracts.Usage{}},
		{"a usage of nothing is reported", withUsage(`,"usage":{"prompt_tokens":3,"completion_tokens":0}`), "c", reported},
		{"a number beyond all bounds where nobody looks", withUsage(`,"created":1e20000000`), "c", contracts.Usage{}},
		{"a number beyond all bounds as content", withChoice(`{"message":{"content":"{\"n\":1e20000000}"},"finish_reason":"stop"}`), `{"n":1e20000000}`, contracts.Usage{}},
		{"an error that is null", withUsage(`,"error":null`), "c", contracts.Usage{}},
		{"no finish reason", withChoice(`{"message":{"content":"c"}}`), "c", contracts.Usage{}},
		{"white space before the answer", "\n \n" + withUsage(``), "c", contracts.Usage{}},
		{"content is kept byte for byte", withChoice(`{"message":{"content":" \u00e4 <b>\u2028\n"},"finish_reason":"stop"}`), " ä <b>\u2028\n", contracts.Usage{}},
		{"R34 a stream as JSON", ": PROCESSING\n\ndata: {\"id\":\"x\",\"choices\":[],\"prompt_filter_results\":[]}\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}\r\n\r\n" +
			"data:{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":0}}\n\ndata: [DONE]\n\n", "ab", reported},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newProvider(t, says(200, tc.body))
			c, f := ask(t, p, request())
			if f != nil || c.Content != tc.content || c.Usage != tc.usage {
				t.Errorf("got %+v, %v, want content %q and usage %+v", c, f, tc.content, tc.usage)
			}
		})
	}
}

func TestTheStatedWaitIsKept(t *testing.T) { // R17
	p := newProvider(t, says(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "Retry-After", "2"))
	_, f := ask(t, p, request())
	if f == nil || f.Class != contracts.RateLimited || f.RetryAfter != 2*time.Second || f.Detail != "slow down" {
		t.Errorf("got %+v", f)
	}
}

func TestAConflictUnderATokenIsOpen(t *testing.T) {
	for proved, want := range map[bool]contracts.Effect{true: contracts.Open, false: contracts.None} {
		p := newProvider(t, says(409, `{"error":{"message":"exists"}}`))
		_, err := newClient(t, p.URL, providers.Traits{Lookup: "none", CreateToken: proved}).Complete(t.Context(), request())
		if f := checked(t, err); f.Effect != want {
			t.Errorf("token proved %v: effect %s, want %s", proved, f.Effect, want)
		}
	}
}

func TestTenThousandLevelsInAnError(t *testing.T) {
	p := newProvider(t, says(500, `{"error":`+strings.Repeat("[", 10000)+strings.Repeat("]", 10000)+`}`))
	if _, f := ask(t, p, request()); f == nil || f.Class != contracts.ProviderError {
		t.Errorf("got %v", f)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(200, []byte(good))
	f.Add(200, []byte(": x\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"))
	f.Add(200, []byte(withChoice(`{"message":{"content":"\ud800"}}`)))
	f.Add(500, []byte(`{"error":{"message":["a"],"code":1e20000000}}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c, f := generic().reader(canary).read(transport.Answer{Status: status, Body: body})
		if f != nil {
			checked(t, f)
			return
		}
		if status != 200 && status != 201 || c.Content == "" && len(c.ToolCalls) == 0 || !utf8.ValidString(c.Content) || !bytes.Contains(body, []byte("{")) {
			t.Errorf("status %d, %q became a success: %+v", status, body, c)
		}
	})
}
