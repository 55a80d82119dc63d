package gemini

import (
	"slices"
	"strings"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// row is a failure that this API says in words of its own. The first row that
// fits decides; the transport's table has the rest.
type row struct {
	status  string   // google.rpc.Code by name; "": any
	reason  string   // ErrorInfo.reason; "": any
	daily   bool     // a QuotaFailure names a quota per day
	phrases []string // the message contains one of these; empty: any
	class   contracts.Class
	effect  contracts.Effect
	code    string
}

var table = []row{
	// A key that is wrong is a 400 here (ai.google.dev/gemini-api/docs/troubleshooting).
	{reason: "API_KEY_INVALID", class: contracts.Auth, effect: contracts.None},
	// cloud.google.com/apis/design/errors, google.api.ErrorReason.
	{reason: "BILLING_DISABLED", class: contracts.QuotaExhausted, effect: contracts.None},
	// "The free tier is not available in your country": a matter of the account,
	// not of the request (ai.google.dev/gemini-api/docs/troubleshooting).
	{status: "FAILED_PRECONDITION", class: contracts.Auth, effect: contracts.None, code: "precondition"},
	// The wording is that of public reports.
	{status: "INVALID_ARGUMENT", phrases: []string{"exceeds the maximum number of tokens"}, class: contracts.ContextLength, effect: contracts.None},
	// A quota per day ends at midnight in California; the delay that stands beside
	// it is that of the quota per minute (ai.google.dev/gemini-api/docs/rate-limits;
	// google-gemini/gemini-cli#8437 for the names of the quotas).
	{status: "RESOURCE_EXHAUSTED", daily: true, class: contracts.QuotaExhausted, effect: contracts.None, code: "per_day"},
	// Money that is spent. The wordings are those of public reports.
	{status: "RESOURCE_EXHAUSTED", phrases: []string{"prepayment credits are depleted", "monthly spending cap"}, class: contracts.QuotaExhausted, effect: contracts.None},
	// A 499: somebody in between gave up; what became of the work is not said
	// (cloud.google.com google.rpc.Code).
	{status: "CANCELLED", class: contracts.Timeout, effect: contracts.Open, code: "cancelled"},
}

// classify makes a Failure of an answer that is no success.
func classify(a transport.Answer, key string) *contracts.Failure {
	f := transport.Classify(a, key)
	if own, ok := parse(a.Body); ok {
		refine(f, own)
	}
	return f
}

func refine(f *contracts.Failure, own account) {
	for _, r := range table {
		if r.fits(own) {
			f.Class, f.Effect, f.Code, f.RetryAfter = r.class, r.effect, r.code, 0
			return
		}
	}
	if f.RetryAfter == 0 && (f.Class == contracts.RateLimited || f.Class == contracts.Overloaded) {
		f.RetryAfter = own.delay
	}
}

func (r row) fits(a account) bool {
	says := func(p string) bool { return strings.Contains(strings.ToLower(a.message), p) }
	return (r.status == "" || r.status == a.status) && (r.reason == "" || r.reason == a.reason) && (!r.daily || a.daily) &&
		(len(r.phrases) == 0 || slices.ContainsFunc(r.phrases, says))
}

// embedded looks for an error inside a success, which gateways send.
func embedded(a transport.Answer, key string) (*contracts.Failure, bool) {
	f, ok := transport.ClassifyEmbedded(a, key)
	if !ok {
		return nil, false
	}
	if own, ok := parse(a.Body); ok {
		refine(f, own)
	}
	if f.Code == "" {
		f.Code = "embedded"
	}
	return f, true
}

// withheld are the reasons for which an answer is kept back
// (ai.google.dev/api/generate-content#FinishReason; MODEL_ARMOR is Vertex's).
var withheld = []string{"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
	"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "MODEL_ARMOR"}

// badCalls are calls that the API itself could not read, or that nobody offered.
var badCalls = []string{"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"}

// unusable says why a candidate is no answer, nil if it is one.
func (c candidate) unusable(done contracts.Completion, key string) *contracts.Failure {
	switch {
	case c.FinishReason == "": // "the model has not stopped generating tokens"
		return ended(contracts.Truncated, "cut", "the answer does not say why it ended")
	case c.FinishReason == "MAX_TOKENS":
		return ended(contracts.Truncated, "length", "the answer reached the limit of tokens")
	case slices.Contains(withheld, c.FinishReason):
		return ended(contracts.ContentFiltered, "answer", "the provider withheld the answer: "+label(c.FinishReason, key))
	case slices.Contains(badCalls, c.FinishReason):
		return ended(contracts.BadResponse, "tool_call", transport.Detail(c.FinishReason+" "+c.FinishMessage, key))
	case c.FinishReason != "STOP": // LANGUAGE, OTHER, MALFORMED_RESPONSE, and what is not known here
		return ended(contracts.BadResponse, "finish_reason", transport.Detail(c.FinishReason+" "+c.FinishMessage, key))
	case c.unfetched():
		return ended(contracts.BadResponse, "url_retrieval", "the provider answered without an image that it could not fetch")
	case done.Content == "" && len(done.ToolCalls) == 0:
		return ended(contracts.BadResponse, "empty", "the answer has no content")
	}
	return nil
}

// unfetched says that an address of the request was not read. The model answers
// then as if it had not been there (UrlRetrievalStatus in
// ai.google.dev/api/generate-content; for images that it stands in the same
// place is not documented).
func (c candidate) unfetched() bool {
	for _, f := range c.Fetched.All {
		if f.Status != "" && f.Status != "URL_RETRIEVAL_STATUS_SUCCESS" {
			return true
		}
	}
	return false
}

// blocked is a reply without candidates. A prompt that is blocked gets none,
// and nothing was generated (ai.google.dev/api/generate-content#PromptFeedback).
func (r reply) blocked(key string) *contracts.Failure {
	if r.Feedback.BlockReason == "" {
		return ended(contracts.BadResponse, "no_candidates", "the answer has no candidates")
	}
	return &contracts.Failure{Class: contracts.ContentFiltered, Effect: contracts.None, Code: "prompt",
		Detail: "the provider blocked the prompt: " + label(r.Feedback.BlockReason, key)}
}

func ended(class contracts.Class, code, detail string) *contracts.Failure {
	return &contracts.Failure{Class: class, Effect: contracts.Ended, Code: code, Detail: detail}
}

// unsupported is a request that has no rendering here. Nothing was sent.
func unsupported(err error) *contracts.Failure {
	return &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.None, Code: "unsupported", Detail: transport.Detail(err.Error())}
}
