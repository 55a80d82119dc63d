package transport

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"syscall"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

// Each row is a condition under which a call ends, as the classification names
// it, and what it says of the work. A condition of several statuses or bodies
// has a line for each.
func TestEveryConditionOfTheClassification(t *testing.T) {
	const none, ended, open = contracts.None, contracts.Ended, contracts.Open
	anthropic := func(kind string) string { return `{"type":"error","error":{"type":"` + kind + `","message":"m"}}` }
	type line struct {
		status int
		body   string
	}
	for _, tc := range []struct {
		condition string
		lines     []line
		class     contracts.Class
		effect    contracts.Effect
	}{
		{"400, 405, 413, 415, 422: the intent is at fault", []line{{400, api}, {400, page}, {405, ""}, {413, page}, {415, ""}, {422, `{"detail":[{"msg":"m"}]}`}}, contracts.InvalidRequest, none},
		{"400: Azure's filter on the prompt", []line{{400, openai("content_filter", "", "m")}}, contracts.ContentFiltered, none},
		{"400 with a limit of the model", []line{{400, openai("context_length_exceeded", "", "m")}}, contracts.ContextLength, none},
		{"401, 403: key or permission", []line{{401, api}, {403, anthropic("permission_error")}, {403, page}}, contracts.Auth, none},
		{"402 and the billing words of 429", []line{{402, ""}, {402, anthropic("billing_error")}, {429, openai("insufficient_quota", "", "m")}, {429, openai("credit_balance_exhausted", "", "m")},
			{429, openai("organization_spend_limit_exceeded", "", "m")}, {429, openai("project_spend_limit_exceeded", "", "m")}, {429, openai("organization_usage_limit_exceeded", "", "m")}}, contracts.QuotaExhausted, none},
		{"Anthropic's enforced_spend_limit_reached", []line{{429, anthropic("enforced_spend_limit_reached")}}, contracts.QuotaExhausted, none},
		{"404: a fault of the route", []line{{404, api}, {404, page}}, contracts.NotFound, none},
		{"408 is open", []line{{408, ""}, {408, page}, {408, api}}, contracts.Timeout, open},
		{"409 is a refusal", []line{{409, api}}, contracts.InvalidRequest, none},
		{"424: a dependency failed", []line{{424, api}}, contracts.ProviderError, ended},
		{"425: early data is refused", []line{{425, ""}}, contracts.Overloaded, none},
		{"429: refused at admission", []line{{429, ""}, {429, page}, {429, openai("rate_limit_exceeded", "", "m")}, {429, openai("slow_down", "", "m")}}, contracts.RateLimited, none},
		{"500 in the provider's envelope", []line{{500, api}, {500, anthropic("api_error")}}, contracts.ProviderError, ended},
		{"500 without it", []line{{500, ""}, {500, page}, {500, gateway}}, contracts.ProviderError, open},
		{"502 without it", []line{{502, ""}, {502, page}, {502, gateway}}, contracts.Timeout, open},
		{"503 without it", []line{{503, ""}, {503, page}, {503, gateway}}, contracts.Connection, open},
		{"504 without it", []line{{504, ""}, {504, page}, {504, gateway}}, contracts.Timeout, open},
		{"503 and 529 in the provider's envelope: shed at admission", []line{{503, openai("server_is_overloaded", "", "m")}, {529, anthropic("overloaded_error")}}, contracts.Overloaded, none},
		{"Anthropic's 504 timeout_error", []line{{504, anthropic("timeout_error")}}, contracts.Timeout, open},
		{"520: an odd answer behind Cloudflare", []line{{520, page}, {520, ""}}, contracts.ProviderError, open},
		{"522, 524: Cloudflare reached the origin", []line{{522, page}, {524, page}}, contracts.Timeout, open},
		{"521, 523, 525, 526: the origin never got it", []line{{521, page}, {523, page}, {525, page}, {526, page}}, contracts.Connection, none},
		{"527 to 530 and other unlisted 5xx", []line{{527, page}, {528, page}, {529, page}, {530, page}, {501, api}, {505, api}, {599, ""}}, contracts.ProviderError, open},
		{"3xx is not followed", []line{{301, ""}, {302, ""}, {303, ""}, {307, ""}, {308, ""}}, contracts.NotFound, none},
		{"whatever is not listed", []line{{100, ""}, {202, api}, {304, ""}, {418, api}, {451, api}, {600, ""}, {0, ""}}, contracts.ProviderError, open},
	} {
		for _, l := range tc.lines {
			f := Classify(Answer{Status: l.status, Header: http.Header{}, Body: []byte(l.body)})
			if f.Class != tc.class || f.Effect != tc.effect {
				t.Errorf("%s: %d %q: got %s/%s, want %s/%s", tc.condition, l.status, l.body, f.Class, f.Effect, tc.class, tc.effect)
			}
		}
	}
}

// The conditions without a status; the ones before a connection are in
// TestNothingRanWhereNothingLeft, those of a router that died in the store's.
func TestEveryConditionWithoutAnAnswer(t *testing.T) {
	for _, tc := range []struct {
		condition string
		play      turn
		limits    providers.Limits
		class     contracts.Class
		effect    contracts.Effect
	}{
		{"bytes counted, then a reset", func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
			io.Copy(io.Discard, r.Body)
			return reset(c)
		}, providers.Limits{}, contracts.Connection, contracts.Open},
		{"bytes counted, then an end", answers("", false), providers.Limits{}, contracts.Connection, contracts.Open},
		{"no header in time", silent("", func() {}), providers.Limits{FirstByte: brief}, contracts.Timeout, contracts.Open},
		{"200, and the body is cut", answers("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", false), providers.Limits{}, contracts.Truncated, contracts.Ended},
		{"silence after tokens", silent("HTTP/1.1 200 OK\r\n\r\ndata: {", func() {}), providers.Limits{Idle: brief}, contracts.Timeout, contracts.Open},
	} {
		w := serve(t, tc.play)
		o := send(t.Context(), t, newClient(t, Options{}, w.url), w.url, tc.limits, 10)
		if o.failure == nil || o.failure.Class != tc.class || o.failure.Effect != tc.effect {
			t.Errorf("%s: got %v, want %s/%s", tc.condition, o.failure, tc.class, tc.effect)
		}
		wantCalls(t, w, 1)
	}
	if f := overFake(t, &fakeConn{n: 0, err: syscall.ECONNRESET}); f.Effect != contracts.None {
		t.Errorf("a connection, and 0 bytes counted: got %v", f)
	}
	f := FromError(context.DeadlineExceeded, t.Context(), &Sent{bytes: 1})
	if f.Effect != contracts.Open {
		t.Errorf("an HTTP/2 refusal whose type can't be seen, and any other error after a byte: got %v", f)
	}
}

func TestARowOfAProfileGoesFirstAndNoFurther(t *testing.T) {
	own := Table{{Status: []int{403}, Own: Provider, Phrases: []string{"too long"}, Class: contracts.ContextLength, Effect: contracts.None}}
	for body, want := range map[string]contracts.Class{`{"error":{"message":"Too long"}}`: contracts.ContextLength, `{"error":{"message":"no"}}`: contracts.Auth, "too long": contracts.Auth} {
		if f := own.Classify(Answer{Status: 403, Body: []byte(body)}); f.Class != want {
			t.Errorf("%s: got %s, want %s", body, f.Class, want)
		}
	}
	if f, ok := own.ClassifyEmbedded(Answer{Status: 200, Body: []byte(`{"error":{"code":403,"message":"too long"}}`)}); !ok || f.Class != contracts.ContextLength {
		t.Errorf("inside a success: got %v", f)
	}
	if !slices.ContainsFunc(table, func(r Row) bool { return slices.Contains(r.Status, 403) }) {
		t.Error("the general table does not know 403: this test has no sense")
	}
}
