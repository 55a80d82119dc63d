package bedrock

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// reply is the part of an answer that we use. The type of a member that we do
// not use does not matter: the answer was paid for. A member named twice does,
// since two readers could see two answers.
type reply struct {
	Output     jsontext.Value `json:"output"`
	StopReason string         `json:"stopReason"`
	Usage      jsontext.Value `json:"usage"`
	Trace      jsontext.Value `json:"trace"`
}

// output is a union of one member today.
type output struct {
	Message *struct {
		Content []block `json:"content"`
	} `json:"message"`
}

// block is one piece of an answer. Reasoning and whatever else a model puts
// beside its words and calls is passed over.
type block struct {
	Text    jsontext.Value `json:"text"`
	ToolUse jsontext.Value `json:"toolUse"`
}

func decode(a transport.Answer, secrets []string) (contracts.Completion, *contracts.Failure) {
	body := bytes.TrimSpace(a.Body)
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		return contracts.Completion{}, unreadable(body, err)
	}
	var o output
	switch {
	case len(r.Output) == 0 || r.Output.Kind() == 'n':
		if f, ok := transport.ClassifyEmbedded(a, secrets...); ok {
			return contracts.Completion{}, f
		}
		return contracts.Completion{}, ended(contracts.BadResponse, "no_output", "the answer has no output")
	case json.Unmarshal(r.Output, &o) != nil:
		return contracts.Completion{}, ended(contracts.BadResponse, "not_json", "the output is in no known form")
	case o.Message == nil:
		return contracts.Completion{}, ended(contracts.BadResponse, "no_output", "the output has no message")
	}
	c := contracts.Completion{FinishReason: finish(r.StopReason, secrets), Usage: usage(r.Usage), Model: label(invoked(r.Trace), secrets),
		Reference: label(a.Header.Get("X-Amzn-Requestid"), secrets)}
	if f := unusable(r.StopReason); f != nil {
		return contracts.Completion{}, f
	}
	for _, b := range o.Message.Content {
		if f := b.add(&c, secrets); f != nil {
			return contracts.Completion{}, f
		}
	}
	if c.Content == "" && len(c.ToolCalls) == 0 {
		return contracts.Completion{}, ended(contracts.BadResponse, "empty", "the answer has no content")
	}
	return c, nil
}

// add keeps the input of a call as the model wrote it. Converse promises it as
// JSON itself.
func (b block) add(c *contracts.Completion, secrets []string) *contracts.Failure {
	c.Content += text(b.Text)
	if len(b.ToolUse) == 0 || b.ToolUse.Kind() == 'n' {
		return nil
	}
	var use struct {
		ID    string         `json:"toolUseId"`
		Name  string         `json:"name"`
		Input jsontext.Value `json:"input"`
	}
	if json.Unmarshal(b.ToolUse, &use) != nil {
		return ended(contracts.BadResponse, "not_json", "a call in the answer is in no known form")
	}
	c.ToolCalls = append(c.ToolCalls, contracts.ToolCall{ID: label(use.ID, secrets), Name: label(use.Name, secrets), Arguments: string(use.Input)})
	return nil
}

func finish(reason string, secrets []string) string {
	switch reason {
	case "end_turn", "stop_sequence":
		return "stop"
	case "tool_use":
		return "tool_calls"
	}
	return label(reason, secrets)
}

// invoked is the model that a prompt router chose; otherwise an answer names none.
func invoked(trace jsontext.Value) string {
	var t struct {
		Router struct {
			Model string `json:"invokedModelId"`
		} `json:"promptRouter"`
	}
	_ = json.Unmarshal(trace, &t)
	return t.Router.Model
}

// text is the string that v is, "" if it is none.
func text(v jsontext.Value) (s string) {
	_ = json.Unmarshal(v, &s)
	return s
}

// label bounds a word of the provider that ends up in records.
func label(s string, secrets []string) string {
	s = transport.Detail(s, secrets...)
	if r := []rune(s); len(r) > 128 {
		return string(r[:128])
	}
	return s
}

// usage reads the counts. Absent, negative or unreadable ones are not reported
// at all: zero would look like a price.
func usage(raw jsontext.Value) contracts.Usage {
	var u struct {
		In  *int64 `json:"inputTokens"`
		Out *int64 `json:"outputTokens"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil || u.In == nil || u.Out == nil || *u.In < 0 || *u.Out < 0 {
		return contracts.Usage{}
	}
	return contracts.Usage{InputTokens: *u.In, OutputTokens: *u.Out, Reported: true}
}
