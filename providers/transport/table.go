package transport

import (
	"slices"
	"strings"

	"inferonce/contracts"
)

// row is one line of the classification: a response that fits it has this
// class and effect. The first row that fits decides.
type row struct {
	status  []int    // any of these; empty: any
	own     whose    // who wrote the body
	words   []string // the envelope's code, type or status is one of these; empty: any
	phrases []string // the envelope's message contains one of these; empty: any
	class   contracts.Class
	effect  contracts.Effect
	code    string // our word, "" where class and status say it all
}

// whose says who must have written the body for a row to fit.
type whose int

const (
	anyone   whose = iota
	provider       // the body is the provider's own envelope
	edge           // it is not: HTML, empty, a gateway's text
)

// table is the one place that gives a status a meaning. Sources: RFC 9110 15;
// developers.openai.com error codes; platform.claude.com errors;
// developers.cloudflare.com 5xx errors; llama.cpp and vLLM server sources for
// their words. A refusal at the door ran nothing; an account by the provider of
// its own failure ended; what an edge says about somebody behind it is open.
var table = []row{
	{status: []int{400, 413, 422, 500}, own: provider, words: []string{"context_length_exceeded", "exceed_context_size_error"},
		class: contracts.ContextLength, effect: contracts.None},
	{status: []int{400, 413, 422}, own: provider, phrases: []string{"maximum context length", "prompt is too long"},
		class: contracts.ContextLength, effect: contracts.None},
	{status: []int{400, 403, 422}, own: provider, words: []string{"content_filter", "content_policy_violation", "responsibleaipolicyviolation"},
		class: contracts.ContentFiltered, effect: contracts.None, code: "prompt"},
	{status: []int{400, 402, 403, 429}, own: provider, words: []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached",
		"billing_not_active", "credit_balance_exhausted", "organization_spend_limit_exceeded", "project_spend_limit_exceeded",
		"organization_usage_limit_exceeded", "enforced_spend_limit_reached"},
		class: contracts.QuotaExhausted, effect: contracts.None},
	{status: []int{400}, own: provider, words: []string{"invalid_api_key"},
		class: contracts.Auth, effect: contracts.None},
	{status: []int{400}, own: provider, words: []string{"model_not_found"},
		class: contracts.NotFound, effect: contracts.None},
	// Groq holds an answer against the schema and refuses its own
	// (console.groq.com/docs/structured-outputs): the model ran.
	{status: []int{400}, own: provider, words: []string{"json_validate_failed"},
		class: contracts.ContractViolation, effect: contracts.Ended, code: "output_refused"},

	{status: []int{301, 302, 303, 307, 308}, class: contracts.NotFound, effect: contracts.None, code: "redirect"},
	{status: []int{400, 405, 413, 415, 422}, class: contracts.InvalidRequest, effect: contracts.None},
	{status: []int{401, 403}, class: contracts.Auth, effect: contracts.None},
	{status: []int{402}, class: contracts.QuotaExhausted, effect: contracts.None},
	{status: []int{404, 410}, class: contracts.NotFound, effect: contracts.None},
	{status: []int{408}, class: contracts.Timeout, effect: contracts.Open},
	{status: []int{409}, class: contracts.InvalidRequest, effect: contracts.None, code: "conflict"},
	{status: []int{424}, class: contracts.ProviderError, effect: contracts.Ended, code: "dependency"},
	{status: []int{425}, class: contracts.Overloaded, effect: contracts.None, code: "too_early"},
	{status: []int{429}, class: contracts.RateLimited, effect: contracts.None},

	{status: []int{500}, own: provider, class: contracts.ProviderError, effect: contracts.Ended},
	{status: []int{500}, own: edge, class: contracts.ProviderError, effect: contracts.Open, code: "edge"},
	{status: []int{502}, own: edge, class: contracts.Timeout, effect: contracts.Open, code: "edge"},
	{status: []int{503}, own: provider, phrases: []string{"upstream", "reset before headers"},
		class: contracts.Connection, effect: contracts.Open, code: "edge"},
	{status: []int{503}, own: provider, class: contracts.Overloaded, effect: contracts.None},
	{status: []int{503}, own: edge, class: contracts.Connection, effect: contracts.Open, code: "edge"},
	{status: []int{504}, own: provider, class: contracts.Timeout, effect: contracts.Open},
	{status: []int{504}, own: edge, class: contracts.Timeout, effect: contracts.Open, code: "edge"},
	{status: []int{529}, own: provider, class: contracts.Overloaded, effect: contracts.None},

	{status: []int{520}, class: contracts.ProviderError, effect: contracts.Open, code: "edge"},
	{status: []int{521, 523}, class: contracts.Connection, effect: contracts.None, code: "origin_down"},
	{status: []int{522, 524}, class: contracts.Timeout, effect: contracts.Open, code: "edge"},
	{status: []int{525, 526}, class: contracts.Connection, effect: contracts.None, code: "origin_tls"},
}

// unlisted is for everything else: nobody knows.
var unlisted = row{class: contracts.ProviderError, effect: contracts.Open, code: "unlisted"}

func find(status int, e envelope, own bool) row {
	for _, r := range table {
		if r.fits(status, e, own) {
			return r
		}
	}
	return unlisted
}

func (r row) fits(status int, e envelope, own bool) bool {
	return slices.Contains(r.status, status) &&
		(r.own == anyone || own == (r.own == provider)) &&
		(len(r.words) == 0 || slices.ContainsFunc(r.words, e.says)) &&
		(len(r.phrases) == 0 || slices.ContainsFunc(r.phrases, e.mentions))
}

func (e envelope) says(word string) bool {
	return strings.EqualFold(e.Code, word) || strings.EqualFold(e.Type, word) || strings.EqualFold(e.Status, word)
}

func (e envelope) mentions(phrase string) bool {
	return strings.Contains(strings.ToLower(e.Message), phrase)
}
