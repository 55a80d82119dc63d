package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The codes of a Failure from Judge for a chat, beside those of CheckOutput and
// of contracts with tools.
const (
	CodeEmpty      = "empty"       // neither text nor a call
	CodeToolChoice = "tool_choice" // calls that the request's tool_choice or parallel_tool_calls rules out
)

// readAnswer writes a chat's answer in the form of chatOutput.
func (c *Contract) readAnswer(done Completion, input json.RawMessage) (json.RawMessage, *Failure) {
	q, broken := c.ReadChat(input)
	if len(broken) > 0 {
		return nil, violated(CodeSchema, broken) // it was accepted, so this can't be
	}
	var members []string
	switch {
	case strings.Trim(done.Content, jsonSpace) == "" && len(done.ToolCalls) == 0:
		return nil, badOutput(CodeEmpty, "the answer has neither text nor a call")
	case q.Format.JSON && len(done.ToolCalls) == 0:
		value, failure := ParseOutput(done.Content)
		if failure != nil {
			return nil, failure
		}
		members = append(members, `"content":`+string(value))
	case done.Content != "":
		members = append(members, `"content":`+string(quoteJSON(done.Content)))
	}
	if len(done.ToolCalls) > 0 {
		calls, failure := readCalls(done.ToolCalls)
		if failure != nil {
			return nil, failure
		}
		members = append(members, `"calls":`+calls)
	}
	var out bytes.Buffer
	_ = json.Compact(&out, []byte("{"+strings.Join(members, ",")+"}")) // every part has been read
	return out.Bytes(), q.callInText(done)
}

func readCalls(calls []ToolCall) (string, *Failure) {
	if len(calls) > maxCalls {
		return "", badOutput(CodeArguments, fmt.Sprintf("the answer asks for more than %d calls", maxCalls))
	}
	var out bytes.Buffer
	for i, call := range calls {
		if fault := argumentsFault(call); fault != "" {
			return "", badOutput(CodeArguments, fmt.Sprintf("the arguments of call %d %s", i+1, fault))
		}
		writeComma(&out, i)
		fmt.Fprintf(&out, `{"id":%s,"name":%s,"arguments":%s}`, quoteJSON(call.ID), quoteJSON(call.Name), call.Arguments)
	}
	return "[" + out.String() + "]", nil
}

// callInText finds a call that the server failed to recognise: the whole text is
// one JSON object that names an offered tool and gives it arguments. Prose may
// name a tool.
func (q *Chat) callInText(done Completion) *Failure {
	if len(done.ToolCalls) > 0 || len(q.Tools) == 0 || q.Format.JSON {
		return nil
	}
	raw, failure := ParseOutput(done.Content)
	if failure != nil {
		return nil
	}
	v, _ := decodeJSON(raw)
	m, _ := v.(map[string]any)
	name, _ := m["name"].(string)
	if q.tool(name) != nil && (has(m, "arguments") || has(m, "parameters")) {
		return badOutput(CodeCallInText, "the answer writes a call as text")
	}
	return nil
}

// checkAnswer holds an answer in the form of chatOutput against its request.
func (c *Contract) checkAnswer(value any, input json.RawMessage) *Failure {
	q, broken := c.ReadChat(input)
	if len(broken) > 0 {
		return violated(CodeSchema, broken)
	}
	output, _ := value.(map[string]any)
	calls := callsIn(value)
	if failure := q.checkCalls(calls); failure != nil || len(calls) > 0 {
		return failure
	}
	content, there := output["content"]
	text, isText := content.(string)
	switch {
	case q.Format.JSON && there:
		broken = q.Format.check(content)
	case !isText || strings.Trim(text, jsonSpace) == "":
		broken = []Violation{{"/content", "required", "must be text"}}
	}
	if len(broken) > 0 {
		return violated(CodeSchema, broken)
	}
	return nil
}

func (f ChatFormat) check(content any) []Violation {
	if f.schema == nil {
		if _, ok := content.(map[string]any); !ok {
			return []Violation{{"/content", "type", "must be of type \"object\", not " + typeName(content)}}
		}
		return nil
	}
	broken := f.schema.validateAsked(content)
	for i := range broken {
		broken[i].Pointer = clipPointer("/content" + broken[i].Pointer)
	}
	return broken
}

func (q *Chat) checkCalls(calls []callIn) *Failure {
	switch {
	case len(calls) == 0 && (q.ToolChoice == ToolRequired || q.ToolChoice == ChatToolNamed):
		return violated(CodeNoCall, []Violation{{"/calls", "minItems", "must have at least 1 items"}})
	case len(calls) > 0 && q.ToolChoice == ChatToolNone:
		return violated(CodeToolChoice, []Violation{{"/calls", "tool_choice", "must not be there"}})
	case len(calls) > 1 && q.Parallel != nil && !*q.Parallel:
		return violated(CodeToolChoice, []Violation{{"/calls", "parallel_tool_calls", "must have at most 1 items"}})
	}
	var broken []Violation
	for i, call := range calls {
		t := q.tool(call.name)
		if t == nil || q.ToolChoice == ChatToolNamed && call.name != q.ToolName {
			return violated(CodeUnknownTool, []Violation{{fmt.Sprintf("/calls/%d/name", i), "name", "is none of the tools that the request lets be called"}})
		}
		for _, v := range t.parameters.validateAsked(call.arguments) {
			v.Pointer = clipPointer(fmt.Sprintf("/calls/%d/arguments%s", i, v.Pointer))
			broken = append(broken, v)
		}
	}
	if len(broken) > 0 {
		return violated(CodeSchema, broken[:min(len(broken), maxViolations)])
	}
	return nil
}

// ChatAnswer is an answer as clients of chat completions read it.
type ChatAnswer struct {
	Content *string    // nil where there are only calls
	Calls   []ToolCall // each with an id of its own
}

// ReadChatAnswer puts an output of a chat contract into those words; input is
// what it answers. The same output always gives the same bytes, however its JSON
// was escaped on the way.
func ReadChatAnswer(output, input json.RawMessage) (ChatAnswer, error) {
	var out struct {
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"calls"`
	}
	var asked chatWire
	if json.Unmarshal(output, &out) != nil || json.Unmarshal(input, &asked) != nil {
		return ChatAnswer{}, errors.New("the output is no answer to a chat request")
	}
	var a ChatAnswer
	if len(out.Content) > 0 {
		text := plainJSON(out.Content)
		if asked.Format.Type == "" || asked.Format.Type == "text" || len(out.Calls) > 0 {
			_ = json.Unmarshal(out.Content, &text) // what is no text stays JSON
		}
		a.Content = &text
	}
	seen := map[string]bool{}
	for i, call := range out.Calls {
		if call.ID == "" || seen[call.ID] {
			call.ID = fmt.Sprintf("call_%d", i+1)
		}
		seen[call.ID] = true
		a.Calls = append(a.Calls, ToolCall{ID: call.ID, Name: call.Name, Arguments: plainJSON(call.Arguments)})
	}
	return a, nil
}

// plainJSON writes a value without white space and with no escape that JSON does
// not ask for, its members in their own order.
func plainJSON(raw json.RawMessage) string {
	v := jsontext.Value(bytes.Clone(raw))
	if v.Compact(jsontext.PreserveRawStrings(false)) != nil {
		return string(raw)
	}
	return string(v)
}
