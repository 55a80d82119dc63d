package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func withTool(set func(*providers.Request)) providers.Request {
	return with(func(r *providers.Request) {
		r.Tools = []providers.Tool{{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)}}
		set(r)
	})
}

func withCall(c contracts.ToolCall) providers.Request {
	return with(func(r *providers.Request) {
		r.Messages = append(r.Messages, providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{c}},
			providers.Message{Role: "tool", ToolCallID: c.ID, Content: "r"})
	})
}

func withSchema(s string) providers.Request {
	return with(func(r *providers.Request) { r.Schema = json.RawMessage(s) })
}

func with(set func(*providers.Request)) providers.Request {
	r := plain()
	set(&r)
	return r
}

func TestWhatHasNoRenderingIsRefusedWithoutACall(t *testing.T) {
	cases := []struct {
		name string
		r    providers.Request
		part string
	}{
		{"a seed of more than 32 bits", with(func(r *providers.Request) { r.Seed = ptr(int64(1) << 31) }), "seed"},
		{"a temperature above 2", with(func(r *providers.Request) { r.Temperature = ptr(2.1) }), "temperature"},
		{"a top_p above 1", with(func(r *providers.Request) { r.TopP = ptr(1.1) }), "top_p"},
		{"six stop texts", with(func(r *providers.Request) { r.Stop = strings.Split("abcdef", "") }), "stop"},
		{"an empty stop text", with(func(r *providers.Request) { r.Stop = []string{"a", ""} }), "stop[1]"},
		{"a system text in the middle", with(func(r *providers.Request) {
			r.Messages = append(r.Messages, providers.Message{Role: "system", Content: "s"})
		}), "messages[1]"},
		{"a result of nothing", with(func(r *providers.Request) {
			r.Messages = append(r.Messages, providers.Message{Role: "tool", ToolCallID: "x", Content: "s"})
		}), "messages[1].tool_call_id"},
		{"an image of another type", image(providers.Image{MediaType: "image/gif", Data: "AA"}), "messages[0].parts[1].image.media_type"},
		{"an image over plain http", image(providers.Image{URL: "http://a.test/a.png"}), "messages[0].parts[1].image.url"},
		{"an image whose address does not tell its type", image(providers.Image{URL: "https://a.test/a?x=.png"}), "messages[0].parts[1].image.url"},
		{"an image in another detail", image(providers.Image{URL: "https://a.test/a.png", Detail: "high"}), "messages[0].parts[1].image.detail"},
		{"arguments that are no object", withCall(contracts.ToolCall{ID: "a", Name: "b", Arguments: "[1]"}), "messages[1].tool_calls[0].arguments"},
		{"arguments that are no JSON", withCall(contracts.ToolCall{ID: "a", Name: "b", Arguments: `{"a`}), "messages[1].tool_calls[0].arguments"},
		{"a tool's name that begins with a digit", withTool(func(r *providers.Request) { r.Tools[0].Name = "1a" }), "tools[0].name"},
		{"a tool's name of 65 letters", withTool(func(r *providers.Request) { r.Tools[0].Name = strings.Repeat("a", 65) }), "tools[0].name"},
		{"a tool without a schema", withTool(func(r *providers.Request) { r.Tools[0].Parameters = nil }), "tools[0].parameters"},
		{"one call at most", withTool(func(r *providers.Request) { r.ParallelTools = ptr(false) }), "parallel_tools"},
		{"an unknown choice", withTool(func(r *providers.Request) { r.ToolChoice = "maybe" }), "tool_choice"},
		{"a text that is not UTF-8", with(func(r *providers.Request) { r.Messages[0].Content = "\xff" }), "request"},
		{"a schema that is none", withSchema(`[]`), "schema"},
		{"a schema with more beside a reference", withSchema(`{"properties":{"a":{"$ref":"#/$defs/x","description":"d"}}}`), "schema/$ref"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) { adapter.Refuses(t, tc.r, tc.part) })
	}
}

func TestTheChoiceOfTools(t *testing.T) {
	for _, tc := range []struct{ choice, name, want string }{
		{"", "", `{"mode":"AUTO"}`},
		{contracts.ToolAuto, "x", `{"mode":"AUTO"}`},
		{contracts.ToolRequired, "", `{"mode":"ANY"}`},
		{providers.ToolNamed, "look", `{"mode":"ANY","allowedFunctionNames":["look"]}`},
		{providers.ToolNone, "look", `{"mode":"NONE"}`},
	} {
		b, err := body(withTool(func(r *providers.Request) { r.ToolChoice, r.ToolName = tc.choice, tc.name }))
		if want := `"functionCallingConfig":` + tc.want; err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%q: %s, %v, want %s", tc.choice, b, err, want)
		}
	}
	b, err := body(with(func(r *providers.Request) { r.ToolChoice, r.ParallelTools = contracts.ToolRequired, ptr(false) }))
	if err != nil || strings.Contains(string(b), "tool") {
		t.Errorf("a choice without tools: %s, %v", b, err)
	}
}

func TestOnlyModelsThatAskForASignatureGetOne(t *testing.T) {
	for model, want := range map[string]bool{
		"gemini-1.5-pro": false, "gemini-2.5-flash": false, "models/gemini-2.0-flash": false, "gemma-3-27b-it": false,
		"gemini-3-flash": true, "models/gemini-3.1-pro-preview": true, "gemini-4": true,
	} {
		if got := signs(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}

func TestAModelsNameLeadsNowhereElse(t *testing.T) {
	c := newClient(t, "http://a.test")
	for model, want := range map[string]string{
		"gemini-2.5-flash":        "gemini-2.5-flash",
		"models/gemini-2.5-flash": "gemini-2.5-flash",
		"../../v1/files?x=1#":     "..%2F..%2Fv1%2Ffiles%3Fx=1%23",
		"a b":                     "a%20b",
	} {
		if got := c.address(model); got != "http://a.test/v1beta/models/"+want+":generateContent" {
			t.Errorf("%s: %s", model, got)
		}
	}
}

func TestReproduceHoldsTheBodyThatIsSent(t *testing.T) {
	r := with(func(r *providers.Request) { r.Messages[0].Content = "it's" })
	b, err := body(r)
	if err != nil {
		t.Fatal(err)
	}
	quoted := "'" + strings.ReplaceAll(string(b), "'", `'\''`) + "'"
	got := newClient(t, "http://a.test").Reproduce(r)
	if !strings.HasSuffix(got, quoted) || !strings.Contains(got, "'http://a.test/v1beta/models/m:generateContent'") || !strings.Contains(got, `"X-Goog-Api-Key: $API_KEY"`) {
		t.Error(got)
	}
}
