package anthropic

import (
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers"
)

// toolName is what the API takes as a name.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

// offer adds the tools. strict is left out: it takes a part of JSON Schema only,
// and what it would enforce is checked here anyway.
func (q *request) offer(r providers.Request) error {
	for i, t := range r.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		schema := jsontext.Value(t.Parameters)
		switch {
		case !toolName.MatchString(t.Name):
			return no(at+".name", "this API takes up to 128 letters, digits, _ and -")
		case !schema.IsValid() || schema.Kind() != '{':
			return no(at+".parameters", "this API takes a JSON Schema that is an object")
		}
		q.Tools = append(q.Tools, tool{t.Name, t.Description, schema})
	}
	if len(r.Tools) > 0 {
		return q.choose(r)
	}
	return nil
}

// choose says which tools must be called. The switch for parallel calls is part
// of the choice, and means nothing where none may be called.
func (q *request) choose(r providers.Request) error {
	c := toolChoice{Name: r.ToolName}
	if r.ParallelTools != nil {
		one := !*r.ParallelTools
		c.DisableParallel = &one
	}
	switch r.ToolChoice {
	case "", contracts.ToolAuto:
		c.Type, c.Name = "auto", ""
	case contracts.ToolRequired:
		c.Type, c.Name = "any", ""
	case providers.ToolNamed:
		c.Type = "tool"
	case providers.ToolNone:
		c = toolChoice{Type: "none"}
	default:
		return no("tool_choice", "this API knows no such choice")
	}
	q.ToolChoice = &c
	return nil
}
