package openaicompat

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func withTools() providers.Request {
	r := request()
	r.ToolChoice = contracts.ToolAuto
	r.Tools = []providers.Tool{{Name: "get_weather", Description: "The weather.", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`)}}
	return r
}

func TestToolsGoOutInTheirOwnOrder(t *testing.T) {
	p := newProvider(t, says(200, good))
	if _, f := ask(t, p, withTools()); f != nil {
		t.Fatal(f)
	}
	body := (<-p.asked).body
	want := `"tools":[{"function":{"name":"get_weather","description":"The weather.","parameters":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}},"type":"function"}],"tool_choice":"auto"`
	if !strings.Contains(body, want) || strings.Contains(body, "response_format") {
		t.Errorf("sent %s\nwant %s", body, want)
	}
}

func TestARequestWithoutToolsNamesNone(t *testing.T) {
	p := newProvider(t, says(200, good))
	ask(t, p, request())
	if body := (<-p.asked).body; strings.Contains(body, "tool") {
		t.Errorf("sent %s", body)
	}
}

// calling is an answer with these tool_calls.
func calling(calls string) string {
	return `{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":` + calls + `},"finish_reason":"tool_calls"}]}`
}

func TestCallsAreReadAsTheyCame(t *testing.T) {
	for name, row := range map[string]struct {
		body string
		want []contracts.ToolCall
	}{
		"arguments stay text": {calling(`[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1,\"x\":2}"}}]`),
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"x": 1,"x":2}`}}},
		"an object is marked": {calling(`[{"id":"a","function":{"name":"f","arguments":{"city":"Oslo"}}}]`),
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"city":"Oslo"}`, Raw: true}}},
		"null is nothing, and not an object": {calling(`[{"id":"a","function":{"name":"f","arguments":null}}]`),
			[]contracts.ToolCall{{ID: "a", Name: "f"}}},
		"parallel calls are kept apart": {calling(`[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"f","arguments":"{}"}}]`),
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "a", Name: "f", Arguments: "{}"}}},
	} {
		c, f := ask(t, newProvider(t, says(200, row.body)), withTools())
		if f != nil || !slices.Equal(c.ToolCalls, row.want) || c.FinishReason != "tool_calls" || c.Content != "" {
			t.Errorf("%s: %+v, %v", name, c, f)
		}
	}
}

func TestAnAnswerWithoutCallsAndContentIsEmpty(t *testing.T) {
	for name, calls := range map[string]string{"an empty list": "[]", "null": "null"} {
		if c, f := ask(t, newProvider(t, says(200, calling(calls))), withTools()); f == nil || f.Class != contracts.BadResponse || f.Code != "empty" {
			t.Errorf("%s: %+v, %v", name, c, f)
		}
	}
}

func TestCallsOfAStream(t *testing.T) {
	part := func(call string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + call + `]}}]}` + "\n\n"
	}
	for name, row := range map[string]struct {
		parts []string
		want  []contracts.ToolCall
	}{
		"by index": {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`, `{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}`,
			`{"index":0,"function":{"arguments":"{}"}}`, `{"index":1,"function":{"arguments":":2}"}}`},
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: `{"y":2}`}}},
		"two calls under one index are two by their ids": {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}`, `{"index":0,"id":"b","function":{"name":"f","arguments":"{\"b\":2}"}}`},
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"a":1}`}, {ID: "b", Name: "f", Arguments: `{"b":2}`}}},
		"an id that is repeated begins no call": {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":0,"id":"a","function":{"arguments":"}"}}`},
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
		"no index": {[]string{`{"id":"a","function":{"name":"f","arguments":"{"}}`, `{"function":{"arguments":"}"}}`, `{"id":"b","function":{"name":"g","arguments":"{}"}}`},
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: "{}"}}},
		"an object in a part is marked": {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}}`},
			[]contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":1}`, Raw: true}}},
	} {
		var body strings.Builder
		for _, p := range row.parts {
			body.WriteString(part(p))
		}
		body.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
		c, f := ask(t, newProvider(t, says(200, body.String())), withTools())
		if f != nil || !slices.Equal(c.ToolCalls, row.want) || c.FinishReason != "tool_calls" {
			t.Errorf("%s: %+v, %v", name, c.ToolCalls, f)
		}
	}
}
