package openaicompat

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// reply is the part of a chat completion that we use. The type of a member
// that we do not use does not matter: the answer was paid for. A member named
// twice does, since two readers could see two answers.
type reply struct {
	ID      string         `json:"id"`
	Model   string         `json:"model"`
	Choices []choice       `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
	System  jsontext.Value `json:"system_fingerprint"`
}

type choice struct {
	FinishReason string         `json:"finish_reason"`
	Message      message        `json:"message"`
	Error        jsontext.Value `json:"error"`
}

// message is a whole message and, in a stream, a part of one. A null is "".
type message struct {
	Content   string     `json:"content"`
	Refusal   string     `json:"refusal"`
	ToolCalls []toolCall `json:"tool_calls"`
}

func (r reader) decode(a transport.Answer) (contracts.Completion, *contracts.Failure) {
	if f, ok := r.rows.ClassifyEmbedded(a, r.key); ok {
		return contracts.Completion{}, f
	}
	body := bytes.TrimSpace(a.Body)
	if looksStreamed(body) {
		whole, f := r.joinStream(body)
		if f != nil {
			return contracts.Completion{}, f
		}
		return r.fromReply(whole)
	}
	var whole reply
	if err := json.Unmarshal(body, &whole); err != nil {
		return contracts.Completion{}, unreadable(body, err)
	}
	return r.fromReply(whole)
}

func (r reader) fromReply(whole reply) (contracts.Completion, *contracts.Failure) {
	if len(whole.Choices) == 0 {
		return contracts.Completion{}, ended(contracts.BadResponse, "no_choices", "the answer has no choices")
	}
	ch := whole.Choices[0]
	c := contracts.Completion{
		Content: ch.Message.Content, Model: label(whole.Model, r.key), Reference: label(whole.ID, r.key),
		FinishReason: r.finish(label(ch.FinishReason, r.key)), Usage: usage(whole.Usage),
		ToolCalls: toolCalls(ch.Message.ToolCalls, r.key), SystemFingerprint: label(word(whole.System), r.key),
	}
	if f := unusable(c, ch, r.key); f != nil {
		return contracts.Completion{}, f
	}
	return c, nil
}

// finish says a word of finish_reason as OpenAI would.
func (r reader) finish(word string) string {
	if as, ok := r.words[word]; ok {
		return as
	}
	return word
}

// word reads a member that is text or of no interest.
func word(raw jsontext.Value) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// label bounds a word of the provider that ends up in records.
func label(s, key string) string {
	s = transport.Detail(s, key)
	if r := []rune(s); len(r) > 128 {
		return string(r[:128])
	}
	return s
}

// usage reads the counts. Absent, negative or unreadable ones are not reported
// at all: zero would look like a price.
func usage(raw jsontext.Value) contracts.Usage {
	var u struct {
		In  *int64 `json:"prompt_tokens"`
		Out *int64 `json:"completion_tokens"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil || u.In == nil || u.Out == nil || *u.In < 0 || *u.Out < 0 {
		return contracts.Usage{}
	}
	return contracts.Usage{InputTokens: *u.In, OutputTokens: *u.Out, Reported: true}
}
