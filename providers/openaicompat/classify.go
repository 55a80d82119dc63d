package openaicompat

import (
	"errors"
	"io"
	"unicode/utf8"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// read makes a Completion of an answer, or says why it is none. Only 200 and
// 201 are answers; 202 for one says that the work is still to come.
func read(a transport.Answer, key string) (contracts.Completion, *contracts.Failure) {
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
	case c.FinishReason == "content_filter":
		return ended(contracts.ContentFiltered, "answer", "the provider withheld the answer")
	case ch.Message.Refusal != "":
		return ended(contracts.ContentFiltered, "refusal", transport.Detail(ch.Message.Refusal, key))
	case c.FinishReason == "length":
		return ended(contracts.Truncated, "length", "the answer reached the limit of tokens")
	case c.Content == "" && len(c.ToolCalls) == 0:
		return ended(contracts.BadResponse, "empty", "the answer has no content")
	}
	return nil
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
