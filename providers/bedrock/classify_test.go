package bedrock

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

func TestErrorsByName(t *testing.T) {
	for _, row := range []struct {
		name    string
		status  int
		message string
		class   contracts.Class
		effect  contracts.Effect
		code    string
	}{
		{"ThrottlingException", 429, "Too many requests, please wait before trying again.", contracts.RateLimited, contracts.None, ""},
		{"ServiceQuotaExceededException", 400, "m", contracts.QuotaExhausted, contracts.None, ""},
		{"ModelNotReadyException", 429, "m", contracts.Overloaded, contracts.None, "not_ready"},
		{"AccessDeniedException", 403, "You don't have access to the model with the specified model ID.", contracts.Auth, contracts.None, ""},
		{"UnrecognizedClientException", 403, "The security token included in the request is invalid.", contracts.Auth, contracts.None, ""},
		{"ExpiredTokenException", 403, "The security token included in the request is expired", contracts.Auth, contracts.None, ""},
		{"InvalidSignatureException", 403, "The request signature we calculated does not match the signature you provided.", contracts.Auth, contracts.None, ""},
		{"InvalidSignatureException", 403, "Signature expired: 20260304T050607Z is now earlier than 20260304T051107Z", contracts.Auth, contracts.None, "clock"},
		{"InvalidSignatureException", 403, "Signature not yet current: 20260304T050607Z is still later than 20260304T045607Z", contracts.Auth, contracts.None, "clock"},
		{"IncompleteSignatureException", 400, "m", contracts.Auth, contracts.None, ""},
		{"ResourceNotFoundException", 404, "m", contracts.NotFound, contracts.None, ""},
		{"ValidationException", 400, "Malformed input request", contracts.InvalidRequest, contracts.None, ""},
		{"ValidationException", 400, "Input is too long for requested model.", contracts.ContextLength, contracts.None, ""},
		{"ValidationException", 400, "The model returned the following errors: prompt is too long: 203000 tokens > 200000 maximum", contracts.ContextLength, contracts.None, ""},
		{"ValidationException", 400, "The provided model identifier is invalid.", contracts.NotFound, contracts.None, "model"},
		{"ValidationException", 400, "Invocation of model ID x with on-demand throughput isn't supported.", contracts.NotFound, contracts.None, "model"},
		{"ModelTimeoutException", 408, "m", contracts.Timeout, contracts.Open, ""},
		{"ModelErrorException", 424, "m", contracts.ProviderError, contracts.Ended, "model"},
		{"InternalServerException", 500, "m", contracts.ProviderError, contracts.Ended, ""},
		{"ServiceUnavailableException", 503, "m", contracts.Overloaded, contracts.None, ""},
	} {
		t.Run(row.name+"/"+row.message, func(t *testing.T) {
			_, f := ask(t, newFake(t, fails(row.status, row.name, row.message)), request())
			want(t, f, row.class, row.effect, row.code)
			if f != nil && (f.Status != row.status || f.Detail != row.message) {
				t.Errorf("status %d, detail %q", f.Status, f.Detail)
			}
		})
	}
}

func TestEveryRowThatSaysNoneIsARefusalByStatus(t *testing.T) {
	for _, r := range table {
		if r.effect == contracts.None && slices.ContainsFunc(r.status, func(s int) bool { return s >= 500 && s != 503 || s == 408 || s == 424 }) {
			t.Errorf("%v with %v can't be called a refusal", r.names, r.status)
		}
		if slices.Contains(r.status, 408) && r.effect != contracts.Open {
			t.Errorf("%v: a timeout of the model has the effect %s", r.names, r.effect)
		}
	}
}

func TestErrorsThatBedrockDidNotWriteAsDocumented(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		"the name stands in the body":              {says(400, `{"__type":"com.amazon.coral.validate#ValidationException","Message":"m"}`), contracts.InvalidRequest, contracts.None, ""},
		"a name under a status of another":         {fails(500, "ThrottlingException", "m"), contracts.ProviderError, contracts.Open, "edge"},
		"a timeout that calls itself a throttling": {fails(504, "ThrottlingException", "m"), contracts.Timeout, contracts.Open, "edge"},
		"a name that nobody knows":                 {fails(500, "GremlinException", "m"), contracts.ProviderError, contracts.Open, "edge"},
		"500 without a name":                       {says(500, `{"message":"m"}`), contracts.ProviderError, contracts.Open, "edge"},
		"503 of an edge":                           {says(503, "upstream connect error"), contracts.Connection, contracts.Open, "edge"},
		"502 with a page":                          {says(502, "<html>"), contracts.Timeout, contracts.Open, "edge"},
		"408 without a name":                       {says(408, ""), contracts.Timeout, contracts.Open, ""},
		"403 of an edge":                           {says(403, `{"message":"Forbidden"}`), contracts.Auth, contracts.None, ""},
		"a message of another type":                {says(429, `{"message":["a"]}`, "X-Amzn-Errortype", "ThrottlingException"), contracts.RateLimited, contracts.None, ""},
		"accepted is not done":                     {says(202, "{}"), contracts.ProviderError, contracts.Open, "unlisted"},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := ask(t, newFake(t, row.answer), request())
			want(t, f, row.class, row.effect, row.code)
		})
	}
}

func TestAStatedWaitIsKept(t *testing.T) {
	_, f := ask(t, newFake(t, says(429, `{"message":"m"}`, "X-Amzn-Errortype", "ThrottlingException", "Retry-After", "2")), request())
	if f == nil || f.RetryAfter != 2*time.Second {
		t.Errorf("got %+v", f)
	}
}

func TestAnAnswerThatIsNone(t *testing.T) {
	const one = `{"text":"a"}`
	for name, row := range map[string]struct {
		body   string
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		"R27 no output":                         {`{"stopReason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "no_output"},
		"R27 output that is null":               {`{"output":null,"stopReason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "no_output"},
		"R27 output without a message":          {`{"output":{},"stopReason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "no_output"},
		"R27 a message that is null":            {`{"output":{"message":null},"stopReason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "no_output"},
		"output of another type":                {`{"output":[],"stopReason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "not_json"},
		"a message of AWS inside a success":     {`{"message":"m"}`, contracts.BadResponse, contracts.Ended, "no_output"},
		"R01 a timeout inside a success":        {`{"error":{"code":504,"message":"m"}}`, contracts.Timeout, contracts.Open, "embedded"},
		"R02 no content":                        {said("", "end_turn"), contracts.BadResponse, contracts.Ended, "empty"},
		"R25 a text that is null":               {said(`{"text":null}`, "end_turn"), contracts.BadResponse, contracts.Ended, "empty"},
		"nothing but reasoning":                 {said(`{"reasoningContent":{"reasoningText":{"text":"hm"}}}`, "end_turn"), contracts.BadResponse, contracts.Ended, "empty"},
		"calls that nobody offered":             {said(`{"toolUse":{"toolUseId":"a","name":"f","input":{}}}`, "tool_use"), contracts.BadResponse, contracts.Ended, "empty"},
		"no reason to stop":                     {`{"output":{"message":{"content":[{"text":"a"}]}}}`, contracts.BadResponse, contracts.Ended, "no_stop_reason"},
		"R26 the limit of tokens":               {said(one, "max_tokens"), contracts.Truncated, contracts.Ended, "length"},
		"the end of the context":                {said(one, "model_context_window_exceeded"), contracts.Truncated, contracts.Ended, "context_window"},
		"a guardrail":                           {said(one, "guardrail_intervened"), contracts.ContentFiltered, contracts.Ended, "guardrail"},
		"a filter":                              {said(one, "content_filtered"), contracts.ContentFiltered, contracts.Ended, "answer"},
		"malformed output":                      {said(one, "malformed_model_output"), contracts.BadResponse, contracts.Ended, "malformed_model_output"},
		"a malformed call":                      {said(one, "malformed_tool_use"), contracts.BadResponse, contracts.Ended, "malformed_tool_use"},
		"an empty body":                         {"", contracts.BadResponse, contracts.Ended, "empty"},
		"R19 a page":                            {"<html>", contracts.BadResponse, contracts.Ended, "html"},
		"text":                                  {"OK", contracts.BadResponse, contracts.Ended, "not_json"},
		"something after the answer":            {good + "x", contracts.BadResponse, contracts.Ended, "not_json"},
		"a member named twice":                  {`{"output":null,` + good[1:], contracts.BadResponse, contracts.Ended, "not_json"},
		"a member named twice inside":           {`{"output":{"message":{"content":[]},"message":{"content":[{"text":"a"}]}},"stopReason":"end_turn"}`, contracts.BadResponse, contracts.Ended, "not_json"},
		"bytes that are no UTF-8":               {said("{\"text\":\"\xff\"}", "end_turn"), contracts.BadResponse, contracts.Ended, "utf8"},
		"half of a surrogate pair":              {said(`{"text":"\ud800"}`, "end_turn"), contracts.BadResponse, contracts.Ended, "not_json"},
		"nesting without end where nobody asks": {`{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `,` + good[1:], contracts.BadResponse, contracts.Ended, "not_json"},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := ask(t, newFake(t, says(200, row.body)), request())
			want(t, f, row.class, row.effect, row.code)
			if f != nil && f.Status != 200 {
				t.Errorf("status %d", f.Status)
			}
		})
	}
}

func TestAnAnswerWithOddities(t *testing.T) {
	reported := contracts.Usage{InputTokens: 3, OutputTokens: 0, Reported: true}
	with := func(more string) string {
		return strings.TrimSuffix(said(`{"text":"c"}`, "end_turn"), "}") + more + "}"
	}
	for name, row := range map[string]struct {
		body, content, reason string
		usage                 contracts.Usage
	}{
		"R28 no usage":                        {with(``), "c", "stop", contracts.Usage{}},
		"R28 usage that is null":              {with(`,"usage":null`), "c", "stop", contracts.Usage{}},
		"R28 negative usage":                  {with(`,"usage":{"inputTokens":-1,"outputTokens":5}`), "c", "stop", contracts.Usage{}},
		"R28 half of a usage":                 {with(`,"usage":{"inputTokens":3}`), "c", "stop", contracts.Usage{}},
		"usage of another shape":              {with(`,"usage":"much"`), "c", "stop", contracts.Usage{}},
		"a usage of nothing is reported":      {with(`,"usage":{"inputTokens":3,"outputTokens":0}`), "c", "stop", reported},
		"a number beyond all bounds":          {with(`,"metrics":{"latencyMs":1e20000000}`), "c", "stop", contracts.Usage{}},
		"an error that is null":               {with(`,"error":null`), "c", "stop", contracts.Usage{}},
		"a stop sequence":                     {said(`{"text":"c"}`, "stop_sequence"), "c", "stop", contracts.Usage{}},
		"a reason nobody knows is kept":       {said(`{"text":"c"}`, "pondered"), "c", "pondered", contracts.Usage{}},
		"pieces are joined":                   {said(`{"text":"a"},{"text":"b"}`, "end_turn"), "ab", "stop", contracts.Usage{}},
		"pieces nobody knows are passed over": {said(`{"glow":{"a":1}},{"text":{"a":1}},{"text":"c"}`, "end_turn"), "c", "stop", contracts.Usage{}},
		"content is kept byte for byte":       {said(`{"text":" \u00e4 <b>\u2028\n"}`, "end_turn"), " ä <b>\u2028\n", "stop", contracts.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, f := ask(t, newFake(t, says(200, row.body)), request())
			if f != nil || c.Content != row.content || c.Usage != row.usage || c.FinishReason != row.reason {
				t.Errorf("got %+v, %v", c, f)
			}
		})
	}
	c, f := ask(t, newFake(t, says(200, with(`,"trace":{"promptRouter":{"invokedModelId":"arn:x"}}`))), request())
	if f != nil || c.Model != "arn:x" {
		t.Errorf("behind a prompt router: %+v, %v", c, f)
	}
}

func TestCallsAreReadAsTheyCame(t *testing.T) {
	for name, row := range map[string]struct {
		content string
		want    []contracts.ToolCall
	}{
		"the input keeps its bytes": {`{"toolUse":{"toolUseId":"a","name":"f","input":{"z": 1,"a":1.0}}}`,
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"z": 1,"a":1.0}`}}},
		"parallel calls are kept apart": {`{"toolUse":{"toolUseId":"a","name":"f","input":{}}},{"toolUse":{"toolUseId":"b","name":"f","input":{}}}`,
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "f", Arguments: "{}"}}},
		"text as input stays what it is": {`{"toolUse":{"toolUseId":"a","name":"f","input":"{}"}}`, []contracts.ToolCall{{ID: "a", Name: "f", Arguments: `"{}"`}}},
	} {
		r := request()
		r.Tools, r.ToolChoice = []providers.Tool{{Name: "f"}}, contracts.ToolAuto
		c, f := ask(t, newFake(t, says(200, said(row.content, "tool_use"))), r)
		if f != nil || !slices.Equal(c.ToolCalls, row.want) || c.FinishReason != "tool_calls" || c.Content != "" {
			t.Errorf("%s: %+v, %v", name, c, f)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(200, "", []byte(good))
	f.Add(200, "", []byte(said(`{"toolUse":{"toolUseId":"a","name":"f","input":{}}}`, "tool_use")))
	f.Add(200, "", []byte(`{"output":{"message":{"content":{}}}}`))
	f.Add(400, "ValidationException", []byte(`{"message":"Input is too long"}`))
	f.Add(500, "#", []byte(`{"__type":"#:","Message":7}`))
	f.Fuzz(func(t *testing.T, status int, name string, body []byte) {
		c, failure := read(transport.Answer{Status: status, Header: http.Header{"X-Amzn-Errortype": {name}}, Body: body}, canaries)
		if failure != nil {
			checked(t, failure)
			return
		}
		if status != 200 || c.Content == "" && len(c.ToolCalls) == 0 || !utf8.ValidString(c.Content) || !bytes.Contains(body, []byte("stopReason")) && !bytes.Contains(body, []byte(`\u`)) {
			t.Errorf("status %d, %q became a success: %+v", status, body, c)
		}
	})
}
