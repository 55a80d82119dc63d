package openaicompat

import (
	openai "github.com/sashabaranov/go-openai"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers"
)

// addTools offers the tools. strict is left out: it wants every property
// required (platform.openai.com/docs/guides/function-calling, strict mode), and
// a tool may have optional ones. What it would enforce is checked here anyway.
func addTools(q *openai.ChatCompletionRequest, r providers.Request) {
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, openai.Tool{Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Parameters}})
	}
	if len(r.Tools) == 0 {
		return
	}
	q.ToolChoice = r.ToolChoice
	if r.ToolChoice == providers.ToolNamed {
		q.ToolChoice = openai.ToolChoice{Type: openai.ToolTypeFunction, Function: openai.ToolFunction{Name: r.ToolName}}
	}
	if r.ParallelTools != nil {
		q.ParallelToolCalls = *r.ParallelTools
	}
}

// toolCall is a call in a message and, in a stream, a part of one.
type toolCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
}

// arguments returns the text that the arguments are. The API promises a string
// that holds JSON; anything else stays as it is and is marked.
func (t toolCall) arguments() (text string, raw bool) {
	switch v := t.Function.Arguments; v.Kind() {
	case '"':
		_ = json.Unmarshal(v, &text) // it has been read as a string
		return text, false
	case 'n', 0:
		return "", false
	default:
		return string(v), true
	}
}

func toolCalls(all []toolCall, key string) []contracts.ToolCall {
	var out []contracts.ToolCall
	for _, t := range all {
		c := contracts.ToolCall{ID: label(t.ID, key), Name: label(t.Function.Name, key)}
		c.Arguments, c.Raw = t.arguments()
		out = append(out, c)
	}
	return out
}

// joinCalls puts a part of a call where it belongs. The index says where; some
// servers leave it out or give every call the same, so that a new id begins a
// new call under any index. A part without both goes on with the last call.
func joinCalls(all []toolCall, part toolCall) []toolCall {
	at := len(all) - 1
	for i := len(all) - 1; part.Index != nil && i >= 0; i-- {
		if all[i].Index != nil && *all[i].Index == *part.Index {
			at = i
			break
		}
		at = -1
	}
	if at < 0 || part.ID != "" && all[at].ID != "" && part.ID != all[at].ID {
		return append(all, part)
	}
	all[at].add(part)
	return all
}

func (t *toolCall) add(part toolCall) {
	if t.ID == "" {
		t.ID = part.ID
	}
	t.Function.Name += part.Function.Name
	before, raw := t.arguments()
	more, rawToo := part.arguments()
	if raw || rawToo { // neither is text: kept together as they came, which is no JSON value
		t.Function.Arguments = append(t.Function.Arguments, part.Function.Arguments...)
		return
	}
	joined, err := jsontext.AppendQuote(nil, before+more)
	if err == nil {
		t.Function.Arguments = joined
	}
}
