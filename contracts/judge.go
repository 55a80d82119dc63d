package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The codes of a Failure from Judge for a contract with tools, beside those of
// CheckOutput.
const (
	CodeUnknownTool = "unknown_tool" // calls a tool that was not offered
	CodeArguments   = "arguments"    // a call's arguments are not text that is exactly one JSON object
	CodeNoCall      = "no_call"      // a call was required and none came
	CodeCallInText  = "call_in_text" // a call stands in the text, where nobody makes it
)

// Judge decides what a live answer is worth to the contract (R26). It is the
// one judgement of an answer: routing and conformance both use it.
//
// Without tools it is CheckOutput of the content. With tools the output is
// {"calls":[{"name":…,"arguments":{…}}]} without white space, the calls in the
// provider's order and the arguments' members in the model's; no call at all is
// an empty list, and the text beside calls is not part of the answer. Nothing
// is repaired: arguments that came as an object, were encoded twice or name a
// member twice are failures of class bad_response.
//
// A chat's output is {"content":…,"calls":[{"id":…,"name":…,"arguments":{…}}]},
// each member where the answer has it. The content is text, and where the request
// asks for JSON the value itself, held against the request's own schema; calls are
// held against the request's tools.
func (c *Contract) Judge(done Completion, input json.RawMessage) (json.RawMessage, *Failure) {
	if len(c.Tools) == 0 && !c.Chat {
		return c.CheckOutput(done.Content, input)
	}
	output, failure := c.Read(done, input)
	if failure != nil {
		return nil, failure
	}
	return c.CheckOutput(string(output), input)
}

// Read is the first step of Judge: it returns what the answer says, if that can
// be read, whether or not the contract allows it. For a contract without tools
// it is ParseOutput.
func (c *Contract) Read(done Completion, input json.RawMessage) (json.RawMessage, *Failure) {
	switch {
	case c.Chat:
		return c.readAnswer(done, input)
	case len(c.Tools) == 0:
		return ParseOutput(done.Content)
	}
	return c.callsOf(done)
}

// callsOf writes the calls of an answer in the form of the contract's output.
func (c *Contract) callsOf(done Completion) (json.RawMessage, *Failure) {
	if len(done.ToolCalls) == 0 {
		return c.noCall(done.Content)
	}
	if len(done.ToolCalls) > maxCalls {
		return nil, badOutput(CodeArguments, fmt.Sprintf("the answer asks for more than %d calls", maxCalls))
	}
	var out bytes.Buffer
	out.WriteString(`{"calls":[`)
	for i, call := range done.ToolCalls {
		if c.tool(call.Name) == nil {
			return nil, violated(CodeUnknownTool, []Violation{{fmt.Sprintf("/calls/%d/name", i), "name", "is none of the contract's tools"}})
		}
		if fault := argumentsFault(call); fault != "" {
			return nil, badOutput(CodeArguments, fmt.Sprintf("the arguments of call %d %s", i+1, fault))
		}
		writeComma(&out, i)
		fmt.Fprintf(&out, `{"name":%s,"arguments":`, quoteJSON(call.Name))
		_ = json.Compact(&out, []byte(call.Arguments)) // argumentsFault has read it
		out.WriteByte('}')
	}
	out.WriteString("]}")
	return out.Bytes(), nil
}

// noCall judges an answer in words. Text in which a tool's name stands in
// quotes is a call that the server failed to recognise, and not a "no".
func (c *Contract) noCall(content string) (json.RawMessage, *Failure) {
	for _, t := range c.Tools {
		if strings.Contains(content, `"`+t.Name+`"`) {
			return nil, badOutput(CodeCallInText, "the answer writes a call as text")
		}
	}
	if c.ToolChoice == ToolRequired {
		return nil, violated(CodeNoCall, []Violation{{"/calls", "minItems", "must have at least 1 items"}})
	}
	return json.RawMessage(`{"calls":[]}`), nil
}

// argumentsFault says why arguments are not text that decodes, once, to one
// JSON object; "" if they are.
func argumentsFault(call ToolCall) string {
	if call.Raw {
		return "came as JSON, not as text that holds it"
	}
	text := strings.Trim(call.Arguments, jsonSpace)
	end, err := scan([]byte(call.Arguments), boundedNumber)
	switch {
	case text == "":
		return "are empty; a call without arguments has {}"
	case err != nil:
		return err.Message
	case strings.Trim(call.Arguments[end:], jsonSpace) != "":
		return "go on after their JSON value"
	case text[0] == '"':
		return "are text within text: they were encoded twice"
	case text[0] != '{':
		return "are not an object"
	}
	return ""
}
