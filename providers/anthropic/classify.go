package anthropic

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// row is a refusal that this API says in words of its own. The first row that
// fits decides; the transport's table has the rest.
type row struct {
	status  int
	code    string   // error.details.error_code; "": any
	phrases []string // the message contains one of these; empty: any
	class   contracts.Class
}

// table holds refusals at the door only: nothing ran (effect none).
var table = []row{
	// The tier's monthly cap: a 429 without retry-after, until the month is over
	// (platform.claude.com/docs/en/api/rate-limits, "Spend limits").
	{status: 429, code: "enforced_spend_limit_reached", class: contracts.QuotaExhausted},
	// A limit that the account set for itself (same page).
	{status: 400, phrases: []string{"specified api usage limits", "specified workspace api usage limits"}, class: contracts.QuotaExhausted},
	// No prepaid credit is left. Seen in public reports, not in the list of errors.
	{status: 400, phrases: []string{"credit balance is too low"}, class: contracts.QuotaExhausted},
	// platform.claude.com/docs/en/build-with-claude/context-windows. The wording is that of public reports.
	{status: 400, phrases: []string{"exceed context limit"}, class: contracts.ContextLength},
}

// statusOf gives the status of a type inside a 200
// (platform.claude.com/docs/en/api/errors, "HTTP errors").
var statusOf = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "conflict_error": 409, "request_too_large": 413, "rate_limit_error": 429,
	"api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

// envelope is the API's own account of a failure.
type envelope struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Details struct {
			Code string `json:"error_code"`
		} `json:"details"`
	} `json:"error"`
}

// classify makes a Failure of an answer that is no success.
func classify(a transport.Answer, key string) *contracts.Failure {
	f := transport.Classify(a, key)
	var e envelope
	if json.Unmarshal(a.Body, &e) != nil {
		return f
	}
	for _, r := range table {
		if r.fits(a.Status, e) {
			f.Class, f.Effect, f.Code = r.class, contracts.None, ""
			f.RetryAfter = transport.RetryAfter(a.Header)
			break
		}
	}
	return f
}

func (r row) fits(status int, e envelope) bool {
	says := func(p string) bool { return strings.Contains(strings.ToLower(e.Error.Message), p) }
	return r.status == status && (r.code == "" || r.code == e.Error.Details.Code) &&
		(len(r.phrases) == 0 || slices.ContainsFunc(r.phrases, says))
}

// embedded looks for an error inside a success: what stands in between may have
// begun to answer before it knew.
func embedded(a transport.Answer, key string) (*contracts.Failure, bool) {
	f, ok := transport.ClassifyEmbedded(a, key)
	if !ok {
		return nil, false
	}
	var e envelope
	if json.Unmarshal(a.Body, &e) == nil && statusOf[e.Error.Type] != 0 {
		f = classify(transport.Answer{Status: statusOf[e.Error.Type], Header: a.Header, Body: a.Body}, key)
	}
	if f.Code == "" {
		f.Code = "embedded"
	}
	return f, true
}

// unusable says why a well-formed reply is no answer, nil if it is one.
func (r reply) unusable(c contracts.Completion) *contracts.Failure {
	switch r.StopReason {
	case "end_turn", "stop_sequence", "tool_use":
	case "":
		return ended(contracts.Truncated, "cut", "the answer does not say why it ended")
	case "max_tokens":
		return ended(contracts.Truncated, "length", "the answer reached the limit of tokens")
	case "model_context_window_exceeded":
		return ended(contracts.Truncated, "context", "the answer reached the end of the model's context")
	case "refusal":
		return ended(contracts.ContentFiltered, "refusal", "the provider refused to answer")
	case "pause_turn":
		return ended(contracts.BadResponse, "paused", "the answer is a pause, not an end")
	default: // a reason that is not documented is not taken for an end
		return ended(contracts.BadResponse, "stop_reason", "the answer ended for a reason that is not known here: "+c.FinishReason)
	}
	if c.Content == "" && len(c.ToolCalls) == 0 {
		return ended(contracts.BadResponse, "empty", "the answer has no content")
	}
	return nil
}

func ended(class contracts.Class, code, detail string) *contracts.Failure {
	return &contracts.Failure{Class: class, Effect: contracts.Ended, Code: code, Detail: detail}
}

// unsupported is a request that has no rendering here. Nothing was sent.
func unsupported(err error) *contracts.Failure {
	return &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None, Code: "unsupported", Detail: transport.Detail(err.Error())}
}
