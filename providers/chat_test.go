package providers

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/fstest"

	"inferonce/contracts"
)

func talk(t *testing.T) *contracts.Contract {
	t.Helper()
	text := "name: talk\nversion: 1\nchat: true\neffects: none\nsampling: {max_tokens: 100}\n"
	c, err := contracts.Load(fstest.MapFS{"talk.yaml": {Data: []byte(text)}}, "talk.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAChatIsSentAsItWasAsked(t *testing.T) {
	no, warm, top, seed := false, 0.7, 0.9, int64(7)
	for _, row := range []struct {
		name, input string
		want        Request
	}{
		{"one turn gets the contract's bound", `{"messages":[{"role":"user","content":"hi"}]}`,
			Request{Model: "m", MaxTokens: 100, Messages: []Message{{Role: "user", Content: "hi"}}}},
		{"parameters", `{"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"hi"}],"temperature":0.7,"top_p":0.9,"seed":7,"stop":"END","max_completion_tokens":50}`,
			Request{Model: "m", MaxTokens: 50, Temperature: &warm, TopP: &top, Seed: &seed, Stop: []string{"END"},
				Messages: []Message{{Role: "system", Content: "be brief"}, {Role: "user", Content: "hi"}}}},
		{"a schema keeps its order, and is loose unless it is strict", `{"messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"zeta":{},"alpha":{}}}}}}`,
			Request{Model: "m", MaxTokens: 100, Messages: []Message{{Role: "user", Content: "hi"}}, SchemaName: "x", SchemaLoose: true,
				Schema: json.RawMessage(`{"type":"object","properties":{"zeta":{},"alpha":{}}}`)}},
		{"any object", `{"messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}}`,
			Request{Model: "m", MaxTokens: 100, Messages: []Message{{Role: "user", Content: "hi"}}, JSONObject: true}},
		{"tools, calls and results", `{"messages":[{"role":"user","content":"pay"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"pay","arguments":"{\"n\": 1}"}}]},{"role":"tool","tool_call_id":"a","content":"done"}],` +
			`"tools":[{"type":"function","function":{"name":"pay","description":"pays","parameters":{"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"pay"}},"parallel_tool_calls":false}`,
			Request{Model: "m", MaxTokens: 100, ToolChoice: ToolNamed, ToolName: "pay", ParallelTools: &no,
				Tools: []Tool{{Name: "pay", Description: "pays", Parameters: json.RawMessage(`{"type":"object"}`)}},
				Messages: []Message{{Role: "user", Content: "pay"}, {Role: "assistant", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "pay", Arguments: `{"n": 1}`}}},
					{Role: "tool", ToolCallID: "a", Content: "done"}}}},
		{"images", `{"messages":[{"role":"user","content":[{"type":"text","text":"what?"},{"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"low"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]}`,
			Request{Model: "m", MaxTokens: 100, Messages: []Message{{Role: "user", Parts: []Part{{Text: "what?"},
				{Image: &Image{URL: "https://example.com/a.png", Detail: "low"}}, {Image: &Image{MediaType: "image/png", Data: "aGk="}}}}}}},
	} {
		got, err := BuildRequest(talk(t), json.RawMessage(row.input), Target{Name: "t", Model: "m"})
		if err != nil || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s:\n%+v, %v\nwant\n%+v", row.name, got, err, row.want)
		}
	}
	if _, err := BuildRequest(talk(t), json.RawMessage(`{"messages":[]}`), Target{}); err == nil {
		t.Error("a request that no contract accepts was built")
	}
}

func TestATargetsOwnTemperatureStandsAgainstTheCallers(t *testing.T) {
	zero, one := 0.0, 1.0
	for _, row := range []struct {
		name        string
		rule        Temperature
		asked, want *float64
	}{
		{"none asked, none sent", Temperature{}, nil, nil},
		{"as asked", Temperature{}, &one, &one},
		{"never below the model's least", Temperature{Min: 1}, &zero, &one},
		{"one that takes the parameter not at all", Temperature{Omit: true}, &zero, nil},
		{"one that takes one value only", Temperature{Fixed: &one}, &zero, &one},
	} {
		if got := row.rule.of(row.asked); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}
