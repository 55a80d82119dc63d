package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Tool is a function that a contract offers to the model. The model says which
// calls it wants; making them is the caller's business, so a run with tools
// has no effects of its own.
type Tool struct {
	Name        string
	Description string
	parameters  *schema
}

// The tool choices.
const (
	ToolAuto     = "auto"     // the model may answer that no call fits
	ToolRequired = "required" // an answer without a call breaks the contract
)

// Parameters returns the bytes of the JSON Schema of the tool's arguments, with
// its properties in the author's order.
func (t Tool) Parameters() json.RawMessage { return bytes.Clone(t.parameters.raw) }

// tool finds a tool by its exact name; nil if the contract has none such.
func (c *Contract) tool(name string) *Tool {
	for i := range c.Tools {
		if c.Tools[i].Name == name {
			return &c.Tools[i]
		}
	}
	return nil
}

// maxCalls bounds how many calls one answer may ask for.
const maxCalls = 64

// callsFrame is the schema of {"calls": [{"name": …, "arguments": {…}}]}, with
// item as the schema of one call.
func callsFrame(choice, item string) string {
	least := 0
	if choice == ToolRequired {
		least = 1
	}
	return fmt.Sprintf(`{"type":"object","properties":{"calls":{"type":"array","minItems":%d,"maxItems":%d,"items":%s}},`+
		`"required":["calls"],"additionalProperties":false}`, least, maxCalls, item)
}

const callFrame = `{"type":"object","properties":{"name":%s,"arguments":%s},"required":["name","arguments"],"additionalProperties":false}`

// callsSchema is what checks an answer in calls before each call's arguments
// are held against their own tool: apart from each other, so that a violation
// can name the argument and not only that no alternative fits.
func callsSchema(tools []Tool, choice string) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	list, _ := json.Marshal(names) // strings always encode
	return callsFrame(choice, fmt.Sprintf(callFrame, `{"type":"string","enum":`+string(list)+`}`, `{"type":"object"}`))
}

// shownCalls is the whole schema of an answer in calls, for those who read it.
// Each tool's parameters keep a base of their own: their references mean
// themselves (JSON Schema 2020-12, 8.2.1).
func shownCalls(base string, tools []Tool, choice string) json.RawMessage {
	var items bytes.Buffer
	for i, t := range tools {
		writeComma(&items, i)
		parameters := t.parameters.raw
		if bytes.Contains(parameters, []byte(`"$ref"`)) {
			id := quoteJSON(base + "/" + t.Name)
			parameters = append(append([]byte(`{"$id":`), id...), append([]byte(","), parameters[1:]...)...)
		}
		fmt.Fprintf(&items, callFrame, `{"const":`+string(quoteJSON(t.Name))+`}`, parameters)
	}
	return json.RawMessage(callsFrame(choice, `{"anyOf":[`+items.String()+`]}`))
}

// validateOutput checks an answer's value against the output schema, and its
// calls against their tools'.
func (c *Contract) validateOutput(raw []byte) []Violation {
	if broken := c.output.validate(raw); len(broken) > 0 || len(c.Tools) == 0 {
		return broken
	}
	v, _ := decodeJSON(raw) // validate has read it
	return c.validateArguments(v)
}

// validateOutputValue is validateOutput of a value that was read before.
func (c *Contract) validateOutputValue(v any) []Violation {
	if broken := c.output.validateValue(v); len(broken) > 0 || len(c.Tools) == 0 {
		return broken
	}
	return c.validateArguments(v)
}

// validateArguments checks the calls of an answer that has the frame's form.
func (c *Contract) validateArguments(v any) []Violation {
	var broken []Violation
	for i, call := range callsIn(v) {
		for _, v := range c.tool(call.name).parameters.validateValue(call.arguments) {
			v.Pointer = clipPointer(fmt.Sprintf("/calls/%d/arguments%s", i, v.Pointer))
			broken = append(broken, v)
		}
	}
	return broken[:min(len(broken), maxViolations)]
}

// callIn is one call of an answer that has the frame's form.
type callIn struct {
	name      string
	arguments map[string]any
}

func callsIn(v any) []callIn {
	output, _ := v.(map[string]any)
	list, _ := output["calls"].([]any)
	calls := make([]callIn, len(list)) // what has another form names no tool
	for i, item := range list {
		call, _ := item.(map[string]any)
		calls[i].name, _ = call["name"].(string)
		calls[i].arguments, _ = call["arguments"].(map[string]any)
	}
	return calls
}
