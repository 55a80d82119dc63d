package bedrock

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestARequestOnTheWire(t *testing.T) {
	yes := true
	parameters := json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`)
	tools := []providers.Tool{{Name: "get_weather", Description: "The weather.", Parameters: parameters}, {Name: "now"}}
	const toolJSON = `"tools":[{"toolSpec":{"name":"get_weather","description":"The weather.","inputSchema":{"json":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}}}},` +
		`{"toolSpec":{"name":"now","inputSchema":{"json":{"type":"object","properties":{}}}}}]`
	const hello, meta = `"messages":[{"role":"user","content":[{"text":"my card is lost"}]}]`, `,"requestMetadata":{"inferonce_attempt":"job_3f.1"}}`
	for name, row := range map[string]struct {
		set  func(*providers.Request)
		want string
	}{
		"nothing is sent that was not asked for": {func(*providers.Request) {}, `{` + hello + meta},
		"tools keep their order": {func(r *providers.Request) { r.Tools, r.ToolChoice, r.ParallelTools = tools, contracts.ToolAuto, &yes },
			`{` + hello + `,"toolConfig":{` + toolJSON + `,"toolChoice":{"auto":{}}}` + meta},
		"a call is required": {func(r *providers.Request) { r.Tools, r.ToolChoice = tools, contracts.ToolRequired },
			`{` + hello + `,"toolConfig":{` + toolJSON + `,"toolChoice":{"any":{}}}` + meta},
		"one tool must be called": {func(r *providers.Request) { r.Tools, r.ToolChoice, r.ToolName = tools, providers.ToolNamed, "now" },
			`{` + hello + `,"toolConfig":{` + toolJSON + `,"toolChoice":{"tool":{"name":"now"}}}` + meta},
		"a choice is left to the provider": {func(r *providers.Request) { r.Tools = tools },
			`{` + hello + `,"toolConfig":{` + toolJSON + `}` + meta},
		"the schema is a text in its own order": {func(r *providers.Request) { r.Schema = json.RawMessage(`{"z":{"a":"<b>"},"a":1}`) },
			`{` + hello + `,"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"answer","schema":"{\"z\":{\"a\":\"<b>\"},\"a\":1}"}}}}` + meta},
		"turns of every kind, and roles that alternate": {func(r *providers.Request) {
			r.Tools = tools[1:]
			r.Messages = []providers.Message{
				{Role: "system", Content: "say \"<hi>\""}, {Role: "system", Content: "and smile"},
				{Role: "user", Content: "look"},
				{Role: "user", Parts: []providers.Part{{Text: "what is this?"}, {Image: &providers.Image{MediaType: "image/jpeg", Data: "AAAA", Detail: "auto"}}}},
				{Role: "assistant", Content: "let me see", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "now", Arguments: `{"x":1}`}, {ID: "b", Name: "now", Arguments: `{}`}}},
				{Role: "tool", ToolCallID: "a", Content: "noon"}, {Role: "tool", ToolCallID: "b"},
				{Role: "user", Content: "so?"},
			}
		}, `{"system":[{"text":"say \"<hi>\""},{"text":"and smile"}],"messages":[` +
			`{"role":"user","content":[{"text":"look"},{"text":"what is this?"},{"image":{"format":"jpeg","source":{"bytes":"AAAA"}}}]},` +
			`{"role":"assistant","content":[{"text":"let me see"},{"toolUse":{"toolUseId":"a","name":"now","input":{"x":1}}},{"toolUse":{"toolUseId":"b","name":"now","input":{}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"noon"}]}},{"toolResult":{"toolUseId":"b","content":[]}},{"text":"so?"}]}]` +
			`,"toolConfig":{"tools":[{"toolSpec":{"name":"now","inputSchema":{"json":{"type":"object","properties":{}}}}}]}` + meta},
		"an attempt's name that AWS would refuse is not sent": {func(r *providers.Request) { r.AttemptID = "job!1" }, `{` + hello + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFake(t, says(200, good))
			r := request()
			row.set(&r)
			if _, f := ask(t, p, r); f != nil {
				t.Fatal(f)
			}
			a := <-p.asked
			if a.body != row.want {
				t.Errorf("sent %s\nwant %s", a.body, row.want)
			}
			if a.RequestURI != "/model/some.model-v1%3A0/converse" {
				t.Errorf("path %s", a.RequestURI)
			}
		})
	}
}

func TestWhatConverseHasNoWordsFor(t *testing.T) {
	seed, no := int64(7), false
	tool := []providers.Tool{{Name: "f"}}
	turn := func(m providers.Message) func(*providers.Request) {
		return func(r *providers.Request) { r.Tools, r.Messages = tool, append(r.Messages, m) }
	}
	image := func(i providers.Image) func(*providers.Request) {
		return turn(providers.Message{Role: "user", Parts: []providers.Part{{Text: "x"}, {Image: &i}}})
	}
	calls := func(c contracts.ToolCall) func(*providers.Request) {
		return turn(providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{c}})
	}
	for name, row := range map[string]struct {
		set  func(*providers.Request)
		part string
	}{
		"no model":                      {func(r *providers.Request) { r.Model = "" }, "model"},
		"a seed":                        {func(r *providers.Request) { r.Seed = &seed }, "seed"},
		"one call at most":              {func(r *providers.Request) { r.ParallelTools = &no }, "parallel_tool_calls"},
		"a schema that is none":         {func(r *providers.Request) { r.Schema = json.RawMessage(`{`) }, "schema"},
		"tools that may not be called":  {func(r *providers.Request) { r.Tools, r.ToolChoice = tool, providers.ToolNone }, "tool_choice"},
		"a choice nobody knows":         {func(r *providers.Request) { r.Tools, r.ToolChoice = tool, "maybe" }, "tool_choice"},
		"parameters that are no object": {func(r *providers.Request) { r.Tools = []providers.Tool{{Name: "f", Parameters: json.RawMessage(`[]`)}} }, "tools[0].parameters"},
		"no turn":                       {func(r *providers.Request) { r.Messages = nil }, "messages"},
		"system turns alone":            {func(r *providers.Request) { r.Messages[0].Role = "system" }, "messages"},
		"a system turn among others":    {turn(providers.Message{Role: "system", Content: "x"}), "messages[1].role"},
		"an assistant's turn first":     {func(r *providers.Request) { r.Messages[0].Role = "assistant" }, "messages[0].role"},
		"a role nobody knows":           {turn(providers.Message{Role: "oracle", Content: "x"}), "messages[1].role"},
		"an empty turn":                 {turn(providers.Message{Role: "user"}), "messages[1].content"},
		"an empty piece":                {turn(providers.Message{Role: "user", Parts: []providers.Part{{}}}), "messages[1].parts[0]"},
		"pieces of an assistant's turn": {turn(providers.Message{Role: "assistant", Parts: []providers.Part{{Text: "x"}}}), "messages[1].parts"},
		"a call by a user":              {turn(providers.Message{Role: "user", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "f"}}}), "messages[1].tool_calls"},
		"a result of no call":           {turn(providers.Message{Role: "tool", Content: "x"}), "messages[1].tool_call_id"},
		"a call by an id too long":      {calls(contracts.ToolCall{ID: strings.Repeat("a", 65), Name: "f", Arguments: "{}"}), "messages[1].tool_calls[0].id"},
		"arguments that are no object":  {calls(contracts.ToolCall{ID: "a", Name: "f", Arguments: `"{}"`}), "messages[1].tool_calls[0].arguments"},
		"arguments that were cut":       {calls(contracts.ToolCall{ID: "a", Name: "f", Arguments: `{"city`}), "messages[1].tool_calls[0].arguments"},
		"an image by address":           {image(providers.Image{URL: "https://a.test/x.png"}), "messages[1].parts[1].image"},
		"an image of another type":      {image(providers.Image{MediaType: "image/tiff", Data: "AAAA"}), "messages[1].parts[1].image"},
		"an image in a detail":          {image(providers.Image{MediaType: "image/png", Data: "AAAA", Detail: "low"}), "messages[1].parts[1].image.detail"},
		"calls of tools nobody names": {func(r *providers.Request) {
			r.Messages = append(r.Messages, providers.Message{Role: "tool", ToolCallID: "a"})
		}, "tools"},
	} {
		r := request()
		row.set(&r)
		var u *providers.Unsupported
		if err := newClient(t, "http://a.test").Takes(r); !errors.As(err, &u) || u.Part != row.part || u.Reason == "" || strings.HasSuffix(u.Reason, ".") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := newClient(t, "http://a.test").Takes(request()); err != nil {
		t.Errorf("a plain request: %v", err)
	}
}
