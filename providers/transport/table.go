package transport

import (
	"slices"
	"strings"

	"inferonce/contracts"
)

// Row is one line of the classification: a response that fits it has this
// class and effect. The first row that fits decides.
type Row struct {
	Status  []int    // any of these; empty: any
	Own     Whose    // who wrote the body
	Words   []string // the envelope's code, type or status is one of these; empty: any
	Phrases []string // the envelope's message contains one of these, in lower case; empty: any
	Class   contracts.Class
	Effect  contracts.Effect
	Code    string // our word, "" where class and status say it all
}

// Whose says who must have written the body for a row to fit.
type Whose int

// The authors of a body.
const (
	Anyone   Whose = iota
	Provider       // the body is the provider's own envelope
	Edge           // it is not: HTML, empty, a gateway's text
)

// Table is what a provider's own rows say before the general table is asked.
// The nil Table is the general one.
type Table []Row

// table is the one place that gives a status a meaning. Sources: RFC 9110 15;
// developers.openai.com error codes; platform.claude.com errors;
// developers.cloudflare.com 5xx errors; llama.cpp and vLLM server sources for
// their words. A refusal at the door ran nothing; an account by the provider of
// its own failure ended; what an edge says about somebody behind it is open.
var table = Table{
	{Status: []int{400, 413, 422, 500}, Own: Provider, Words: []string{"context_length_exceeded", "exceed_context_size_error"},
		Class: contracts.ContextLength, Effect: contracts.None},
	{Status: []int{400, 413, 422}, Own: Provider, Phrases: []string{"maximum context length", "prompt is too long"},
		Class: contracts.ContextLength, Effect: contracts.None},
	{Status: []int{400, 403, 422}, Own: Provider, Words: []string{"content_filter", "content_policy_violation", "responsibleaipolicyviolation"},
		Class: contracts.ContentFiltered, Effect: contracts.None, Code: "prompt"},
	{Status: []int{400, 402, 403, 429}, Own: Provider, Words: []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached",
		"billing_not_active", "credit_balance_exhausted", "organization_spend_limit_exceeded", "project_spend_limit_exceeded",
		"organization_usage_limit_exceeded", "enforced_spend_limit_reached"},
		Class: contracts.QuotaExhausted, Effect: contracts.None},
	{Status: []int{400}, Own: Provider, Words: []string{"invalid_api_key"},
		Class: contracts.Auth, Effect: contracts.None},
	{Status: []int{400}, Own: Provider, Words: []string{"model_not_found"},
		Class: contracts.NotFound, Effect: contracts.None},
	// Groq holds an answer against the schema and refuses its own
	// (console.groq.com/docs/structured-outputs): the model ran.
	{Status: []int{400}, Own: Provider, Words: []string{"json_validate_failed"},
		Class: contracts.ContractViolation, Effect: contracts.Ended, Code: "output_refused"},

	{Status: []int{301, 302, 303, 307, 308}, Class: contracts.NotFound, Effect: contracts.None, Code: "redirect"},
	{Status: []int{400, 405, 413, 415, 422}, Class: contracts.InvalidRequest, Effect: contracts.None},
	{Status: []int{401, 403}, Class: contracts.Auth, Effect: contracts.None},
	{Status: []int{402}, Class: contracts.QuotaExhausted, Effect: contracts.None},
	{Status: []int{404, 410}, Class: contracts.NotFound, Effect: contracts.None},
	{Status: []int{408}, Class: contracts.Timeout, Effect: contracts.Open},
	{Status: []int{409}, Class: contracts.InvalidRequest, Effect: contracts.None, Code: "conflict"},
	{Status: []int{424}, Class: contracts.ProviderError, Effect: contracts.Ended, Code: "dependency"},
	{Status: []int{425}, Class: contracts.Overloaded, Effect: contracts.None, Code: "too_early"},
	{Status: []int{429}, Class: contracts.RateLimited, Effect: contracts.None},

	{Status: []int{500}, Own: Provider, Class: contracts.ProviderError, Effect: contracts.Ended},
	{Status: []int{500}, Own: Edge, Class: contracts.ProviderError, Effect: contracts.Open, Code: "edge"},
	{Status: []int{502}, Own: Edge, Class: contracts.Timeout, Effect: contracts.Open, Code: "edge"},
	{Status: []int{503}, Own: Provider, Phrases: []string{"upstream", "reset before headers"},
		Class: contracts.Connection, Effect: contracts.Open, Code: "edge"},
	{Status: []int{503}, Own: Provider, Class: contracts.Overloaded, Effect: contracts.None},
	{Status: []int{503}, Own: Edge, Class: contracts.Connection, Effect: contracts.Open, Code: "edge"},
	{Status: []int{504}, Own: Provider, Class: contracts.Timeout, Effect: contracts.Open},
	{Status: []int{504}, Own: Edge, Class: contracts.Timeout, Effect: contracts.Open, Code: "edge"},
	{Status: []int{529}, Own: Provider, Class: contracts.Overloaded, Effect: contracts.None},

	{Status: []int{520}, Class: contracts.ProviderError, Effect: contracts.Open, Code: "edge"},
	{Status: []int{521, 523}, Class: contracts.Connection, Effect: contracts.None, Code: "origin_down"},
	{Status: []int{522, 524}, Class: contracts.Timeout, Effect: contracts.Open, Code: "edge"},
	{Status: []int{525, 526}, Class: contracts.Connection, Effect: contracts.None, Code: "origin_tls"},
}

// unlisted is for everything else: nobody knows.
var unlisted = Row{Class: contracts.ProviderError, Effect: contracts.Open, Code: "unlisted"}

func (t Table) find(status int, e envelope, own bool) Row {
	for _, rows := range []Table{t, table} {
		for _, r := range rows {
			if r.fits(status, e, own) {
				return r
			}
		}
	}
	return unlisted
}

func (r Row) fits(status int, e envelope, own bool) bool {
	return (len(r.Status) == 0 || slices.Contains(r.Status, status)) &&
		(r.Own == Anyone || own == (r.Own == Provider)) &&
		(len(r.Words) == 0 || slices.ContainsFunc(r.Words, e.says)) &&
		(len(r.Phrases) == 0 || slices.ContainsFunc(r.Phrases, e.mentions))
}

func (e envelope) says(word string) bool {
	return strings.EqualFold(e.Code, word) || strings.EqualFold(e.Type, word) || strings.EqualFold(e.Status, word)
}

func (e envelope) mentions(phrase string) bool {
	return strings.Contains(strings.ToLower(e.Message), phrase)
}
