package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func withSchema(s string) providers.Request {
	r := plain()
	r.Schema = json.RawMessage(s)
	return r
}

func withTool(set func(*providers.Request)) providers.Request {
	r := plain()
	r.Tools = []providers.Tool{{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)}}
	set(&r)
	return r
}

func withCall(c contracts.ToolCall) providers.Request {
	r := plain()
	r.Messages = append(r.Messages, providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{c}},
		providers.Message{Role: "tool", ToolCallID: c.ID, Content: "r"})
	return r
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
		{"a seed", with(func(r *providers.Request) { r.Seed = ptr(int64(1)) }), "seed"},
		{"a temperature above 1", with(func(r *providers.Request) { r.Temperature = ptr(1.1) }), "temperature"},
		{"a negative temperature", with(func(r *providers.Request) { r.Temperature = ptr(-0.1) }), "temperature"},
		{"a top_p above 1", with(func(r *providers.Request) { r.TopP = ptr(1.1) }), "top_p"},
		{"a stop text of white space", with(func(r *providers.Request) { r.Stop = []string{"a", "\n"} }), "stop[1]"},
		{"an empty turn", with(func(r *providers.Request) { r.Messages[0].Content = "" }), "messages[0].content"},
		{"an empty system text", with(func(r *providers.Request) {
			r.Messages = append([]providers.Message{{Role: "system"}}, r.Messages...)
		}), "messages[0].content"},
		{"a system text in the middle", with(func(r *providers.Request) {
			r.Messages = append(r.Messages, providers.Message{Role: "system", Content: "s"})
		}), "messages[1]"},
		{"an empty part", with(func(r *providers.Request) {
			r.Messages[0] = providers.Message{Role: "user", Parts: []providers.Part{{}}}
		}), "messages[0].parts[0].text"},
		{"an image of another type", image(providers.Image{MediaType: "image/heic", Data: "AA"}), "messages[0].parts[1].image.media_type"},
		{"an image over plain http", image(providers.Image{URL: "http://a.test/a.png"}), "messages[0].parts[1].image.url"},
		{"an image in another detail", image(providers.Image{URL: "https://a.test/a.png", Detail: "low"}), "messages[0].parts[1].image.detail"},
		{"arguments that are no object", withCall(contracts.ToolCall{ID: "a", Name: "b", Arguments: "[1]"}), "messages[1].tool_calls[0].arguments"},
		{"arguments that are no JSON", withCall(contracts.ToolCall{ID: "a", Name: "b", Arguments: `{"a`}), "messages[1].tool_calls[0].arguments"},
		{"a call without an id", withCall(contracts.ToolCall{Name: "b", Arguments: "{}"}), "messages[1].tool_calls[0].id"},
		{"a tool's name with a dot", withTool(func(r *providers.Request) { r.Tools[0].Name = "a.b" }), "tools[0].name"},
		{"a tool without a schema", withTool(func(r *providers.Request) { r.Tools[0].Parameters = nil }), "tools[0].parameters"},
		{"an unknown choice", withTool(func(r *providers.Request) { r.ToolChoice = "maybe" }), "tool_choice"},
		{"a text that is not UTF-8", with(func(r *providers.Request) { r.Messages[0].Content = "\xff" }), "request"},
		{"a schema that is none", withSchema(`[]`), "schema"},
		{"a schema that is not closed", withSchema(`{"type":"object","properties":{"a":{"type":"object"}},"additionalProperties":false}`), "schema/properties/a"},
		{"a schema with typed additions", withSchema(`{"type":"object","additionalProperties":{"type":"string"}}`), "schema/additionalProperties"},
		{"a schema with a negation", withSchema(`{"not":{"type":"string"}}`), "schema/not"},
		{"a schema with a choice of exactly one", withSchema(`{"oneOf":[]}`), "schema/oneOf"},
		{"a schema with objects in an enum", withSchema(`{"enum":["[",{"a":1}]}`), "schema/enum"},
		{"a schema elsewhere", withSchema(`{"$ref":"https://a.test/s"}`), "schema/$ref"},
		{"a schema that holds itself", withSchema(`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`), "schema/$defs/"},
		{"a schema without end", withSchema(strings.Repeat(`{"items":`, 80) + `{}` + strings.Repeat(`}`, 80)), "schema"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if tc.part == "schema/$defs/" { // either of the two is right
				p := newClient(t, "http://a.test").Takes(tc.r)
				if p == nil || !strings.HasPrefix(p.Error(), tc.part) {
					t.Errorf("got %v", p)
				}
				return
			}
			adapter.Refuses(t, tc.r, tc.part)
		})
	}
}

func TestASchemaIsNarrowedWithoutLosingAWord(t *testing.T) {
	for in, want := range map[string]string{
		// What the API compiles stays, in its order.
		`{"additionalProperties":false,"type":"object","properties":{"z":{"type":"string","format":"date"},"a":{"type":["integer","null"]}},"required":["z"]}`: `{"additionalProperties":false,"type":"object","properties":{"z":{"type":"string","format":"date"},"a":{"type":["integer","null"]}},"required":["z"]}`,
		// A property may be named like a keyword.
		`{"type":"object","properties":{"minimum":{"type":"integer"},"not":{"const":1}},"additionalProperties":false}`: `{"type":"object","properties":{"minimum":{"type":"integer"},"not":{"const":1}},"additionalProperties":false}`,
		// Bounds move into the description, behind what stands there.
		`{"description":"How urgent.","minimum":1,"type":"integer","maximum":4}`: `{"description":"How urgent.\nIt must also satisfy the JSON Schema {\"minimum\":1,\"maximum\":4}","type":"integer"}`,
		`{"type":"array","items":{"type":"string","minLength":1},"minItems":2}`:  `{"type":"array","items":{"type":"string","description":"It must also satisfy the JSON Schema {\"minLength\":1}"},"description":"It must also satisfy the JSON Schema {\"minItems\":2}"}`,
		`{"minItems":1,"maxItems":3}`:                                            `{"minItems":1,"description":"It must also satisfy the JSON Schema {\"maxItems\":3}"}`,
		`{"format":"regex"}`:                                                     `{"description":"It must also satisfy the JSON Schema {\"format\":\"regex\"}"}`,
		`{"pattern":"^[A-Z]{3}$"}`:                                               `{"pattern":"^[A-Z]{3}$"}`,
		`{"pattern":"\\bA"}`:                                                     `{"description":"It must also satisfy the JSON Schema {\"pattern\":\"\\\\bA\"}"}`,
		`{"enum":["{","[",1,null,"\"["]}`:                                        `{"enum":["{","[",1,null,"\"["]}`,
		`{"$schema":"https://x","$comment":"c","type":"null"}`:                   `{"type":"null"}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"maxLength":3}}}`:                     `{"$ref":"#/$defs/a","$defs":{"a":{"description":"It must also satisfy the JSON Schema {\"maxLength\":3}"}}}`,
		`{"anyOf":[{"type":"string"},{"maximum":1}]}`:                            `{"anyOf":[{"type":"string"},{"description":"It must also satisfy the JSON Schema {\"maximum\":1}"}]}`,
	} {
		got, err := narrow([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s\ngot  %s, %v\nwant %s", in, got, err, want)
		}
	}
}

func TestTheChoiceOfTools(t *testing.T) {
	yes, no := true, false
	for _, tc := range []struct {
		choice, name string
		parallel     *bool
		want         string
	}{
		{"", "", nil, `{"type":"auto"}`},
		{contracts.ToolAuto, "x", &no, `{"type":"auto","disable_parallel_tool_use":true}`},
		{contracts.ToolRequired, "", &yes, `{"type":"any","disable_parallel_tool_use":false}`},
		{providers.ToolNamed, "look", nil, `{"type":"tool","name":"look"}`},
		{providers.ToolNone, "look", &no, `{"type":"none"}`},
	} {
		b, err := newClient(t, "http://a.test").body(withTool(func(r *providers.Request) {
			r.ToolChoice, r.ToolName, r.ParallelTools = tc.choice, tc.name, tc.parallel
		}))
		if want := `"tool_choice":` + tc.want; err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%q: %s, %v, want %s", tc.choice, b, err, want)
		}
	}
	if b, err := newClient(t, "http://a.test").body(with(func(r *providers.Request) { r.ToolChoice = contracts.ToolRequired })); err != nil || strings.Contains(string(b), "tool") {
		t.Errorf("a choice without tools: %s, %v", b, err)
	}
}

func TestReproduceHoldsTheBodyThatIsSent(t *testing.T) {
	r := with(func(r *providers.Request) { r.Messages[0].Content = "it's" })
	c := newClient(t, "http://a.test")
	b, err := c.body(r)
	if err != nil {
		t.Fatal(err)
	}
	quoted := "'" + strings.ReplaceAll(string(b), "'", `'\''`) + "'"
	if got := c.Reproduce(r); !strings.HasSuffix(got, quoted) || !strings.Contains(got, "'http://a.test/v1/messages'") || !strings.Contains(got, `"X-Api-Key: $API_KEY"`) {
		t.Error(got)
	}
	if got := c.Reproduce(with(func(r *providers.Request) { r.Seed = ptr(int64(1)) })); got != "" {
		t.Error(got)
	}
}

func FuzzNarrow(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"maxLength":3}},"additionalProperties":false}`))
	f.Add([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		got, err := narrow(schema)
		if err == nil && !json.Valid(got) {
			t.Error(fmt.Sprintf("%q became %q", schema, got))
		}
	})
}
