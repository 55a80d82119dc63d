package openairesponses

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

func failedWith(code string) string {
	return strings.Replace(state("failed"), `"error":null`, `"error":{"code":"`+code+`","message":"m"}`, 1)
}

// ends are responses that have ended without a usable answer. Complete and
// Lookup must say the same of them.
var ends = map[string]struct {
	body  string
	class contracts.Class
	code  string
}{
	"a failure of the provider":           {failedWith("server_error"), contracts.ProviderError, "failed"},
	"a failure by rate limit":             {failedWith("rate_limit_exceeded"), contracts.RateLimited, "failed"},
	"a failure by a prompt":               {failedWith("invalid_prompt"), contracts.InvalidRequest, "failed"},
	"a failure of a kind nobody knows":    {failedWith("gremlins"), contracts.ProviderError, "failed"},
	"a failure that says nothing":         {state("failed"), contracts.ProviderError, "failed"},
	"a failure in an odd form":            {strings.Replace(state("failed"), `"error":null`, `"error":["x"]`, 1), contracts.ProviderError, "failed"},
	"cut by the limit of tokens":          {state("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`, output(message("par"))), contracts.Truncated, "length"},
	"cut by a filter":                     {state("incomplete", `,"incomplete_details":{"reason":"content_filter"}`, output(message("par"))), contracts.ContentFiltered, "answer"},
	"cut for a reason nobody knows":       {state("incomplete", `,"incomplete_details":{"reason":"steering"}`), contracts.Truncated, "incomplete"},
	"cut without a reason":                {state("incomplete", `,"incomplete_details":null`), contracts.Truncated, "incomplete"},
	"R02 an output without items":         {state("completed", output("")), contracts.BadResponse, "empty"},
	"an output that is null":              {state("completed", `,"output":null`), contracts.BadResponse, "empty"},
	"no output":                           {state("completed"), contracts.BadResponse, "empty"},
	"R25 a text that is null":             {state("completed", output(`{"type":"message","content":[{"type":"output_text","text":null}]}`)), contracts.BadResponse, "empty"},
	"nothing but reasoning":               {state("completed", output(`{"type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}]}`)), contracts.BadResponse, "empty"},
	"nothing but commentary":              {state("completed", output(`{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"hm"}]}`)), contracts.BadResponse, "empty"},
	"a refusal":                           {state("completed", output(`{"type":"message","content":[{"type":"refusal","refusal":"I can't"}]}`)), contracts.ContentFiltered, "refusal"},
	"a message in no known form":          {state("completed", output(`{"type":"message","content":7}`)), contracts.BadResponse, "not_json"},
	"a text in place of a list of pieces": {state("completed", output(`{"type":"message","content":"a"}`)), contracts.BadResponse, "not_json"},
}

func TestAResponseThatEndedWithoutAnAnswer(t *testing.T) {
	for name, row := range ends {
		t.Run(name, func(t *testing.T) {
			_, f := ask(t, newFake(t, says(200, created), says(200, row.body)), request())
			want(t, f, row.class, contracts.Ended, row.code)
			if f != nil && f.Status != 200 {
				t.Errorf("status %d", f.Status)
			}
		})
	}
	t.Run("cancelled by somebody else", func(t *testing.T) {
		_, f := ask(t, newFake(t, says(200, created), says(200, state("cancelled"))), request())
		want(t, f, contracts.ProviderError, contracts.Ended, "cancelled")
	})
	t.Run("calls that nobody offered", func(t *testing.T) {
		_, f := ask(t, newFake(t, says(200, created), says(200, state("completed", output(`{"type":"function_call","name":"f","arguments":"{}"}`)))), request())
		want(t, f, contracts.BadResponse, contracts.Ended, "empty")
	})
}

func TestAnAnswerWithOddities(t *testing.T) {
	reported := contracts.Usage{InputTokens: 3, OutputTokens: 0, Reported: true}
	for name, row := range map[string]struct {
		body, content string
		usage         contracts.Usage
	}{
		"R28 usage that is null":                  {state("completed", output(message("c")), `,"usage":null`), "c", contracts.Usage{}},
		"R28 no usage":                            {state("completed", output(message("c"))), "c", contracts.Usage{}},
		"R28 negative usage":                      {state("completed", output(message("c")), `,"usage":{"input_tokens":-1,"output_tokens":5}`), "c", contracts.Usage{}},
		"R28 half of a usage":                     {state("completed", output(message("c")), `,"usage":{"input_tokens":3}`), "c", contracts.Usage{}},
		"usage of another shape":                  {state("completed", output(message("c")), `,"usage":"much"`), "c", contracts.Usage{}},
		"a usage of nothing is reported":          {state("completed", output(message("c")), `,"usage":{"input_tokens":3,"output_tokens":0}`), "c", reported},
		"a number beyond all bounds":              {state("completed", output(message("c")), `,"created_at":1e20000000`), "c", contracts.Usage{}},
		"metadata in another form":                {`{"id":"resp_1","status":"completed","metadata":7` + output(message("c")) + `}`, "c", contracts.Usage{}},
		"text in pieces is joined":                {state("completed", output(message("a")+","+message("b"))), "ab", contracts.Usage{}},
		"commentary is left out":                  {state("completed", output(`{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"hm"}]},{"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"c"}]}`)), "c", contracts.Usage{}},
		"items nobody knows are passed over":      {state("completed", output(`{"type":"web_search_call","arguments":{"q":1},"content":true},`+message("c"))), "c", contracts.Usage{}},
		"pieces nobody knows are passed over":     {state("completed", output(`{"type":"message","content":[{"type":"glow","text":{"a":1}},{"type":"output_text","text":"c"}]}`)), "c", contracts.Usage{}},
		"content is kept byte for byte":           {state("completed", output(message(` \u00e4 <b>\u2028\n`))), " ä <b>\u2028\n", contracts.Usage{}},
		"a number beyond all bounds in an answer": {state("completed", output(message(`{\"n\":1e20000000}`))), `{"n":1e20000000}`, contracts.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, f := ask(t, newFake(t, says(200, created), says(200, row.body)), request())
			if f != nil || c.Content != row.content || c.Usage != row.usage {
				t.Errorf("got %+v, %v, want content %q and usage %+v", c, f, row.content, row.usage)
			}
		})
	}
}

func TestCallsAreReadAsTheyCame(t *testing.T) {
	for name, row := range map[string]struct {
		items string
		want  []contracts.ToolCall
	}{
		"arguments stay text": {`{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{\"x\": 1,\"x\":2}"}`,
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"x": 1,"x":2}`}}},
		"an object is marked": {`{"type":"function_call","call_id":"a","name":"f","arguments":{"city":"Oslo"}}`,
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"city":"Oslo"}`, Raw: true}}},
		"null is nothing": {`{"type":"function_call","call_id":"a","name":"f","arguments":null}`, []contracts.ToolCall{{ID: "a", Name: "f"}}},
		"parallel calls are kept apart": {`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"b","name":"f","arguments":"{}"}`,
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "f", Arguments: "{}"}}},
	} {
		r := request()
		r.Tools, r.ToolChoice = []providers.Tool{{Name: "f"}}, contracts.ToolAuto
		c, f := ask(t, newFake(t, says(200, created), says(200, state("completed", output(row.items)))), r)
		if f != nil || !slices.Equal(c.ToolCalls, row.want) || c.FinishReason != "tool_calls" || c.Content != "" {
			t.Errorf("%s: %+v, %v", name, c, f)
		}
	}
}

func FuzzReadCreated(f *testing.F) {
	for _, seed := range []string{created, state("completed", output(message("a"))), `{"error":{"code":504}}`, `{"id":"resp_1","status":{}}`} {
		f.Add(200, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r, failure := readCreated(transport.Answer{Status: status, Body: body}, canary)
		if failure != nil {
			checked(t, failure)
			return
		}
		if status/100 != 2 || !goodID(r.ID) || r.Status == "" {
			t.Errorf("status %d, %q was taken for a created response", status, body)
		}
	})
}

func FuzzReadAsked(f *testing.F) {
	f.Add(200, []byte(state("completed", output(message("a")))))
	for _, row := range ends {
		f.Add(200, []byte(row.body))
	}
	f.Add(404, []byte(`{"error":{"message":"m"}}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r, failure := readAsked(transport.Answer{Status: status, Body: body}, "resp_1", canary)
		if failure != nil {
			checked(t, failure)
			return
		}
		found := r.finding(canary)
		switch {
		case found.State == providers.FoundDone && (r.Status != "completed" || found.Completion.Content == "" && len(found.Completion.ToolCalls) == 0):
			t.Errorf("%q became an answer: %+v", body, found.Completion)
		case found.State == providers.FoundDone && !utf8.ValidString(found.Completion.Content):
			t.Errorf("%q became %q", body, found.Completion.Content)
		case found.State == providers.FoundFailed && found.Failure.Effect != contracts.Ended:
			t.Errorf("%q has the effect %s", body, found.Failure.Effect)
		case found.Failure != nil:
			checked(t, found.Failure)
		}
	})
}
