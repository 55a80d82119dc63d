package openaicompat

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"inferonce/providers"
)

// toRequest says r in go-openai's words. The schema goes out in its own
// property order: the order in which a model fills in properties is part of
// what the contract's author chose.
func toRequest(r providers.Request) openai.ChatCompletionRequest {
	q := openai.ChatCompletionRequest{Model: r.Model}
	for _, m := range r.Messages {
		q.Messages = append(q.Messages, turn(m))
	}
	q.Stop = r.Stop
	if r.TopP != nil {
		q.TopP = float32(*r.TopP)
	}
	if r.Seed != nil {
		seed := int(*r.Seed)
		q.Seed = &seed
	}
	if reasons(r.Model) {
		q.MaxCompletionTokens = r.MaxTokens
	} else {
		q.MaxTokens = r.MaxTokens // the older name is the one that every server knows
	}
	if r.Temperature != nil {
		q.Temperature = float32(*r.Temperature)
		if q.Temperature == 0 {
			q.Temperature = math.SmallestNonzeroFloat32
		}
	}
	if r.Schema != nil {
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: schemaName(r.SchemaName), Schema: r.Schema, Strict: !r.SchemaLoose,
			},
		}
	}
	if r.Schema == nil && r.JSONObject {
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	addTools(&q, r)
	return q
}

// turn says a message with its images, its calls, or the call that it answers
// (platform.openai.com/docs/api-reference/chat/create, messages).
func turn(m providers.Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{ID: call.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments}})
	}
	for _, p := range m.Parts {
		part := openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: p.Text}
		if p.Image != nil {
			address := p.Image.URL
			if address == "" {
				address = "data:" + p.Image.MediaType + ";base64," + p.Image.Data
			}
			part = openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL,
				ImageURL: &openai.ChatMessageImageURL{URL: address, Detail: openai.ImageURLDetail(p.Image.Detail)}}
		}
		out.MultiContent = append(out.MultiContent, part)
	}
	return out
}

// reasons tells the models that take max_completion_tokens and refuse
// max_tokens (platform.openai.com/docs/api-reference/chat/create).
func reasons(model string) bool {
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
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

// go-openai leaves a temperature of 0 out, and a provider's default is 1. Its
// own advice is the smallest float, but a server that divides by it gets
// infinities. The first match is the request's own member: only messages come
// before it, and inside a string the quotes are escaped.
var (
	almostZero = []byte(`,"temperature":1e-45`)
	zero       = []byte(`,"temperature":0`)
)

// exactZero puts a temperature of 0 into the body where it was meant.
func exactZero(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	b = bytes.Replace(b, almostZero, zero, 1)
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return nil
}
