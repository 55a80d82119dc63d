package openairesponses

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// readCreated reads the answer to a create. A refusal or a failure that the
// provider states counts as the table of the transport says. A success that
// can't be read is open: the response may exist and run, and its id is lost.
func readCreated(a transport.Answer, key string) (response, *contracts.Failure) {
	if a.Status/100 != 2 {
		return response{}, transport.Classify(a, key)
	}
	r, f := parse(a, key)
	if f == nil && goodID(r.ID) && r.Status != "" {
		return r, nil
	}
	if stated, ok := transport.ClassifyEmbedded(a, key); ok {
		return response{}, stated
	}
	if f == nil {
		f = &contracts.Failure{Class: contracts.BadResponse, Code: "no_id", Status: a.Status, Detail: "the answer names no response"}
	}
	return response{}, lost(f)
}

// lost is the failure of a create whose answer did not arrive whole. What had
// ended then is the answer, not the work.
func lost(f *contracts.Failure) *contracts.Failure {
	if f.Effect != contracts.None {
		f.Effect = contracts.Open
	}
	return f
}

// codeAbsent marks the provider's own word that it knows no such response.
const codeAbsent = "absent"

// readAsked reads the answer to a question about the response id. Its failure
// says what became of the question.
func readAsked(a transport.Answer, id, key string) (response, *contracts.Failure) {
	if a.Status/100 != 2 {
		f := transport.Classify(a, key)
		if a.Status == 404 && ownError(a.Body) {
			f.Code = codeAbsent
		}
		return response{}, f
	}
	r, f := parse(a, key)
	switch {
	case f != nil:
		return response{}, f
	case r.ID != id || r.Status == "":
		f = ended(contracts.BadResponse, "other_response", "the answer is not the response that was asked for")
		f.Status = a.Status
		return response{}, f
	}
	return r, nil
}

// ownError tells the provider's account of an error from an edge's: a page
// that says 404 knows nothing of a response.
func ownError(body []byte) bool {
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	return json.Unmarshal(body, &e) == nil && e.Error.Message != ""
}

func parse(a transport.Answer, key string) (response, *contracts.Failure) {
	r := response{status: a.Status}
	body := bytes.TrimSpace(a.Body)
	if err := json.Unmarshal(body, &r); err != nil {
		f := unreadable(body, err)
		f.Status = a.Status
		return response{}, f
	}
	return r, nil
}

// unreadable tells why a body is no response. A text that ends too early was
// cut, also where the transport saw a clean end.
func unreadable(body []byte, err error) *contracts.Failure {
	switch {
	case len(body) == 0:
		return ended(contracts.BadResponse, "empty", "the answer has no body")
	case !utf8.Valid(body):
		return ended(contracts.BadResponse, "utf8", "the answer is not valid UTF-8")
	case body[0] == '<':
		return ended(contracts.BadResponse, "html", "the answer is a page, not a response")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ended(contracts.Truncated, "cut", "the answer broke off")
	}
	return ended(contracts.BadResponse, "not_json", "the answer is not a response")
}

// final tells a refused question that asking again will not change from one
// that met a bad moment.
func final(f *contracts.Failure) bool {
	switch f.Class {
	case contracts.Auth, contracts.NotFound, contracts.InvalidRequest, contracts.QuotaExhausted, contracts.ContentFiltered, contracts.Internal:
		return true
	}
	return f.Code == "too_large"
}

// open is f as the failure of a call that may still run, whatever became of a
// question about it.
func open(f *contracts.Failure, code string) *contracts.Failure {
	out := *f
	out.Effect, out.Code = contracts.Open, code
	return &out
}

// gaveUp is the end of our patience with a response that runs.
func gaveUp(ctx context.Context) *contracts.Failure {
	f := &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open, Code: "polling",
		Detail: "the response had not ended in time; it can be looked up"}
	if errors.Is(ctx.Err(), context.Canceled) {
		f.Detail = "the call was given up while the response was running; it can be looked up"
	}
	return f
}

// failedClass says why a response failed, by the code that stands in it (the
// reference of responses, error.code). Whatever the code, the work is over.
var failedClass = map[string]contracts.Class{
	"rate_limit_exceeded":      contracts.RateLimited,
	"insufficient_quota":       contracts.QuotaExhausted,
	"context_length_exceeded":  contracts.ContextLength,
	"invalid_prompt":           contracts.InvalidRequest,
	"invalid_image":            contracts.InvalidRequest,
	"image_too_large":          contracts.InvalidRequest,
	"failed_to_download_image": contracts.InvalidRequest,
	"content_filter":           contracts.ContentFiltered,
}

// unusable says why a response that has ended is no answer, nil if it may be one.
func (r response) unusable(key string) *contracts.Failure {
	switch {
	case r.Status == "cancelled":
		return ended(contracts.ProviderError, "cancelled", "the response was cancelled at the provider")
	case r.Status == "failed":
		code, message := r.failure()
		if class, ok := failedClass[code]; ok {
			return ended(class, "failed", transport.Detail(message, key))
		}
		return ended(contracts.ProviderError, "failed", transport.Detail(message, key))
	case r.Status == "incomplete" && r.reason() == "content_filter":
		return ended(contracts.ContentFiltered, "answer", "the provider withheld the answer")
	case r.Status == "incomplete" && r.reason() == "max_output_tokens":
		return ended(contracts.Truncated, "length", "the answer reached the limit of tokens")
	case r.Status == "incomplete":
		return ended(contracts.Truncated, "incomplete", "the provider ended the answer early")
	}
	return nil
}

func ended(class contracts.Class, code, detail string) *contracts.Failure {
	return &contracts.Failure{Class: class, Effect: contracts.Ended, Code: code, Detail: detail}
}

// unbuilt is a request that this API has no words for. Nothing was sent.
func unbuilt(err error) *contracts.Failure {
	return &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None, Code: "unsupported", Detail: transport.Detail(err.Error())}
}
