package openairesponses

import (
	"bytes"
	"encoding/json"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// createBody is the body of a create, in the words of the reference of responses.
type createBody struct {
	Model           string            `json:"model"`
	Input           []any             `json:"input"`
	Background      bool              `json:"background"`
	Store           bool              `json:"store"` // without it a background response is kept for about ten minutes
	Metadata        map[string]string `json:"metadata,omitempty"`
	Text            *textFormat       `json:"text,omitempty"`
	Tools           []tool            `json:"tools,omitempty"`
	ToolChoice      any               `json:"tool_choice,omitempty"`
	ParallelCalls   *bool             `json:"parallel_tool_calls,omitempty"`
	MaxOutputTokens int               `json:"max_output_tokens,omitempty"`
	Temperature     *float64          `json:"temperature,omitempty"`
	TopP            *float64          `json:"top_p,omitempty"`
}

type textFormat struct {
	Format struct {
		Type   string          `json:"type"`
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	} `json:"format"`
}

// tool says strict in any case: left out it means true here, and strict wants
// every property required, while a tool may have optional ones.
type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type turn struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a string, or parts
}

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

type functionCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// toRequest says r in the API's words. The schema goes out in its own property
// order: the order in which a model fills in properties is part of what the
// contract's author chose.
func toRequest(r providers.Request) createBody {
	q := createBody{Model: r.Model, Background: true, Store: true, Metadata: metadata(r.AttemptID), ParallelCalls: r.ParallelTools,
		MaxOutputTokens: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP}
	for _, m := range r.Messages {
		q.Input = append(q.Input, items(m)...)
	}
	if r.Schema != nil {
		q.Text = &textFormat{}
		q.Text.Format.Type, q.Text.Format.Name = "json_schema", schemaName(r.SchemaName)
		q.Text.Format.Schema, q.Text.Format.Strict = r.Schema, true
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	if len(r.Tools) > 0 {
		q.ToolChoice = choice(r)
	}
	return q
}

// metadata makes the call recognizable to whoever finds it at the provider: a
// webhook of a call whose id was lost leads to the response, and this from
// there to the attempt.
func metadata(attempt string) map[string]string {
	if attempt == "" {
		return nil
	}
	job := attempt
	if i := strings.LastIndexByte(attempt, '.'); i > 0 {
		job = attempt[:i]
	}
	return map[string]string{"inferonce_job": job, "inferonce_attempt": attempt}
}

// choice leaves an empty one to the provider.
func choice(r providers.Request) any {
	switch r.ToolChoice {
	case "":
		return nil
	case providers.ToolNamed:
		return map[string]string{"type": "function", "name": r.ToolName}
	}
	return r.ToolChoice
}

// items are what a turn is here: its words, and each call as an item of its own.
func items(m providers.Message) []any {
	if m.Role == "tool" {
		return []any{functionOutput{"function_call_output", m.ToolCallID, m.Content}}
	}
	var out []any
	if m.Content != "" || len(m.Parts) > 0 || len(m.ToolCalls) == 0 {
		out = append(out, turn{m.Role, content(m)})
	}
	for _, c := range m.ToolCalls {
		out = append(out, functionCall{"function_call", c.ID, c.Name, c.Arguments})
	}
	return out
}

func content(m providers.Message) any {
	if len(m.Parts) == 0 {
		return m.Content
	}
	var parts []inputPart
	for _, p := range m.Parts {
		if p.Image == nil {
			parts = append(parts, inputPart{Type: "input_text", Text: p.Text})
			continue
		}
		address := p.Image.URL
		if address == "" {
			address = "data:" + p.Image.MediaType + ";base64," + p.Image.Data
		}
		parts = append(parts, inputPart{Type: "input_image", ImageURL: address, Detail: p.Image.Detail})
	}
	return parts
}

// schemaName keeps to what OpenAI takes as a name: letters, digits, "_" and
// "-", at most 64 of them.
func schemaName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "answer"
	}
	return s[:min(len(s), 64)]
}

// encode writes texts as they are; the default would escape < and > in them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, errNotJSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

var toolChoices = []string{"", contracts.ToolAuto, contracts.ToolRequired, providers.ToolNone, providers.ToolNamed}
