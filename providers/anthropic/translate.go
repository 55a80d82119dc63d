package anthropic

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
