package anthropic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers"
)

// request is a message to create (platform.claude.com/docs/en/api/messages/create).
type request struct {
	Model         string        `json:"model"`
	MaxTokens     int           `json:"max_tokens"`
	System        []block       `json:"system,omitzero"`
	Messages      []turn        `json:"messages"`
	Tools         []tool        `json:"tools,omitzero"`
	ToolChoice    *toolChoice   `json:"tool_choice,omitzero"`
	OutputConfig  *outputConfig `json:"output_config,omitzero"`
	Temperature   *float64      `json:"temperature,omitzero"`
	TopP          *float64      `json:"top_p,omitzero"`
	StopSequences []string      `json:"stop_sequences,omitzero"`
}

type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a piece of a turn: a text, an image, a call or the result of one.
type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text,omitzero"`
	Source    *source        `json:"source,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Input     jsontext.Value `json:"input,omitzero"`
	ToolUseID string         `json:"tool_use_id,omitzero"`
	Content   string         `json:"content,omitzero"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitzero"`
	Data      string `json:"data,omitzero"`
	URL       string `json:"url,omitzero"`
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	InputSchema jsontext.Value `json:"input_schema"`
}

type toolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name,omitzero"`
	DisableParallel *bool  `json:"disable_parallel_tool_use,omitzero"`
}

// outputConfig holds the schema of the answer. It has left beta and needs no
// header (platform.claude.com/docs/en/build-with-claude/structured-outputs).
type outputConfig struct {
	Format format `json:"format"`
}

type format struct {
	Type   string         `json:"type"`
	Schema jsontext.Value `json:"schema"`
}

func (c *Client) body(r providers.Request) ([]byte, error) {
	q, err := toRequest(r, c.config.MaxTokens)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(q)
	if err != nil { // a text that is not UTF-8, a tool's schema that is not JSON
		return nil, &providers.Unsupported{Part: "request", Reason: "it holds what JSON has no form for"}
	}
	return b, nil
}

// toRequest says r in the API's words, or names what it has no words for.
func toRequest(r providers.Request, maxTokens int) (request, error) {
	q := request{Model: r.Model, MaxTokens: maxTokens, Temperature: r.Temperature, TopP: r.TopP, StopSequences: r.Stop}
	if r.MaxTokens > 0 {
		q.MaxTokens = r.MaxTokens
	}
	if err := checkSampling(r); err != nil {
		return request{}, err
	}
	if err := q.converse(r.Messages); err != nil {
		return request{}, err
	}
	if err := q.offer(r); err != nil {
		return request{}, err
	}
	if r.Schema == nil {
		return q, nil
	}
	schema, err := narrow(r.Schema)
	if err != nil {
		return request{}, err
	}
	q.OutputConfig = &outputConfig{format{Type: "json_schema", Schema: schema}}
	return q, nil
}

// checkSampling keeps to the documented ranges. A seed does not exist here, and
// without it the answer would be another one than was asked for.
func checkSampling(r providers.Request) error {
	switch {
	case r.Seed != nil:
		return no("seed", "this API has none")
	case r.Temperature != nil && !(*r.Temperature >= 0 && *r.Temperature <= 1):
		return no("temperature", "this API takes 0 to 1")
	case r.TopP != nil && !(*r.TopP >= 0 && *r.TopP <= 1):
		return no("top_p", "this API takes 0 to 1")
	}
	for i, s := range r.Stop {
		if strings.TrimSpace(s) == "" { // "each stop sequence must contain non-whitespace"
			return no(fmt.Sprintf("stop[%d]", i), "this API takes no stop text of white space alone")
		}
	}
	return nil
}

func no(part, reason string) error { return &providers.Unsupported{Part: part, Reason: reason} }

func (q *request) converse(all []providers.Message) error {
	c, err := providers.Converse(all)
	if err != nil {
		return err
	}
	for i, s := range c.System {
		if s == "" {
			return no(fmt.Sprintf("messages[%d].content", i), emptyText)
		}
		q.System = append(q.System, block{Type: "text", Text: s})
	}
	for _, t := range c.Turns {
		out := turn{Role: "user"}
		if t.Model {
			out.Role = "assistant"
		}
		for _, s := range t.Said {
			blocks, err := toBlocks(s)
			if err != nil {
				return err
			}
			out.Content = append(out.Content, blocks...)
		}
		q.Messages = append(q.Messages, out)
	}
	return nil
}

const emptyText = "this API refuses a text that is empty"

// callID is what the API takes as the id of a call.
var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func toBlocks(s providers.Said) (out []block, err error) {
	m := s.Message
	if m.Role == "tool" {
		return []block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Content}}, nil
	}
	if m.Content != "" {
		out = append(out, block{Type: "text", Text: m.Content})
	}
	for i, p := range m.Parts {
		b, err := toPart(fmt.Sprintf("%s.parts[%d]", s.Part, i), p)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	for i, t := range m.ToolCalls {
		b, err := toCall(fmt.Sprintf("%s.tool_calls[%d]", s.Part, i), t)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		return nil, no(s.Part+".content", emptyText)
	}
	return out, nil
}

func toCall(at string, t contracts.ToolCall) (block, error) {
	input := jsontext.Value(t.Arguments)
	if strings.TrimSpace(t.Arguments) == "" {
		input = jsontext.Value("{}")
	}
	switch {
	case !callID.MatchString(t.ID):
		return block{}, no(at+".id", "this API takes ids of letters, digits, _ and -")
	case !input.IsValid() || input.Kind() != '{':
		return block{}, no(at+".arguments", "this API takes arguments that are a JSON object")
	}
	return block{Type: "tool_use", ID: t.ID, Name: t.Name, Input: input}, nil
}

// mediaTypes are the images that the API reads
// (platform.claude.com/docs/en/build-with-claude/vision).
var mediaTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// toPart takes https only: the documentation shows no other address, and says
// nothing of plain http.
func toPart(at string, p providers.Part) (block, error) {
	i := p.Image
	switch {
	case i == nil && p.Text == "":
		return block{}, no(at+".text", emptyText)
	case i == nil:
		return block{Type: "text", Text: p.Text}, nil
	case i.Detail != "" && i.Detail != "auto":
		return block{}, no(at+".image.detail", "this API reads every image in one way")
	case i.URL != "" && !strings.HasPrefix(i.URL, "https://"):
		return block{}, no(at+".image.url", "this API fetches https addresses only")
	case i.URL != "":
		return block{Type: "image", Source: &source{Type: "url", URL: i.URL}}, nil
	case !slices.Contains(mediaTypes, i.MediaType):
		return block{}, no(at+".image.media_type", "this API reads "+strings.Join(mediaTypes, ", "))
	}
	return block{Type: "image", Source: &source{Type: "base64", MediaType: i.MediaType, Data: i.Data}}, nil
}

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
