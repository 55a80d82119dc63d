package contracts

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
)

const toolHead = `name: tools
version: 1
effects: none
prompt: {user: "{{input.text}}"}
input_schema: '{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}'
`

const toolList = `tools:
  - name: get_weather
    description: The weather at a place.
    parameters: |
      {"type": "object", "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["c", "f"]}, "days": {"$ref": "#/$defs/d"}},
       "$defs": {"d": {"type": "integer", "minimum": 1}},
       "required": ["city"], "additionalProperties": false}
  - name: stop
    parameters: '{"type": "object", "properties": {}, "additionalProperties": false}'
`

func toolContract(t testing.TB, text string) *Contract {
	t.Helper()
	c, err := Load(fstest.MapFS{"t.yaml": {Data: []byte(text)}}, "t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestToolsAreRefusedWhere(t *testing.T) {
	for name, row := range map[string]struct{ old, new, id, says string }{
		"a name has a dot, which OpenAI refuses":        {"get_weather", "get.weather", FileFault, "other characters"},
		"two tools have one name":                       {"name: stop", "name: get_weather", FileFault, "twice"},
		"the parameters let undeclared arguments in":    {`"properties": {}, "additionalProperties": false`, `"properties": {}`, LintMeaning, "undeclared members"},
		"the parameters are not an object":              {`{"type": "object", "properties": {}, "additionalProperties": false}`, `{"type": "string"}`, LintSchema, "not an object"},
		"a keyword is misspelt":                         {`"minimum"`, `"minimun"`, LintMeaning, "no keyword"},
		"the parameters refer to a file":                {`"#/$defs/d"`, `"file:///etc/passwd"`, LintSchema, "another document"},
		"a field of a tool is unknown":                  {"description:", "descr:", FileFault, `no field "descr"`},
		"a tool has no parameters":                      {"    parameters: '{", "    x: '{", FileFault, `lacks the field "parameters"`},
		"the choice is a third word":                    {"tools:\n", "tool_choice: any\ntools:\n", FileFault, "neither auto nor required"},
		"an output schema stands beside them":           {"tools:\n", "output_schema: '{}'\ntools:\n", FileFault, "beside tools"},
		"open paths stand beside them":                  {"tools:\n", "open_paths: [\"\"]\ntools:\n", FileFault, "beside tools"},
		"a choice stands without them":                  {toolList, "tool_choice: auto\noutput_schema: '{\"type\":\"string\"}'\n", FileFault, "without tools"},
		"an assertion names a variable that is not one": {"tools:\n", "assertions: ['calls.size() > 0']\ntools:\n", LintAssertions, "undeclared reference"},
	} {
		_, err := Load(fstest.MapFS{"t.yaml": {Data: []byte(strings.Replace(toolHead+toolList, row.old, row.new, 1))}}, "t.yaml")
		found := false
		for _, f := range Findings(err) {
			found = found || f.ID == row.id && strings.Contains(f.Message, row.says) && f.Line > 0 && f.Fix != ""
		}
		if !found {
			t.Errorf("%s: %v; want %s %q", name, err, row.id, row.says)
		}
	}
}

// call is a call with arguments as text.
func call(name, arguments string) ToolCall {
	return ToolCall{ID: "c1", Name: name, Arguments: arguments}
}

func TestJudgeOfCalls(t *testing.T) {
	weather := func(arguments string) Completion {
		return Completion{ToolCalls: []ToolCall{call("get_weather", arguments)}}
	}
	for name, row := range map[string]struct {
		done   Completion
		output string
		class  Class
		code   string
		at     string
	}{
		"a call is the output, without white space": {done: weather("{ \"city\": \"Oslo\",\n \"days\": 2 }"), output: `{"calls":[{"name":"get_weather","arguments":{"city":"Oslo","days":2}}]}`},
		"parallel calls keep their order": {done: Completion{ToolCalls: []ToolCall{call("stop", "{}"), call("get_weather", `{"city":"é"}`)}},
			output: `{"calls":[{"name":"stop","arguments":{}},{"name":"get_weather","arguments":{"city":"é"}}]}`},
		"text beside a call is no part of the answer": {done: Completion{Content: "Let me see.", ToolCalls: []ToolCall{call("stop", "{}")}}, output: `{"calls":[{"name":"stop","arguments":{}}]}`},
		"no call is an empty list":                    {done: Completion{Content: "No tool can do that."}, output: `{"calls":[]}`},
		"a call left in the text is no answer":        {done: Completion{Content: `<tool_call>{"name": "stop", "arguments": {}}`}, class: BadResponse, code: CodeCallInText},
		"a tool that was not offered":                 {done: Completion{ToolCalls: []ToolCall{call("send_email_v2", "{}")}}, class: ContractViolation, code: CodeUnknownTool, at: "/calls/0/name"},
		"a tool's name in another case":               {done: Completion{ToolCalls: []ToolCall{call("Stop", "{}")}}, class: ContractViolation, code: CodeUnknownTool, at: "/calls/0/name"},
		"arguments as an object":                      {done: Completion{ToolCalls: []ToolCall{{Name: "stop", Arguments: "{}", Raw: true}}}, class: BadResponse, code: CodeArguments},
		"arguments encoded twice":                     {done: weather(`"{\"city\":\"Oslo\"}"`), class: BadResponse, code: CodeArguments},
		"arguments of two calls run together":         {done: weather(`{"city":"Oslo"}{"city":"Rome"}`), class: BadResponse, code: CodeArguments},
		"an argument twice":                           {done: weather(`{"city":"Oslo","city":"Rome"}`), class: BadResponse, code: CodeArguments},
		"arguments that are cut":                      {done: weather(`{"city":"Os`), class: BadResponse, code: CodeArguments},
		"no arguments at all":                         {done: weather(""), class: BadResponse, code: CodeArguments},
		"a list of arguments":                         {done: weather(`["Oslo"]`), class: BadResponse, code: CodeArguments},
		"a number bomb":                               {done: weather(`{"city":"x","days":1e20000000}`), class: BadResponse, code: CodeArguments},
		"an undeclared argument":                      {done: weather(`{"city":"Oslo","mood":"good"}`), class: ContractViolation, code: CodeSchema, at: "/calls/0/arguments/mood"},
		"a list as the text of a list":                {done: weather(`{"city":"[\"a\"]","days":"2"}`), class: ContractViolation, code: CodeSchema, at: "/calls/0/arguments/days"},
		"a value that is not listed":                  {done: weather(`{"city":"Oslo","unit":"C"}`), class: ContractViolation, code: CodeSchema, at: "/calls/0/arguments/unit"},
		"an argument that is missing":                 {done: weather(`{}`), class: ContractViolation, code: CodeSchema, at: "/calls/0/arguments"},
	} {
		c := toolContract(t, toolHead+toolList)
		output, f := c.Judge(row.done, json.RawMessage(`{"text":"x"}`))
		if row.code == "" {
			if f != nil || string(output) != row.output {
				t.Errorf("%s: %s, %v; want %s", name, output, f, row.output)
			}
			continue
		}
		if f == nil || output != nil || f.Class != row.class || f.Code != row.code || f.Effect != Ended {
			t.Errorf("%s: %s, %v; want %s %s", name, output, f, row.class, row.code)
			continue
		}
		if row.at != "" && (len(f.Violations) != 1 || f.Violations[0].Pointer != row.at) {
			t.Errorf("%s: %+v; want %s", name, f.Violations, row.at)
		}
		if strings.Contains(f.Detail, "Oslo") || strings.Contains(f.Detail, "email") {
			t.Errorf("%s: the detail holds the answer: %s", name, f.Detail)
		}
	}
}

func TestARequiredCallThatDoesNotComeBreaksTheContract(t *testing.T) {
	c := toolContract(t, toolHead+"tool_choice: required\n"+toolList)
	if _, f := c.Judge(Completion{Content: "No."}, json.RawMessage(`{"text":"x"}`)); f == nil || f.Class != ContractViolation || f.Code != CodeNoCall {
		t.Errorf("%v", f)
	}
	if _, f := c.CheckOutput(`{"calls":[]}`, nil); f == nil || f.Code != CodeSchema {
		t.Errorf("an operator's empty list: %v", f)
	}
}

func TestWithoutToolsCallsAreNoAnswer(t *testing.T) {
	_, f := sample(t, "ticket-triage").Judge(Completion{ToolCalls: []ToolCall{call("stop", "{}")}}, json.RawMessage(`{"text":"x"}`))
	if f == nil || f.Class != BadResponse {
		t.Errorf("%v", f)
	}
}

func TestTheOutputSchemaOfToolsSaysWhatJudgeAccepts(t *testing.T) {
	c := toolContract(t, toolHead+toolList)
	text := string(c.OutputSchema())
	if !json.Valid([]byte(text)) || strings.Count(text, `"const"`) != 2 || strings.Index(text, `"city"`) > strings.Index(text, `"unit"`) ||
		!strings.Contains(text, `{"$id":"inferonce:///tools/1/tools/get_weather",`) {
		t.Errorf("%s", text)
	}
}

func TestAssertionsSeeTheCalls(t *testing.T) {
	c := toolContract(t, toolHead+"assertions: [{name: one, cel: 'output.calls.size() <= 1'}]\n"+toolList)
	if _, f := c.Judge(Completion{ToolCalls: []ToolCall{call("stop", "{}"), call("stop", "{}")}}, json.RawMessage(`{"text":"x"}`)); f == nil || f.Code != CodeAssertion {
		t.Errorf("%v", f)
	}
}
