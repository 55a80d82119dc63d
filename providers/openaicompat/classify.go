package openaicompat

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// read makes a Completion of an answer, or says why it is none. Only 200 and
// 201 are answers; 202 for one says that the work is still to come.
func read(a transport.Answer, key string) (contracts.Completion, error) {
	var c contracts.Completion
	var f *contracts.Failure
	switch {
	case a.Status == 204:
		f = ended(contracts.BadResponse, "empty", "the answer has no body")
	case a.Status != 200 && a.Status != 201:
		f = transport.Classify(a, key)
	default:
		c, f = decode(a, key)
	}
	if f == nil {
		return c, nil
	}
	f.Status = a.Status
	return contracts.Completion{}, f
}

// reply is the part of a chat completion that we use. The type of a member
// that we do not use does not matter: the answer was paid for. A member named
// twice does, since two readers could see two answers.
type reply struct {
	ID      string         `json:"id"`
	Model   string         `json:"model"`
	Choices []choice       `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
}

type choice struct {
	FinishReason string         `json:"finish_reason"`
	Message      message        `json:"message"`
	Error        jsontext.Value `json:"error"`
}

// message is a whole message and, in a stream, a part of one. A null is "".
type message struct {
	Content string `json:"content"`
	Refusal string `json:"refusal"`
}

func decode(a transport.Answer, key string) (contracts.Completion, *contracts.Failure) {
	if f, ok := transport.ClassifyEmbedded(a, key); ok {
		return contracts.Completion{}, f
	}
	body := bytes.TrimSpace(a.Body)
	if looksStreamed(body) {
		r, f := joinStream(body, key)
		if f != nil {
			return contracts.Completion{}, f
		}
		return fromReply(r, key)
	}
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		return contracts.Completion{}, unreadable(body, err)
	}
	return fromReply(r, key)
}

// unreadable tells why a body is no reply. A text that ends too early was cut,
// also where the transport saw a clean end.
func unreadable(body []byte, err error) *contracts.Failure {
	switch {
	case len(body) == 0:
		return ended(contracts.BadResponse, "empty", "the answer has no body")
	case !utf8.Valid(body):
		return ended(contracts.BadResponse, "utf8", "the answer is not valid UTF-8")
	case body[0] == '<':
		return ended(contracts.BadResponse, "html", "the answer is a page, not a completion")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ended(contracts.Truncated, "cut", "the answer broke off")
	}
	return ended(contracts.BadResponse, "not_json", "the answer is not a chat completion")
}

func fromReply(r reply, key string) (contracts.Completion, *contracts.Failure) {
	if len(r.Choices) == 0 {
		return contracts.Completion{}, ended(contracts.BadResponse, "no_choices", "the answer has no choices")
	}
	ch := r.Choices[0]
	c := contracts.Completion{
		Content: ch.Message.Content, Model: label(r.Model, key), Reference: label(r.ID, key),
		FinishReason: label(ch.FinishReason, key), Usage: usage(r.Usage),
	}
	if f := unusable(c, ch, key); f != nil {
		return contracts.Completion{}, f
	}
	return c, nil
}

// unusable says why a well-formed reply is no answer, nil if it is one.
func unusable(c contracts.Completion, ch choice, key string) *contracts.Failure {
	switch {
	case c.FinishReason == "error":
		return ended(contracts.ProviderError, "finish_error", transport.Detail(string(ch.Error), key))
	case c.FinishReason == "content_filter":
		return ended(contracts.ContentFiltered, "answer", "the provider withheld the answer")
	case ch.Message.Refusal != "":
		return ended(contracts.ContentFiltered, "refusal", transport.Detail(ch.Message.Refusal, key))
	case c.FinishReason == "length":
		return ended(contracts.Truncated, "length", "the answer reached the limit of tokens")
	case c.Content == "":
		return ended(contracts.BadResponse, "empty", "the answer has no content")
	}
	return nil
}

func ended(class contracts.Class, code, detail string) *contracts.Failure {
	return &contracts.Failure{Class: class, Effect: contracts.Ended, Code: code, Detail: detail}
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

// unbuilt is a request that go-openai would not build, by its own knowledge of
// what a model takes. Nothing was sent.
func unbuilt(err error) *contracts.Failure {
	f := &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None, Code: "unsupported",
		Detail: "this model does not take this request"}
	if err != nil {
		f.Detail = transport.Detail(err.Error())
	}
	return f
}
