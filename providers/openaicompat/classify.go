package openaicompat

import (
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// reader knows whose answer it reads.
type reader struct {
	key   string            // taken out of every word that is kept
	rows  transport.Table   // of the profile
	words map[string]string // of finish_reason, in OpenAI's
}

func (p Profile) reader(key string) reader { return reader{key, p.Rows, p.Finish} }

// read makes a Completion of an answer, or says why it is none. Only 200 and
// 201 are answers; 202 for one says that the work is still to come.
func (r reader) read(a transport.Answer) (contracts.Completion, *contracts.Failure) {
	var c contracts.Completion
	var f *contracts.Failure
	switch {
	case a.Status == 204:
		f = ended(contracts.BadResponse, "empty", "the answer has no body")
	case a.Status != 200 && a.Status != 201:
		f = r.rows.Classify(a, r.key)
	default:
		c, f = r.decode(a)
	}
	if f == nil {
		return c, nil
	}
	f.Status = a.Status
	return contracts.Completion{}, f
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

// unusable says why a well-formed reply is no answer, nil if it is one.
func unusable(c contracts.Completion, ch choice, key string) *contracts.Failure {
	switch {
	case c.FinishReason == "error":
		return ended(contracts.ProviderError, "finish_error", transport.Detail(string(ch.Error), key))
	case c.FinishReason == finishBusy:
		return ended(contracts.Overloaded, "finish_overloaded", "the provider broke the answer off for want of resources")
	case c.FinishReason == "content_filter":
		return ended(contracts.ContentFiltered, "answer", "the provider withheld the answer")
	case ch.Message.Refusal != "":
		return ended(contracts.ContentFiltered, "refusal", transport.Detail(ch.Message.Refusal, key))
	case c.FinishReason == "length":
		return ended(contracts.Truncated, "length", "the answer reached the limit of tokens")
	case c.Content == "" && len(c.ToolCalls) == 0:
		return ended(contracts.BadResponse, "empty", "the answer has no content")
	case slices.ContainsFunc(c.ToolCalls, cut):
		return ended(contracts.Truncated, "arguments", "the arguments of a call broke off")
	}
	return nil
}

// cut tells arguments that end before their JSON does, which some servers hand
// out under "tool_calls" when the limit of tokens struck. Anything else that is
// wrong with them is for the contract to judge.
func cut(c contracts.ToolCall) bool {
	if c.Raw || c.Arguments == "" {
		return false
	}
	d := jsontext.NewDecoder(strings.NewReader(c.Arguments), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := d.ReadValue()
	return errors.Is(err, io.ErrUnexpectedEOF)
}

func ended(class contracts.Class, code, detail string) *contracts.Failure {
	return &contracts.Failure{Class: class, Effect: contracts.Ended, Code: code, Detail: detail}
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
