package bedrock

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// row gives an error that Bedrock names, under the status that belongs to it,
// its class and effect. The first row that fits decides.
type row struct {
	names   []string
	status  []int
	phrases []string // the message contains one of these; empty: any
	class   contracts.Class
	effect  contracts.Effect
	code    string
}

// table: the errors of Converse and InvokeModel in the API reference of Bedrock
// Runtime, and AWS's errors common to all services. The phrases are those that
// Bedrock uses in public reports; the reference lists none.
var table = []row{
	{names: []string{"ThrottlingException", "TooManyRequestsException"}, status: []int{429, 400},
		class: contracts.RateLimited, effect: contracts.None},
	{names: []string{"ServiceQuotaExceededException"}, status: []int{400, 402, 429},
		class: contracts.QuotaExhausted, effect: contracts.None},
	{names: []string{"ModelNotReadyException"}, status: []int{429},
		class: contracts.Overloaded, effect: contracts.None, code: "not_ready"},

	{names: signature, status: []int{400, 401, 403}, phrases: []string{"signature expired", "signature not yet current", "request has expired"},
		class: contracts.Auth, effect: contracts.None, code: "clock"},
	{names: signature, status: []int{400, 401, 403}, class: contracts.Auth, effect: contracts.None},

	{names: []string{"ResourceNotFoundException"}, status: []int{404}, class: contracts.NotFound, effect: contracts.None},
	{names: []string{"ValidationException"}, status: []int{400},
		phrases: []string{"input is too long", "prompt is too long", "too many input tokens", "maximum context length", "exceed context limit"},
		class:   contracts.ContextLength, effect: contracts.None},
	{names: []string{"ValidationException"}, status: []int{400},
		phrases: []string{"model identifier is invalid", "on-demand throughput", "inference profile"},
		class:   contracts.NotFound, effect: contracts.None, code: "model"},
	{names: []string{"ValidationException", "ConflictException", "SerializationException"}, status: []int{400},
		class: contracts.InvalidRequest, effect: contracts.None},

	{names: []string{"ModelTimeoutException"}, status: []int{408}, class: contracts.Timeout, effect: contracts.Open},
	{names: []string{"ModelErrorException", "ModelStreamErrorException"}, status: []int{424},
		class: contracts.ProviderError, effect: contracts.Ended, code: "model"},
	{names: []string{"InternalServerException", "InternalFailure"}, status: []int{500},
		class: contracts.ProviderError, effect: contracts.Ended},
	{names: []string{"ServiceUnavailableException", "ServiceUnavailable"}, status: []int{503},
		class: contracts.Overloaded, effect: contracts.None},
}

// signature are the ways in which AWS says that it doesn't know or let in the caller.
var signature = []string{
	"AccessDeniedException", "AccessDenied", "UnrecognizedClientException", "InvalidSignatureException", "SignatureDoesNotMatch",
	"IncompleteSignature", "IncompleteSignatureException", "MissingAuthenticationToken", "MissingAuthenticationTokenException",
	"InvalidClientTokenId", "ExpiredToken", "ExpiredTokenException", "RequestExpired", "NotAuthorized", "OptInRequired",
}

// read makes a Completion of an answer, or says why it is none.
func read(a transport.Answer, secrets []string) (contracts.Completion, *contracts.Failure) {
	if a.Status != 200 {
		return contracts.Completion{}, classify(a, secrets)
	}
	c, f := decode(a, secrets)
	if f != nil {
		f.Status = a.Status
		return contracts.Completion{}, f
	}
	return c, nil
}

// classify reads the error's name, which stands in a header. An answer without
// one, or with a name that doesn't belong to its status, was not written by
// Bedrock as documented, and is read as one of an edge.
func classify(a transport.Answer, secrets []string) *contracts.Failure {
	name, message := account(a)
	for _, r := range table {
		if !r.fits(name, a.Status, message) {
			continue
		}
		f := &contracts.Failure{Class: r.class, Effect: r.effect, Code: r.code, Status: a.Status, Detail: transport.Detail(message, secrets...)}
		if r.class == contracts.RateLimited || r.class == contracts.Overloaded || r.class == contracts.QuotaExhausted {
			f.RetryAfter = transport.RetryAfter(a.Header)
		}
		return f
	}
	return transport.Classify(a, secrets...)
}

func (r row) fits(name string, status int, message string) bool {
	message = strings.ToLower(message)
	return slices.Contains(r.names, name) && slices.Contains(r.status, status) &&
		(len(r.phrases) == 0 || slices.ContainsFunc(r.phrases, func(p string) bool { return strings.Contains(message, p) }))
}

// account is Bedrock's own account of an error: its name, without the address
// that may follow or the namespace that may precede it, and its message.
func account(a transport.Answer) (name, message string) {
	var b struct {
		Type    jsontext.Value `json:"__type"`
		Message jsontext.Value `json:"message"`
		Capital jsontext.Value `json:"Message"`
	}
	_ = json.Unmarshal(bytes.TrimSpace(a.Body), &b)
	if name = a.Header.Get("X-Amzn-Errortype"); name == "" {
		name = text(b.Type)
	}
	name, _, _ = strings.Cut(name, ":")
	if i := strings.LastIndexByte(name, '#'); i >= 0 {
		name = name[i+1:]
	}
	if message = text(b.Message); message == "" {
		message = text(b.Capital)
	}
	return strings.TrimSpace(name), message
}

// unreadable tells why a body is no answer. A text that ends too early was
// cut, also where the transport saw a clean end.
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
	return ended(contracts.BadResponse, "not_json", "the answer is not one of Converse")
}

// unusable says why an answer that stopped for this reason is none, nil if it
// may be one. A reason that is not known here is left to the contract.
func unusable(reason string) *contracts.Failure {
	switch reason {
	case "":
		return ended(contracts.BadResponse, "no_stop_reason", "the answer does not say why it ended")
	case "max_tokens":
		return ended(contracts.Truncated, "length", "the answer reached the limit of tokens")
	case "model_context_window_exceeded":
		return ended(contracts.Truncated, "context_window", "the answer reached the end of the model's context")
	case "guardrail_intervened":
		return ended(contracts.ContentFiltered, "guardrail", "a guardrail withheld the answer")
	case "content_filtered":
		return ended(contracts.ContentFiltered, "answer", "the provider withheld the answer")
	case "malformed_model_output", "malformed_tool_use":
		return ended(contracts.BadResponse, reason, "the model's output was malformed")
	}
	return nil
}

func ended(class contracts.Class, code, detail string) *contracts.Failure {
	return &contracts.Failure{Class: class, Effect: contracts.Ended, Code: code, Detail: detail}
}

// unbuilt is a request that Converse has no words for. Nothing was sent.
func unbuilt(err error) *contracts.Failure {
	return &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None, Code: "unsupported", Detail: transport.Detail(err.Error())}
}
