package contracts

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// chatWire is a chat request as it is written, once chatInput holds.
type chatWire struct {
	Messages   []chatTurn      `json:"messages"`
	Tools      []chatFunction  `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Parallel   *bool           `json:"parallel_tool_calls"`
	Format     struct {
		Type   string `json:"type"`
		Schema *struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"schema"`
			Strict      bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Temperature *float64        `json:"temperature"`
	TopP        *float64        `json:"top_p"`
	MaxTokens   int             `json:"max_tokens"`
	MaxComplete int             `json:"max_completion_tokens"`
	Stop        json.RawMessage `json:"stop"`
	Seed        *int64          `json:"seed"`
}

type chatTurn struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

type chatPiece struct {
	Type  string  `json:"type"`
	Text  *string `json:"text"`
	Image *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

type chatFunction struct {
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// ReadChat reads the input of a chat contract. Violations name places in the
// input and hold nothing that was said in it.
func (c *Contract) ReadChat(input json.RawMessage) (*Chat, []Violation) {
	if broken := c.input.validate(input); len(broken) > 0 {
		return nil, broken
	}
	var w chatWire
	if err := json.Unmarshal(input, &w); err != nil {
		return nil, []Violation{{"", "type", "holds a number that is no plain integer where one is needed"}}
	}
	r := &chatReader{c: c, q: &Chat{Temperature: w.Temperature, TopP: w.TopP, Seed: w.Seed, Parallel: w.Parallel}}
	r.tools(w)
	r.format(w)
	r.sampling(w)
	for i, m := range w.Messages {
		r.message(fmt.Sprintf("/messages/%d", i), m)
	}
	r.answered(fmt.Sprintf("/messages/%d", len(w.Messages)-1))
	return r.q, r.broken[:min(len(r.broken), maxViolations)]
}

type chatReader struct {
	c       *Contract
	q       *Chat
	broken  []Violation
	pending []string // ids of calls that no tool turn has answered yet
}

func (r *chatReader) refuse(pointer, rule, message string) {
	r.broken = append(r.broken, Violation{pointer, rule, message})
}

func (r *chatReader) sampling(w chatWire) {
	q, s := r.q, r.c.Sampling
	q.MaxTokens = max(w.MaxTokens, w.MaxComplete)
	if w.MaxTokens > 0 && w.MaxComplete > 0 && w.MaxTokens != w.MaxComplete {
		r.refuse("/max_tokens", "conflict", "must be the same as max_completion_tokens, or be left out")
	}
	if s.MaxTokens > 0 && q.MaxTokens > s.MaxTokens {
		r.refuse("/max_tokens", "maximum", fmt.Sprintf("must be at most %d", s.MaxTokens))
	}
	if s.MaxTemperature != nil && q.Temperature != nil && *q.Temperature > *s.MaxTemperature {
		r.refuse("/temperature", "maximum", fmt.Sprintf("must be at most %g", *s.MaxTemperature))
	}
	if len(w.Stop) > 0 && w.Stop[0] == '"' {
		q.Stop = []string{""}
		_ = json.Unmarshal(w.Stop, &q.Stop[0]) // chatInput has read it as text
	} else if len(w.Stop) > 0 {
		_ = json.Unmarshal(w.Stop, &q.Stop)
	}
}

// message reads a turn. Between an assistant's calls and the next other turn
// stands one tool turn for each call: no provider takes anything else.
func (r *chatReader) message(at string, m chatTurn) {
	out := ChatMessage{Role: m.Role, ToolCallID: m.ToolCallID}
	if out.Role == "developer" {
		out.Role = "system" // the same under a newer name
	}
	switch i := slices.Index(r.pending, m.ToolCallID); {
	case m.Role == "tool" && i < 0:
		r.refuse(at+"/tool_call_id", "order", "names no call of the assistant's turn before it that is still unanswered")
	case m.Role == "tool":
		r.pending = slices.Delete(r.pending, i, i+1)
	case m.ToolCallID != "":
		r.refuse(at+"/tool_call_id", "role", "belongs to a tool's turn")
	default:
		r.answered(at)
	}
	r.content(at+"/content", m, &out)
	r.calls(at+"/tool_calls", m, &out)
	r.q.Messages = append(r.q.Messages, out)
}

// answered says that no call is left without its result.
func (r *chatReader) answered(at string) {
	if len(r.pending) > 0 {
		r.refuse(at, "order", "must come after a tool's turn for each call of the assistant's turn before it")
		r.pending = nil
	}
}

func (r *chatReader) calls(at string, m chatTurn, out *ChatMessage) {
	if len(m.ToolCalls) > 0 && m.Role != "assistant" {
		r.refuse(at, "role", "belong to an assistant's turn")
		return
	}
	for i, call := range m.ToolCalls {
		one := ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments}
		if argumentsFault(one) != "" {
			r.refuse(fmt.Sprintf("%s/%d/function/arguments", at, i), "json", "must be text that holds one JSON object")
		}
		if slices.Contains(r.pending, one.ID) {
			r.refuse(fmt.Sprintf("%s/%d/id", at, i), "unique", "is the id of another call")
		}
		r.pending = append(r.pending, one.ID)
		out.ToolCalls = append(out.ToolCalls, one)
	}
}

func (r *chatReader) content(at string, m chatTurn, out *ChatMessage) {
	switch raw := bytes.TrimSpace(m.Content); {
	case len(raw) == 0 || raw[0] == 'n':
		if m.Role != "assistant" || len(m.ToolCalls) == 0 {
			r.refuse(at, "required", "must be there")
		}
	case raw[0] == '"':
		_ = json.Unmarshal(raw, &out.Content) // chatInput has read it as text
	default:
		var pieces []chatPiece
		_ = json.Unmarshal(raw, &pieces)
		r.parts(at, pieces, out)
	}
}

// parts joins pieces that are all text, which says the same everywhere.
func (r *chatReader) parts(at string, pieces []chatPiece, out *ChatMessage) {
	var text strings.Builder
	images := false
	for i, p := range pieces {
		here := fmt.Sprintf("%s/%d", at, i)
		switch {
		case p.Type == "text" && p.Text != nil && p.Image == nil:
			out.Parts = append(out.Parts, ChatPart{Text: *p.Text})
			text.WriteString(*p.Text)
		case p.Type == "image_url" && p.Image != nil && p.Text == nil && out.Role == "user":
			images = true
			out.Parts = append(out.Parts, r.image(here+"/image_url/url", p))
		case p.Type == "image_url" && out.Role != "user":
			r.refuse(here, "role", "an image belongs to a user's turn")
		default:
			r.refuse(here, "part", "must have the member that its type names, and no other")
		}
	}
	if !images {
		out.Content, out.Parts = text.String(), nil
	}
}

// imageTypes are what the common vision models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

func (r *chatReader) image(at string, p chatPiece) ChatPart {
	out := ChatPart{Image: true, Detail: p.Image.Detail}
	if rest, ok := strings.CutPrefix(p.Image.URL, "data:"); ok {
		media, data, found := strings.Cut(rest, ";base64,")
		_, err := base64.StdEncoding.DecodeString(data)
		if !found || err != nil || data == "" || !slices.Contains(imageTypes, media) {
			r.refuse(at, "image", "must be data:TYPE;base64,… with TYPE one of "+strings.Join(imageTypes, ", "))
		}
		out.MediaType, out.Data = media, data
		return out
	}
	if u, err := url.Parse(p.Image.URL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		r.refuse(at, "image", "must be an http(s) address without credentials, or data:TYPE;base64,…")
	}
	out.URL = p.Image.URL
	return out
}
