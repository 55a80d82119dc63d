package transport

import (
	"strings"

	"inferonce/contracts"
)

// Classify makes a Failure of a response that is no success. The body is read
// first and the status second: the same 503 is a refusal when the provider
// itself says so, and a lost call when an edge says it. The secrets are taken
// out of Detail, which holds the provider's words.
//
// A redirect counts as a fault of the target (not_found): its address is wrong
// in the configuration, and nothing ran there.
func Classify(a Answer, secrets ...string) *contracts.Failure {
	return Table(nil).Classify(a, secrets...)
}

// Classify is the package's Classify, with the rows of t tried first.
func (t Table) Classify(a Answer, secrets ...string) *contracts.Failure {
	e, own := parseEnvelope(a.Body)
	if !own {
		e.Message = string(a.Body)
	}
	return t.find(a.Status, e, own).failure(a, e, secrets)
}

// ClassifyEmbedded looks for an error inside a success, which gateways send
// once they have begun to answer, and says whether there is one. A code that
// is an HTTP status, or a word for one, is classified as that status; any other
// error is the provider's own and ended.
func ClassifyEmbedded(a Answer, secrets ...string) (*contracts.Failure, bool) {
	return Table(nil).ClassifyEmbedded(a, secrets...)
}

// ClassifyEmbedded is the package's ClassifyEmbedded, with the rows of t tried first.
func (t Table) ClassifyEmbedded(a Answer, secrets ...string) (*contracts.Failure, bool) {
	e, own := parseEnvelope(a.Body)
	if !own {
		return nil, false
	}
	r := Row{Class: contracts.ProviderError, Effect: contracts.Ended}
	if status := e.status(); status != 0 {
		r = t.find(status, e, true)
	}
	f := r.failure(a, e, secrets)
	if f.Code == "" {
		f.Code = "embedded"
	}
	return f, true
}

// statusOf gives the HTTP status that a provider sends with an error word.
// Sources: OpenAI's and Anthropic's lists of error codes, Google's status names.
var statusOf = map[string]int{
	"invalid_request_error": 400, "invalid_argument": 400, "context_length_exceeded": 400, "content_filter": 400,
	"authentication_error": 401, "invalid_api_key": 401, "permission_error": 403, "permission_denied": 403,
	"model_not_found": 404, "not_found_error": 404, "not_found": 404,
	"insufficient_quota": 429, "rate_limit_exceeded": 429, "rate_limit_error": 429, "resource_exhausted": 429, "slow_down": 429,
	"server_error": 500, "api_error": 500, "internal": 500,
	"server_is_overloaded": 503, "overloaded_error": 529, "unavailable": 503,
	"timeout_error": 504, "timeout": 504, "deadline_exceeded": 504,
}

// status is the HTTP status that the envelope stands for, 0 if it names none.
func (e envelope) status() int {
	if e.Number != 0 {
		return e.Number
	}
	for _, word := range []string{e.Code, e.Type, e.Status} {
		if s := statusOf[strings.ToLower(word)]; s != 0 {
			return s
		}
	}
	return 0
}

func (r Row) failure(a Answer, e envelope, secrets []string) *contracts.Failure {
	f := &contracts.Failure{Class: r.Class, Effect: r.Effect, Code: r.Code, Status: a.Status,
		Detail: Detail(e.Message, secrets...)}
	switch r.Class {
	case contracts.RateLimited, contracts.Overloaded, contracts.QuotaExhausted:
		f.RetryAfter = RetryAfter(a.Header)
	}
	return f
}
