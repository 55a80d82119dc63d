package contracts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func chatContract(t testing.TB, more string) *Contract {
	t.Helper()
	text := "name: talk\nversion: 1\nchat: true\neffects: none\nsampling: {max_tokens: 100, max_temperature: 1}\n" + more
	c, err := Load(fstest.MapFS{"talk.yaml": {Data: []byte(text)}}, "talk.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	hello   = `"messages":[{"role":"user","content":"hi"}]`
	payTool = `"tools":[{"type":"function","function":{"name":"pay","parameters":{"type":"object","properties":{"cents":{"type":"integer"}},"required":["cents"]}}},` +
		`{"type":"function","function":{"name":"balance"}}]`
	orderFormat = `"response_format":{"type":"json_schema","json_schema":{"name":"order","schema":{"type":"object","properties":{"id":{"type":"string"},"at":{"type":"null"}},"required":["id"],"additionalProperties":false}}}`
)

func TestAChatRequestIsRefusedWhereItsFaultIs(t *testing.T) {
	c := chatContract(t, "")
	schema := func(s string) string {
		return `{` + hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":` + s + `}}}`
	}
	turns := func(all ...string) string { return `{"messages":[` + strings.Join(all, ",") + `]}` }
	user, call := `{"role":"user","content":"hi"}`, `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"pay","arguments":"{}"}}]}`
	result := `{"role":"tool","tool_call_id":"a","content":"done"}`
	image := func(url string) string {
		return turns(`{"role":"user","content":[{"type":"text","text":"what is it?"},{"type":"image_url","image_url":{"url":"` + url + `"}}]}`)
	}
	for _, row := range []struct{ name, input, pointer string }{
		{"one turn", `{` + hello + `}`, "-"},
		{"what a client sends back of our own answer", turns(user, `{"role":"assistant","content":"yes","refusal":null,"annotations":[]}`, user), "-"},
		{"a call and its result", turns(user, call, result), "-"},
		{"text in pieces", turns(`{"role":"system","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, user), "-"},
		{"an image by address", image("https://example.com/a.png"), "-"},
		{"an image as data", image("data:image/png;base64,aGk="), "-"},
		{"a schema as zod writes it", schema(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"string"}}}`), "-"},
		{"no turn", `{"messages":[]}`, "/messages"},
		{"a role that is not there", turns(`{"role":"robot","content":"hi"}`), "/messages/0/role"},
		{"nothing said", turns(`{"role":"user","content":null}`), "/messages/0/content"},
		{"a name, which not every API carries", turns(`{"role":"user","content":"hi","name":"ada"}`), "/messages/0/name"},
		{"a result of no call", turns(user, result), "/messages/1/tool_call_id"},
		{"a call without its result", turns(user, call, user), "/messages/2"},
		{"a call without its result at the end", turns(user, call), "/messages/1"},
		{"the same result twice", turns(user, call, result, result), "/messages/3/tool_call_id"},
		{"calls of a user", turns(`{"role":"user","content":"x","tool_calls":[{"id":"a","function":{"name":"pay","arguments":"{}"}}]}`), "/messages/0/tool_calls"},
		{"arguments that are no JSON", turns(user, strings.Replace(call, `"{}"`, `"cents"`, 1), result), "/messages/1/tool_calls/0/function/arguments"},
		{"sound", turns(`{"role":"user","content":[{"type":"input_audio"}]}`), "/messages/0/content/0/type"},
		{"an image of a system", turns(`{"role":"system","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}`), "/messages/0/content/0"},
		{"a file as an image", image("file:///etc/passwd"), "/messages/0/content/1/image_url/url"},
		{"a password in an address", image("https://u:p@example.com/a.png"), "/messages/0/content/1/image_url/url"},
		{"data of another kind", image("data:text/html;base64,aGk="), "/messages/0/content/1/image_url/url"},
		{"data that is not base64", image("data:image/png;base64,%%%"), "/messages/0/content/1/image_url/url"},
		{"a schema that reads a file", schema(`{"$ref":"file:///etc/passwd"}`), "/response_format/json_schema/schema"},
		{"a schema with a word that nobody checks", schema(`{"type":"string","nullable":true}`), "/response_format/json_schema/schema"},
		{"a schema with a number bomb", schema(`{"maximum":1e20000000}`), ""},
		{"a schema of 64 KiB and more", schema(`{"description":"` + strings.Repeat("x", maxAskedSchema) + `"}`), "/response_format/json_schema/schema"},
		{"a schema with more patterns than anybody needs", schema(`{"anyOf":[` + strings.Repeat(`{"pattern":"a"},`, maxAskedPatterns) + `{"pattern":"a"}]}`), "/response_format/json_schema/schema"},
		{"a format without its schema", `{` + hello + `,"response_format":{"type":"json_schema"}}`, "/response_format/json_schema"},
		{"a schema that is not asked for", `{` + hello + `,"response_format":{"type":"text","json_schema":{"name":"x","schema":{}}}}`, "/response_format/json_schema"},
		{"a tool twice", `{` + hello + `,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]}`, "/tools/1/function/name"},
		{"a choice without tools", `{` + hello + `,"tool_choice":"required"}`, "/tool_choice"},
		{"a choice of another tool", `{` + hello + `,` + payTool + `,"tool_choice":{"type":"function","function":{"name":"sell"}}}`, "/tool_choice/function/name"},
		{"a choice that is no choice", `{` + hello + `,` + payTool + `,"tool_choice":"maybe"}`, "/tool_choice"},
		{"more tokens than the contract gives", `{` + hello + `,"max_tokens":101}`, "/max_tokens"},
		{"two bounds that differ", `{` + hello + `,"max_tokens":10,"max_completion_tokens":20}`, "/max_tokens"},
		{"warmer than the contract lets it", `{` + hello + `,"temperature":1.5}`, "/temperature"},
		{"a seed that is no integer", `{` + hello + `,"seed":1.5}`, "/seed"},
		{"five stop words", `{` + hello + `,"stop":["a","b","c","d","e"]}`, "/stop"},
		{"an unknown member", `{` + hello + `,"stream":true}`, "/stream"},
	} {
		broken := c.CheckInput(json.RawMessage(row.input))
		switch {
		case row.pointer == "-" && len(broken) > 0:
			t.Errorf("%s: %v", row.name, broken)
		case row.pointer != "-" && (len(broken) == 0 || !slices.ContainsFunc(broken, func(v Violation) bool { return v.Pointer == row.pointer || row.pointer == "" })):
			t.Errorf("%s: %v, want one at %s", row.name, broken, row.pointer)
		}
	}
}

func TestAChatsAnswerIsHeldAgainstItsRequest(t *testing.T) {
	c := chatContract(t, "assertions: [{name: polite, cel: '!has(output.content) || output.content != \"rude\"'}]\n")
	text := func(s string) Completion { return Completion{Content: s, FinishReason: "stop"} }
	calls := func(pairs ...string) Completion {
		var d Completion
		for i := 0; i < len(pairs); i += 2 {
			d.ToolCalls = append(d.ToolCalls, ToolCall{ID: fmt.Sprint("c", i/2), Name: pairs[i], Arguments: pairs[i+1]})
		}
		return d
	}
	free, tools, order := `{`+hello+`}`, `{`+hello+`,`+payTool, `{`+hello+`,`+orderFormat
	for _, row := range []struct {
		name, input string
		done        Completion
		code, out   string
	}{
		{"text", free, text("hello <b>"), "", `{"content":"hello <b>"}`},
		{"text that looks like JSON stays text", free, text(`{"id":1}`), "", `{"content":"{\"id\":1}"}`},
		{"nothing", free, text(" "), CodeEmpty, ""},
		{"a call that nobody offered", free, calls("pay", `{}`), CodeUnknownTool, ""},
		{"an assertion of the contract", free, text("rude"), CodeAssertion, ""},
		{"a call", tools + `}`, calls("pay", `{ "cents": 5 }`), "", `{"calls":[{"id":"c0","name":"pay","arguments":{"cents":5}}]}`},
		{"words beside a call", tools + `}`, Completion{Content: "Paying.", ToolCalls: calls("balance", "{}").ToolCalls}, "", `{"content":"Paying.","calls":[{"id":"c0","name":"balance","arguments":{}}]}`},
		{"words instead of a call", tools + `}`, text(`I could use "pay".`), "", `{"content":"I could use \"pay\"."}`},
		{"a call in the text", tools + `}`, text(`{"name":"pay","arguments":{"cents":5}}`), CodeCallInText, ""},
		{"another tool", tools + `}`, calls("sell", `{}`), CodeUnknownTool, ""},
		{"a wrong argument", tools + `}`, calls("pay", `{"cents":"5"}`), CodeSchema, ""},
		{"arguments that are no object", tools + `}`, calls("pay", `[]`), CodeArguments, ""},
		{"no call where one is required", tools + `,"tool_choice":"required"}`, text("no"), CodeNoCall, ""},
		{"a call where none may be", tools + `,"tool_choice":"none"}`, calls("balance", "{}"), CodeToolChoice, ""},
		{"another call than the one that is named", tools + `,"tool_choice":{"type":"function","function":{"name":"pay"}}}`, calls("balance", "{}"), CodeUnknownTool, ""},
		{"two calls where one may be", tools + `,"parallel_tool_calls":false}`, calls("balance", "{}", "balance", "{}"), CodeToolChoice, ""},
		{"what the schema asks", order + `}`, text(` {"id": "7"} `), "", `{"content":{"id":"7"}}`},
		{"what the schema forbids", order + `}`, text(`{"id":"7","sum":1}`), CodeSchema, ""},
		{"prose where JSON was asked", order + `}`, text("It is 7."), CodeNotJSON, ""},
		{"a fence", order + `}`, text("```json\n{\"id\":\"7\"}\n```"), CodeFence, ""},
		{"two values", order + `}`, text(`{"id":"7"}{"id":"8"}`), ReasonTrailing, ""},
		{"any object", `{` + hello + `,"response_format":{"type":"json_object"}}`, text(`{"a":1}`), "", `{"content":{"a":1}}`},
		{"a list where an object was asked", `{` + hello + `,"response_format":{"type":"json_object"}}`, text(`[1]`), CodeSchema, ""},
	} {
		out, f := c.Judge(row.done, json.RawMessage(row.input))
		switch {
		case row.code == "" && (f != nil || string(out) != row.out):
			t.Errorf("%s: %s %+v, want %s", row.name, out, f, row.out)
		case row.code != "" && (f == nil || f.Code != row.code || f.Effect != Ended):
			t.Errorf("%s: %s %+v, want %s", row.name, out, f, row.code)
		}
	}
}

// Ten lines of schema that double a validator's work at each level of the value.
func TestASchemaThatWouldTakeForEverIsStopped(t *testing.T) {
	c := chatContract(t, "")
	bomb := `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}}}}}`
	input := json.RawMessage(`{` + hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":` + bomb + `}}}`)
	if broken := c.CheckInput(input); len(broken) > 0 {
		t.Fatal(broken)
	}
	nested := func(n int) string { return strings.Repeat(`{"x":`, n) + `{}` + strings.Repeat(`}`, n) }
	if _, f := c.Judge(Completion{Content: nested(3)}, input); f != nil {
		t.Errorf("three levels: %+v", f)
	}
	many := strings.Replace(string(input), bomb, `{"patternProperties":{"^x":{"type":"integer"}}}`, 1)
	var members []string
	for i := range 3000 {
		members = append(members, fmt.Sprintf(`"x%d":%d`, i, i))
	}
	if _, f := c.Judge(Completion{Content: "{" + strings.Join(members[:100], ",") + "}"}, json.RawMessage(many)); f != nil {
		t.Errorf("a hundred members: %+v", f)
	}
	if _, f := c.Judge(Completion{Content: "{" + strings.Join(members, ",") + "}"}, json.RawMessage(many)); f == nil || f.Violations[0].Rule != ruleTooCostly {
		t.Errorf("three thousand members and a pattern: %+v", f)
	}
	_, f := c.Judge(Completion{Content: nested(50)}, input)
	if f == nil || len(f.Violations) != 1 || f.Violations[0].Rule != ruleTooCostly {
		t.Errorf("fifty levels: %+v", f)
	}
}

func TestCompiledSchemasAreBoundedInNumber(t *testing.T) {
	var k schemaCache
	for i := range 3 * maxAskedKept {
		if s, fault := k.get(fmt.Appendf(nil, `{"const":%d}`, i)); s == nil || fault != nil {
			t.Fatal(fault)
		}
		if len(k.m) > maxAskedKept {
			t.Fatalf("%d are kept", len(k.m))
		}
	}
	raw := []byte(`{"type":"object","properties":{"zeta":{},"alpha":{}}}`)
	if s, _ := k.get(raw); string(s.raw) != string(raw) {
		t.Errorf("the provider would get %s", s.raw)
	}
}

func TestAFormatsDescriptionTravelsInItsSchema(t *testing.T) {
	c := chatContract(t, "")
	for schema, want := range map[string]string{
		`{}`:                       `{"description":"an \"order\""}`,
		`{"type":"object"}`:        `{"description":"an \"order\"","type":"object"}`,
		`{"description":"my own"}`: "",
	} {
		q, broken := c.ReadChat(json.RawMessage(`{` + hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","description":"an \"order\"","schema":` + schema + `}}}`))
		if want == "" && len(broken) == 1 && broken[0].Pointer == "/response_format/json_schema/description" {
			continue
		}
		if len(broken) > 0 || string(q.Format.Schema()) != want {
			t.Errorf("%s: %v, want %s", schema, broken, want)
		}
	}
}

func TestAChatContractSaysWhatItsCasesProve(t *testing.T) {
	c := chatContract(t, "cases:\n  - {id: a, input: {messages: [{role: user, content: hi}], tools: [{type: function, function: {name: pay}}]}, calls: []}\n")
	for _, row := range []struct {
		input string
		want  []string
	}{
		{`{` + hello + `}`, nil},
		{`{` + hello + `,` + payTool + `}`, nil},
		{`{` + hello + `,` + orderFormat + `}`, []string{NeedsSchema}},
		{`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}],"response_format":{"type":"json_object"}}`, []string{NeedsImages, NeedsJSONObject}},
	} {
		if got := c.Unproved(json.RawMessage(row.input)); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.input, got, row.want)
		}
	}
}

func TestAChatContractBringsNoPromptAndNoSchema(t *testing.T) {
	for _, field := range []string{"prompt: {user: x}", "input_schema: '{}'", "output_schema: '{}'", "identity: [a]", "tools: []", "tool_choice: auto"} {
		text := "name: talk\nversion: 1\nchat: true\neffects: none\n" + field + "\n"
		_, err := Load(fstest.MapFS{"talk.yaml": {Data: []byte(text)}}, "talk.yaml")
		name, _, _ := strings.Cut(field, ":")
		if err == nil || !strings.Contains(err.Error(), name+" stands beside chat") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestCasesOfAChatThatCanNeverHoldAreFound(t *testing.T) {
	request := `{messages: [{role: user, content: hi}], tools: [{type: function, function: {name: pay, parameters: {type: object, properties: {cents: {type: integer}}, additionalProperties: false}}}]}`
	for calls, want := range map[string]string{
		"[{name: pay, arguments: {cents: [5]}}]":    "",
		"[{name: sell, arguments: {cents: [5]}}]":   "does not offer",
		"[{name: pay, arguments: {cents: [five]}}]": "must be of type",
	} {
		c := chatContract(t, "cases:\n  - {id: a, input: "+request+", calls: "+calls+"}\n")
		var found []string
		for _, f := range Lint(c) {
			found = append(found, f.Message)
		}
		if text := strings.Join(found, "\n"); want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", calls, text, want)
		}
	}
}
