package anthropic

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// reply is the part of a message that we use. The type of a member that we do
// not use does not matter: the answer was paid for.
type reply struct {
	ID         string         `json:"id"`
	Model      string         `json:"model"`
	Content    []piece        `json:"content"`
	StopReason string         `json:"stop_reason"`
	Usage      jsontext.Value `json:"usage"`
}

// piece is a block of the answer. Thinking and blocks of tools that run at the
// provider are not the answer.
type piece struct {
	Type  string         `json:"type"`
	Text  string         `json:"text"`
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"`
}

// read makes a Completion of an answer, or says why it is none.
func read(a transport.Answer, key string) (contracts.Completion, *contracts.Failure) {
	c, f := decode(a, key)
	if f == nil {
		return c, nil
	}
	f.Status = a.Status
	return contracts.Completion{}, f
}

func decode(a transport.Answer, key string) (contracts.Completion, *contracts.Failure) {
	if a.Status == 204 {
		return contracts.Completion{}, ended(contracts.BadResponse, "empty", "the answer has no body")
	}
	if a.Status != 200 && a.Status != 201 {
		return contracts.Completion{}, classify(a, key)
	}
	if f, ok := embedded(a, key); ok {
		return contracts.Completion{}, f
	}
	var r reply
	if err := json.Unmarshal(a.Body, &r); err != nil {
		return contracts.Completion{}, unreadable(bytes.TrimSpace(a.Body), err)
	}
	c := r.completion(key)
	c.Reference = label(cmp.Or(a.Header.Get("Request-Id"), r.ID), key)
	return c, r.unusable(c)
}

func (r reply) completion(key string) contracts.Completion {
	c := contracts.Completion{Model: label(r.Model, key), FinishReason: finish(r.StopReason, key), Usage: usage(r.Usage)}
	var text strings.Builder
	for _, p := range r.Content {
		switch p.Type {
		case "text":
			text.WriteString(p.Text)
		case "tool_use":
			c.ToolCalls = append(c.ToolCalls, contracts.ToolCall{ID: label(p.ID, key), Name: label(p.Name, key), Arguments: string(p.Input)})
		}
	}
	c.Content = text.String()
	return c
}

// finish says a stop reason in our words
// (platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
func finish(reason, key string) string {
	switch reason {
	case "end_turn", "stop_sequence":
		return "stop"
	case "tool_use":
		return "tool_calls"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "refusal":
		return "content_filter"
	}
	return label(reason, key)
}

// usage reads the counts. input_tokens leaves out what a cache held or took, so
// that the three are added (platform.claude.com/docs/en/build-with-claude/prompt-caching).
// Absent, negative or unreadable counts are not reported at all: zero would look like a price.
func usage(raw jsontext.Value) contracts.Usage {
	var u struct {
		In    *int64 `json:"input_tokens"`
		Wrote *int64 `json:"cache_creation_input_tokens"`
		Read  *int64 `json:"cache_read_input_tokens"`
		Out   *int64 `json:"output_tokens"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil || u.In == nil || u.Out == nil {
		return contracts.Usage{}
	}
	out := contracts.Usage{OutputTokens: *u.Out, Reported: true}
	for _, n := range []*int64{u.In, u.Wrote, u.Read, u.Out} {
		if n != nil && (*n < 0 || *n > maxCount) {
			return contracts.Usage{}
		}
	}
	for _, n := range []*int64{u.In, u.Wrote, u.Read} {
		if n != nil {
			out.InputTokens += *n
		}
	}
	return out
}

// maxCount is more than any context holds, and keeps sums from running over.
const maxCount = 1 << 40

// unreadable tells why a body is no reply. A text that ends too early was cut,
// also where the transport saw a clean end.
func unreadable(body []byte, err error) *contracts.Failure {
	switch {
	case len(body) == 0:
		return ended(contracts.BadResponse, "empty", "the answer has no body")
	case !utf8.Valid(body):
		return ended(contracts.BadResponse, "utf8", "the answer is not valid UTF-8")
	case body[0] == '<':
		return ended(contracts.BadResponse, "html", "the answer is a page, not a message")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ended(contracts.Truncated, "cut", "the answer broke off")
	}
	return ended(contracts.BadResponse, "not_json", "the answer is not a message")
}

// label bounds a word of the provider that ends up in records.
func label(s, key string) string {
	s = transport.Detail(s, key)
	if r := []rune(s); len(r) > 128 {
		return string(r[:128])
	}
	return s
}
