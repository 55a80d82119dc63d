package openairesponses

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestARequestOnTheWire(t *testing.T) {
	nought, half, no := 0.0, 0.5, false
	schema := json.RawMessage(`{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"enum":["b","<a>"]}},"required":["zeta","alpha"],"additionalProperties":false}`)
	parameters := json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`)
	tools := []providers.Tool{{Name: "get_weather", Description: "The weather.", Parameters: parameters}}
	const toolJSON = `"tools":[{"type":"function","name":"get_weather","description":"The weather.","parameters":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}},"strict":false}]`
	const head, tail = `{"model":"m","input":`, `,"background":true,"store":true,"metadata":{"inferonce_attempt":"job_3f.1","inferonce_job":"job_3f"}`
	const hello = `[{"role":"user","content":"my card is lost"}]`
	for name, row := range map[string]struct {
		set  func(*providers.Request)
		want string
	}{
		"nothing is sent that was not asked for": {func(*providers.Request) {}, head + hello + tail + `}`},
		"temperature 0 is sent as 0": {func(r *providers.Request) { r.Temperature, r.TopP, r.MaxTokens = &nought, &half, 9 },
			head + hello + tail + `,"max_output_tokens":9,"temperature":0,"top_p":0.5}`},
		"the schema keeps its order": {func(r *providers.Request) { r.Schema, r.SchemaName = schema, "ticket-triage@1" },
			head + hello + tail + `,"text":{"format":{"type":"json_schema","name":"ticket-triage_1","schema":` + string(schema) + `,"strict":true}}}`},
		"tools keep their order and their optional parameters": {func(r *providers.Request) { r.Tools, r.ToolChoice, r.ParallelTools = tools, contracts.ToolAuto, &no },
			head + hello + tail + `,` + toolJSON + `,"tool_choice":"auto","parallel_tool_calls":false}`},
		"a tool that must be called": {func(r *providers.Request) {
			r.Tools, r.ToolChoice, r.ToolName = tools, providers.ToolNamed, "get_weather"
		},
			head + hello + tail + `,` + toolJSON + `,"tool_choice":{"name":"get_weather","type":"function"}}`},
		"tools that may not be called": {func(r *providers.Request) { r.Tools, r.ToolChoice = tools, providers.ToolNone },
			head + hello + tail + `,` + toolJSON + `,"tool_choice":"none"}`},
		"turns of every kind": {func(r *providers.Request) {
			r.Messages = []providers.Message{
				{Role: "system", Content: `say "<hi>"`},
				{Role: "user", Parts: []providers.Part{{Text: "what is this?"}, {Image: &providers.Image{URL: "https://a.test/x.png", Detail: "low"}},
					{Image: &providers.Image{MediaType: "image/png", Data: "AAAA"}}}},
				{Role: "assistant", Content: "let me see", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":1}`}, {ID: "b", Name: "g", Arguments: `{}`}}},
				{Role: "tool", ToolCallID: "a", Content: "rain"}, {Role: "tool", ToolCallID: "b"},
			}
		}, head + `[{"role":"system","content":"say \"<hi>\""},` +
			`{"role":"user","content":[{"type":"input_text","text":"what is this?"},{"type":"input_image","image_url":"https://a.test/x.png","detail":"low"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},` +
			`{"role":"assistant","content":"let me see"},{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x\":1}"},{"type":"function_call","call_id":"b","name":"g","arguments":"{}"},` +
			`{"type":"function_call_output","call_id":"a","output":"rain"},{"type":"function_call_output","call_id":"b","output":""}]` + tail + `}`},
		"an attempt without a name carries none": {func(r *providers.Request) { r.AttemptID = "" }, head + hello + `,"background":true,"store":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFake(t, says(200, state("completed", output(message("a")))))
			r := request()
			row.set(&r)
			if _, f := ask(t, p, r); f != nil {
				t.Fatal(f)
			}
			if got := p.asked[0].body; got != row.want {
				t.Errorf("sent %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestWhatTheAPIHasNoWordsFor(t *testing.T) {
	seed := int64(7)
	image := func(i providers.Image) func(*providers.Request) {
		return func(r *providers.Request) {
			r.Messages = append(r.Messages, providers.Message{Role: "user", Parts: []providers.Part{{Text: "x"}, {Image: &i}}})
		}
	}
	turn := func(m providers.Message) func(*providers.Request) {
		return func(r *providers.Request) { r.Messages = append(r.Messages, m) }
	}
	for name, row := range map[string]struct {
		set  func(*providers.Request)
		part string
	}{
		"stop texts":                      {func(r *providers.Request) { r.Stop = []string{"x"} }, "stop"},
		"a seed":                          {func(r *providers.Request) { r.Seed = &seed }, "seed"},
		"a schema that is none":           {func(r *providers.Request) { r.Schema = json.RawMessage(`{`) }, "schema"},
		"parameters that are none":        {func(r *providers.Request) { r.Tools = []providers.Tool{{Name: "f", Parameters: json.RawMessage(`{`)}} }, "tools[0].parameters"},
		"a choice nobody knows":           {func(r *providers.Request) { r.Tools, r.ToolChoice = []providers.Tool{{Name: "f"}}, "maybe" }, "tool_choice"},
		"a role nobody knows":             {turn(providers.Message{Role: "oracle"}), "messages[1].role"},
		"pieces of a system turn":         {turn(providers.Message{Role: "system", Parts: []providers.Part{{Text: "x"}}}), "messages[1].parts"},
		"a result of no call":             {turn(providers.Message{Role: "tool", Content: "x"}), "messages[1].tool_call_id"},
		"a call without an id":            {turn(providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{{Name: "f"}}}), "messages[1].tool_calls[0].id"},
		"a call by a user":                {turn(providers.Message{Role: "user", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "f"}}}), "messages[1].tool_calls"},
		"an image of another type":        {image(providers.Image{MediaType: "image/tiff", Data: "AAAA"}), "messages[1].parts[1].image"},
		"an image that isn't there":       {image(providers.Image{}), "messages[1].parts[1].image"},
		"an image in a detail of its own": {image(providers.Image{URL: "https://a.test", Detail: "ultra"}), "messages[1].parts[1].image"},
	} {
		r := request()
		row.set(&r)
		c, _ := newClient(t, "http://a.test")
		var u *providers.Unsupported
		if err := c.Takes(r); !errors.As(err, &u) || u.Part != row.part || u.Reason == "" || strings.HasSuffix(u.Reason, ".") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, _ := newClient(t, "http://a.test")
	if err := c.Takes(request()); err != nil {
		t.Errorf("a plain request: %v", err)
	}
}
