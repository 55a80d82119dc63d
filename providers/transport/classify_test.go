package transport

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
)

const (
	page    = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
	gateway = "upstream connect error or disconnect/reset before headers. reset reason: connection termination"
	api     = `{"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}`
)

func openai(code, kind, message string) string {
	return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":"` + code + `"}}`
}

var classified = []struct {
	name   string
	status int
	body   string
	class  contracts.Class
	effect contracts.Effect
}{
	{"a prompt too long for OpenAI", 400, openai("context_length_exceeded", "invalid_request_error", "too many tokens"), contracts.ContextLength, contracts.None},
	{"a prompt too long for llama.cpp", 400, `{"error":{"code":400,"message":"exceeds","type":"exceed_context_size_error"}}`, contracts.ContextLength, contracts.None},
	{"a prompt too long for vLLM", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, contracts.ContextLength, contracts.None},
	{"a prompt that Azure filters", 400, openai("content_filter", "", "filtered"), contracts.ContentFiltered, contracts.None},
	{"an account without money at OpenAI", 429, openai("insufficient_quota", "insufficient_quota", "You exceeded your current quota"), contracts.QuotaExhausted, contracts.None},
	{"a spend limit at OpenAI", 429, openai("project_spend_limit_exceeded", "", "limit"), contracts.QuotaExhausted, contracts.None},
	{"a spend limit at Anthropic", 429, `{"type":"error","error":{"type":"enforced_spend_limit_reached","message":"limit"}}`, contracts.QuotaExhausted, contracts.None},
	{"a billing error at Anthropic", 402, `{"type":"error","error":{"type":"billing_error","message":"pay"}}`, contracts.QuotaExhausted, contracts.None},
	{"402 from anybody", 402, "", contracts.QuotaExhausted, contracts.None},
	{"a wrong key told with 400", 400, openai("invalid_api_key", "", "bad key"), contracts.Auth, contracts.None},
	{"an unknown model told with 400", 400, openai("model_not_found", "", "no such model"), contracts.NotFound, contracts.None},
	{"an answer that Groq's own check refuses", 400, openai("json_validate_failed", "invalid_request_error", "Failed to validate JSON"), contracts.ContractViolation, contracts.Ended},
	{"400 with a body of the provider", 400, openai("invalid_value", "invalid_request_error", "no"), contracts.InvalidRequest, contracts.None},
	{"400 from an edge", 400, page, contracts.InvalidRequest, contracts.None},
	{"405", 405, "", contracts.InvalidRequest, contracts.None},
	{"413 from nginx", 413, page, contracts.InvalidRequest, contracts.None},
	{"415", 415, "", contracts.InvalidRequest, contracts.None},
	{"422 of FastAPI", 422, `{"detail":[{"msg":"field required"}]}`, contracts.InvalidRequest, contracts.None},
	{"401", 401, api, contracts.Auth, contracts.None},
	{"403 of Anthropic", 403, `{"type":"error","error":{"type":"permission_error","message":"no"}}`, contracts.Auth, contracts.None},
	{"404", 404, page, contracts.NotFound, contracts.None},
	{"410", 410, "", contracts.NotFound, contracts.None},
	{"408 even with the provider's own body", 408, api, contracts.Timeout, contracts.Open},
	{"409", 409, api, contracts.InvalidRequest, contracts.None},
	{"424", 424, api, contracts.ProviderError, contracts.Ended},
	{"425", 425, "", contracts.Overloaded, contracts.None},
	{"429 with the provider's body", 429, openai("rate_limit_exceeded", "requests", "slow down"), contracts.RateLimited, contracts.None},
	{"429 without one", 429, "", contracts.RateLimited, contracts.None},
	{"500 with the provider's own body", 500, api, contracts.ProviderError, contracts.Ended},
	{"500 with an empty body", 500, "", contracts.ProviderError, contracts.Open},
	{"500 with a page", 500, page, contracts.ProviderError, contracts.Open},
	{"500 with a page that shows JSON of an error", 500, "<pre>" + api + "</pre>", contracts.ProviderError, contracts.Open},
	{"500 with an error that is null", 500, `{"error":null}`, contracts.ProviderError, contracts.Open},
	{"502 with a page", 502, page, contracts.Timeout, contracts.Open},
	{"502 with a provider's body says nothing about who failed", 502, api, contracts.ProviderError, contracts.Open},
	{"503 that says overloaded", 503, openai("server_is_overloaded", "server_error", "busy"), contracts.Overloaded, contracts.None},
	{"503 of llama.cpp while it loads", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, contracts.Overloaded, contracts.None},
	{"503 of Envoy after a reset", 503, gateway, contracts.Connection, contracts.Open},
	{"503 of a gateway that puts Envoy's words into JSON", 503, `{"error":{"message":"` + gateway + `"}}`, contracts.Connection, contracts.Open},
	{"503 with an empty body", 503, "", contracts.Connection, contracts.Open},
	{"504 with a page", 504, page, contracts.Timeout, contracts.Open},
	{"504 of AWS's gateway", 504, `{"message":"Endpoint request timed out"}`, contracts.Timeout, contracts.Open},
	{"504 of Anthropic", 504, `{"type":"error","error":{"type":"timeout_error","message":"too long"}}`, contracts.Timeout, contracts.Open},
	{"529 of Anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, contracts.Overloaded, contracts.None},
	{"529 without the provider's body", 529, "", contracts.ProviderError, contracts.Open},
	{"520 of Cloudflare", 520, page, contracts.ProviderError, contracts.Open},
	{"521 of Cloudflare: the origin refused", 521, page, contracts.Connection, contracts.None},
	{"522 of Cloudflare", 522, page, contracts.Timeout, contracts.Open},
	{"523 of Cloudflare: no way to the origin", 523, page, contracts.Connection, contracts.None},
	{"524 of Cloudflare", 524, page, contracts.Timeout, contracts.Open},
	{"525 of Cloudflare: TLS to the origin failed", 525, page, contracts.Connection, contracts.None},
	{"526 of Cloudflare: wrong certificate of the origin", 526, page, contracts.Connection, contracts.None},
	{"307", 307, "", contracts.NotFound, contracts.None},
	{"527 is not listed", 527, page, contracts.ProviderError, contracts.Open},
	{"501 is not listed", 501, api, contracts.ProviderError, contracts.Open},
	{"418 is not listed", 418, api, contracts.ProviderError, contracts.Open},
	{"202 is not listed: the work is still to come", 202, `{"id":"x"}`, contracts.ProviderError, contracts.Open},
	{"101 is not listed", 101, "", contracts.ProviderError, contracts.Open},
}

func TestClassify(t *testing.T) {
	for _, tc := range classified {
		t.Run(tc.name, func(t *testing.T) {
			f := Classify(Answer{Status: tc.status, Header: http.Header{}, Body: []byte(tc.body)})
			if f.Class != tc.class || f.Effect != tc.effect || f.Status != tc.status {
				t.Errorf("got %s/%s, want %s/%s", f.Class, f.Effect, tc.class, tc.effect)
			}
		})
	}
}

func TestEveryRowOfTheTableIsReached(t *testing.T) {
	reached := make([]bool, len(table))
	for _, tc := range classified {
		e, own := parseEnvelope([]byte(tc.body))
		i := slices.IndexFunc(table, func(r Row) bool { return r.fits(tc.status, e, own) })
		if i >= 0 {
			reached[i] = true
		}
	}
	for i, ok := range reached {
		if !ok {
			t.Errorf("no case reaches row %d: %+v", i, table[i])
		}
	}
}

func TestNoRowCallsAnUnprovenFailureClosed(t *testing.T) {
	for status := range 1000 {
		f := Classify(Answer{Status: status, Body: []byte(page)})
		edge5xx := status >= 500 && !slices.Contains([]int{521, 523, 525, 526}, status)
		if edge5xx && f.Effect != contracts.Open {
			t.Errorf("status %d with a page: effect %s, want open", status, f.Effect)
		}
	}
}

func TestTheProvidersWordsSurvive(t *testing.T) {
	for name, body := range map[string]string{
		"an object":                  `{"error":{"message":"out of luck","code":"x"}}`,
		"a numeric code":             `{"error":{"message":"out of luck","code":500}}`,
		"a number beyond all bounds": `{"error":{"message":"out of luck","code":1e20000000}}`,
		"a string":                   `{"error":"out of luck"}`,
		"a list":                     `{"error":[{"message":"out of luck"}]}`,
		"a list of strings":          `{"error":["out of luck"]}`,
		"a list around it all":       `[{"error":{"message":"out of luck","status":"INTERNAL"}}]`,
		"a message in parts":         `{"error":{"message":["out of","luck"]}}`,
		"an old vLLM":                `{"object":"error","message":"out of luck","code":500}`,
	} {
		f := Classify(Answer{Status: 500, Body: []byte(body)})
		if strings.ReplaceAll(f.Detail, ",", "") != "out of luck" || f.Class != contracts.ProviderError || f.Effect != contracts.Ended || f.Status != 500 {
			t.Errorf("%s: %v, detail %q", name, f, f.Detail)
		}
		if strings.Contains(f.Error(), "luck") {
			t.Errorf("%s: Error repeats the provider's words", name)
		}
	}
}

func TestAnErrorInsideASuccess(t *testing.T) {
	cases := []struct {
		name, body string
		class      contracts.Class // "": no error in it
		effect     contracts.Effect
	}{
		{"a timeout is open", `{"error":{"code":504,"message":"x"}}`, contracts.Timeout, contracts.Open},
		{"a timeout in letters is open", `{"error":{"code":"504","message":"x"}}`, contracts.Timeout, contracts.Open},
		{"a rate limit ran nothing", `{"error":{"code":429,"message":"x"}}`, contracts.RateLimited, contracts.None},
		{"a rate limit by name ran nothing", `{"error":{"code":"rate_limit_exceeded","message":"x"}}`, contracts.RateLimited, contracts.None},
		{"a quota by name ran nothing", `{"error":{"type":"insufficient_quota","message":"x"}}`, contracts.QuotaExhausted, contracts.None},
		{"Google's name for overload ran nothing", `{"error":{"status":"UNAVAILABLE","message":"x"}}`, contracts.Overloaded, contracts.None},
		{"a server error ended", `{"error":{"code":500,"message":"x"}}`, contracts.ProviderError, contracts.Ended},
		{"a bad gateway is open", `{"error":{"code":502,"message":"x"}}`, contracts.ProviderError, contracts.Open},
		{"an unknown word ended", `{"error":{"code":"weird","message":"x"}}`, contracts.ProviderError, contracts.Ended},
		{"a string ended", `{"error":"x"}`, contracts.ProviderError, contracts.Ended},
		{"a number that is no status ended", `{"error":{"code":-7,"message":"x"}}`, contracts.ProviderError, contracts.Ended},
		{"null is no error", `{"error":null,"choices":[]}`, "", ""},
		{"a content that speaks of an error is none", `{"choices":[{"message":{"content":"{\"error\":1}"}}]}`, "", ""},
		{"an empty body is none", ``, "", ""},
	}
	for _, tc := range cases {
		f, ok := ClassifyEmbedded(Answer{Status: 200, Body: []byte(tc.body)})
		if ok != (tc.class != "") {
			t.Errorf("%s: found is %v", tc.name, ok)
		} else if ok && (f.Class != tc.class || f.Effect != tc.effect || f.Status != 200) {
			t.Errorf("%s: got %v, want %s/%s", tc.name, f, tc.class, tc.effect)
		}
	}
}

func TestTheStatedWaitIsKept(t *testing.T) {
	h := http.Header{"Retry-After": {"2"}}
	for status, want := range map[int]time.Duration{429: 2 * time.Second, 503: 2 * time.Second, 500: 0, 400: 0} {
		if f := Classify(Answer{Status: status, Header: h, Body: []byte(api)}); f.RetryAfter != want {
			t.Errorf("status %d: wait %s, want %s", status, f.RetryAfter, want)
		}
	}
}

func TestDetail(t *testing.T) {
	const key = "sk-canary/0123456789"
	long := strings.Repeat("ä", 290) + " " + key
	cases := map[string][2]string{
		"one line":                         {"a\r\nb\tc\u2028d", "a b c d"},
		"no control characters":            {"a\x00\x1b[31mb\u202ec\ufeff", "a[31mbc"},
		"invalid UTF-8 is marked":          {"a\xffb", "a\uFFFDb"},
		"no key":                           {"Incorrect API key provided: " + key + ".", "Incorrect API key provided: [redacted]."},
		"no key put together by cleaning":  {"sk-can\x00ary/01234\u200b56789", "[redacted]"},
		"no part of a key at the cut":      {long, strings.Repeat("ä", 290) + " [redacte…"},
		"three hundred characters are let": {strings.Repeat("ä", 300), strings.Repeat("ä", 300)},
	}
	for name, c := range cases {
		if got := Detail(c[0], key, ""); got != c[1] {
			t.Errorf("%s: got %q, want %q", name, got, c[1])
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, tc := range classified {
		f.Add(tc.status, []byte(tc.body))
	}
	f.Add(200, []byte(strings.Repeat("[", 20000)))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		a := Answer{Status: status, Body: body}
		check := func(f *contracts.Failure) {
			if f.Class == "" || f.Effect == "" {
				t.Errorf("no class or effect: %+v", f)
			}
			if n := len([]rune(f.Detail)); n > 300 || strings.ContainsAny(f.Detail, "\r\n\x00") {
				t.Errorf("detail of %d characters: %q", n, f.Detail)
			}
		}
		check(Classify(a))
		if f, ok := ClassifyEmbedded(a); ok {
			check(f)
		}
	})
}
