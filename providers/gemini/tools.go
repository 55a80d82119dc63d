package gemini

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers"
)

type tool struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parametersJsonSchema"`
}

type toolConfig struct {
	Calling calling `json:"functionCallingConfig"`
}

type calling struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames,omitzero"`
}

// offer adds the tools. There is no switch for parallel calls
// (ai.google.dev/gemini-api/docs/function-calling).
func (q *request) offer(r providers.Request) error {
	if len(r.Tools) == 0 {
		return nil
	}
	if r.ParallelTools != nil && !*r.ParallelTools {
		return no("parallel_tools", "this API can't forbid several calls in one answer")
	}
	var all []function
	for i, t := range r.Tools {
		at, schema := fmt.Sprintf("tools[%d]", i), jsontext.Value(t.Parameters)
		switch {
		case !validName(t.Name):
			return no(at+".name", "this API takes a letter or _ and then up to 63 letters, digits, _, ., : and -")
		case !schema.IsValid() || schema.Kind() != '{':
			return no(at+".parameters", "this API takes a JSON Schema that is an object")
		}
		all = append(all, function{t.Name, t.Description, schema})
	}
	q.Tools = []tool{{all}}
	return q.choose(r)
}

func (q *request) choose(r providers.Request) error {
	c := calling{}
	switch r.ToolChoice {
	case "", contracts.ToolAuto:
		c.Mode = "AUTO"
	case contracts.ToolRequired:
		c.Mode = "ANY"
	case providers.ToolNamed:
		c = calling{"ANY", []string{r.ToolName}}
	case providers.ToolNone:
		c.Mode = "NONE"
	default:
		return no("tool_choice", "this API knows no such choice")
	}
	q.ToolConfig = &toolConfig{c}
	return nil
}

// validName keeps to FunctionDeclaration.name (ai.google.dev/api/caching#FunctionDeclaration).
func validName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789.:-", r)) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// callsBefore counts the calls of earlier turns, so that the names that we give
// to new ones occur once in a conversation.
func callsBefore(r providers.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m.ToolCalls)
	}
	return n
}
