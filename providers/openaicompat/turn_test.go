package openaicompat

import (
	"encoding/json"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

// Every part of a request that is not a plain turn stands in the body, where
// OpenAI's API has it.
func TestTurnsImagesAndChoicesAreOnTheWire(t *testing.T) {
	no, top, seed := false, 0.5, int64(7)
	r := providers.Request{Model: "m", TopP: &top, Seed: &seed, Stop: []string{"END"}, ToolChoice: providers.ToolNamed, ToolName: "pay", ParallelTools: &no,
		Tools: []providers.Tool{{Name: "pay", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []providers.Message{
			{Role: "user", Parts: []providers.Part{{Text: "what?"}, {Image: &providers.Image{URL: "https://example.com/a.png", Detail: "low"}},
				{Image: &providers.Image{MediaType: "image/png", Data: "aGk="}}}},
			{Role: "assistant", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "pay", Arguments: `{"n": 1}`}}},
			{Role: "tool", ToolCallID: "a", Content: "done"}}}
	raw, err := json.Marshal(toRequest(r))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"what?"},{"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"low"}},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]},` +
		`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"pay","arguments":"{\"n\": 1}"}}]},` +
		`{"role":"tool","content":"done","tool_call_id":"a"}],"top_p":0.5,"stream":false,"stop":["END"],"seed":7,` +
		`"tools":[{"type":"function","function":{"name":"pay","parameters":{"type":"object"}}}],` +
		`"tool_choice":{"type":"function","function":{"name":"pay"}},"parallel_tool_calls":false}`
	var got, expected any
	if json.Unmarshal(raw, &got) != nil || json.Unmarshal([]byte(want), &expected) != nil {
		t.Fatalf("no JSON: %s", raw)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(expected)
	if string(a) != string(b) {
		t.Errorf("%s\nwant %s", a, b)
	}
}
