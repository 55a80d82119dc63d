package openaicompat

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

// The servers that show how they render a prompt, at addresses beside /v1.
const (
	LlamaCPP = "llama.cpp"
	VLLM     = "vllm"
)

// Rendering is a Client whose server shows how it renders a prompt.
type Rendering struct {
	*Client
	server string
}

var _ providers.Renderer = (*Rendering)(nil)

// WithRendering adds the ability that a server of this kind has. It calls nobody.
func WithRendering(c *Client, server string) (*Rendering, error) {
	if server != LlamaCPP && server != VLLM {
		return nil, fmt.Errorf("openaicompat: a server of kind %q shows no rendering; use %s or %s", server, LlamaCPP, VLLM)
	}
	return &Rendering{c, server}, nil
}

// Traits are those of the Client, with the calls that Render makes.
func (c *Rendering) Traits() providers.Traits {
	t := c.Client.Traits()
	calls := map[string][]providers.Operation{
		LlamaCPP: {{Name: "render", Call: "POST /apply-template", Source: "github.com/ggml-org/llama.cpp, tools/server/README.md"},
			{Name: "tokenize", Call: "POST /tokenize", Source: "github.com/ggml-org/llama.cpp, tools/server/README.md"}},
		VLLM: {{Name: "tokenize", Call: "POST /tokenize", Source: "github.com/vllm-project/vllm, entrypoints/openai/protocol.py, TokenizeChatRequest"},
			{Name: "detokenize", Call: "POST /detokenize", Source: "github.com/vllm-project/vllm, entrypoints/openai/protocol.py, DetokenizeRequest"}},
	}
	t.Operations = append(t.Operations[:len(t.Operations):len(t.Operations)], calls[c.server]...)
	return t
}

// Render shows the turns of r as the server renders them for chat completions,
// without its tools and its schema.
func (c *Rendering) Render(ctx context.Context, r providers.Request) (providers.Rendering, error) {
	render := c.byLlamaCPP
	if c.server == VLLM {
		render = c.byVLLM
	}
	got, f := render(ctx, r)
	if f != nil {
		return providers.Rendering{}, f
	}
	return got, nil
}

// byLlamaCPP gets the text, and its tokens as a chat has them: with what the model
// wants in front, and markers read as such.
func (c *Rendering) byLlamaCPP(ctx context.Context, r providers.Request) (providers.Rendering, *contracts.Failure) {
	var shown struct{ Prompt string }
	if f := c.show(ctx, r, "/apply-template", map[string]any{"messages": c.config.Profile.toWire(r).Messages}, &shown); f != nil {
		return providers.Rendering{}, f
	}
	var cut struct{ Tokens []int }
	f := c.show(ctx, r, "/tokenize", map[string]any{"content": shown.Prompt, "add_special": true, "parse_special": true}, &cut)
	return providers.Rendering{Text: shown.Prompt, Tokens: cut.Tokens}, f
}

// byVLLM gets ids, and the text that they stand for.
func (c *Rendering) byVLLM(ctx context.Context, r providers.Request) (providers.Rendering, *contracts.Failure) {
	var cut struct{ Tokens []int }
	in := map[string]any{"model": r.Model, "messages": c.config.Profile.toWire(r).Messages, "add_generation_prompt": true}
	if f := c.show(ctx, r, "/tokenize", in, &cut); f != nil {
		return providers.Rendering{}, f
	}
	var shown struct{ Prompt string }
	f := c.show(ctx, r, "/detokenize", map[string]any{"model": r.Model, "tokens": cut.Tokens}, &shown)
	return providers.Rendering{Text: shown.Prompt, Tokens: cut.Tokens}, f
}

// show makes one call beside /v1.
func (c *Rendering) show(ctx context.Context, r providers.Request, path string, in, out any) *contracts.Failure {
	body, err := json.Marshal(in)
	if err != nil {
		return unbuilt(err)
	}
	root := strings.TrimSuffix(strings.TrimRight(c.config.BaseURL, "/"), "/v1")
	ctx, sent := transport.Track(ctx, r.Limits, nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, root+path, bytes.NewReader(body))
	if err != nil {
		return unbuilt(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key := c.key(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return transport.FromError(err, ctx, sent)
	}
	answer, err := transport.Read(resp)
	switch {
	case err != nil:
		return transport.FromError(err, ctx, sent)
	case answer.Status != http.StatusOK:
		f := transport.Classify(answer, c.key())
		f.Status = answer.Status
		return f
	}
	if err := json.Unmarshal(answer.Body, out, json.MatchCaseInsensitiveNames(true)); err != nil {
		f := unreadable(answer.Body, err)
		f.Status = answer.Status
		return f
	}
	return nil
}
