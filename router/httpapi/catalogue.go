package httpapi

import "net/http"

// The codes of problems: what a client's program may branch on. A code never
// changes its meaning or its status.
const (
	codeNotFound     = "not_found"
	codeMethod       = "method_not_allowed"
	codeUnauthorized = "unauthorized"
	codeForbidden    = "scope_missing"
	codeQuery        = "query_invalid"
	codeCursor       = "cursor_invalid"

	codeKeyRequired   = "idempotency_key_required"
	codeKeyInvalid    = "idempotency_key_invalid"
	codeKeyReused     = "idempotency_key_reused"
	codeMediaType     = "content_type_unsupported"
	codeEncoding      = "content_encoding_unsupported"
	codeBodyTooLarge  = "body_too_large"
	codeBodyTimeout   = "body_timeout"
	codeBodyCut       = "body_incomplete"
	codeBodyInvalid   = "body_invalid"
	codeCallbacks     = "callbacks_unavailable"
	codePrefer        = "prefer_invalid"
	codeBudget        = "budget_invalid"
	codeIfMatch       = "if_match_invalid"
	codeIfMatchNeeded = "if_match_required"

	codeContractUnknown = "contract_unknown"
	codeNoRoute         = "no_route"
	codeInputInvalid    = "input_invalid"
	codeUnsupported     = "content_unsupported"

	codeModelUnknown = "model_not_found"
	codeModelNotChat = "model_not_chat"
	codeParameter    = "unsupported_parameter"
	codeInProgress   = "job_in_progress"

	codeJobNotFound = "job_not_found"
	codeJobFailed   = "job_failed"
	codeDeadline    = "deadline_exceeded"
	codeQuarantined = "quarantined"
	codeNoFallback  = "no_eligible_fallback"
	codeSpendCap    = "spend_cap"
	codeCancelled   = "job_cancelled"

	codeJobEnded      = "job_ended"
	codeNotUnknown    = "attempt_not_unknown"
	codeUnderWay      = "attempt_under_way"
	codeTooSoon       = "too_soon"
	codeReason        = "reason_required"
	codeOutputInvalid = "output_invalid"
	codeConflict      = "version_conflict"
	codeTargetUnknown = "target_unknown"
	codeNotProved     = "not_proved"
	codeReportRefused = "report_refused"

	codeBusy     = "busy"
	codeDraining = "draining"
	codeStore    = "store_unavailable"
	codeReplica  = "store_not_replicated"
	codeRollback = "store_rolled_back"
	codeInternal = "internal"
)

// kind is what all problems of one code have in common.
type kind struct {
	status    int
	title     string
	retryable bool   // the same request may succeed later
	next      string // what to do about it
}

// catalogue is every problem that this face can answer with. Codes that a
// client may send again are retryable: nothing of theirs can run twice, since
// the idempotency key or the version decides.
var catalogue = map[string]kind{
	codeNotFound:     {404, "No such resource", false, "See /openapi.json for the calls there are; paths are matched exactly, also a slash at the end."},
	codeMethod:       {405, "Method not allowed", false, "Use one of the methods of the Allow header."},
	codeUnauthorized: {401, "No valid API key", false, "Ask the operator for an API key; `inferonce keys new` makes one."},
	codeForbidden:    {403, "The API key lacks a scope", false, "Use a key that has the scope, or ask the operator to add it."},
	codeQuery:        {400, "Query not understood", false, "Correct the query parameters."},
	codeCursor:       {400, "Cursor not understood", false, "Use the `next` of the page before, unchanged, or begin without a cursor."},

	codeKeyRequired:   {400, "Idempotency key required", false, "Send an Idempotency-Key that names the event, such as an order number, and the same one when you repeat the request."},
	codeKeyInvalid:    {400, "Idempotency key not usable", false, "Send one Idempotency-Key header with 1 to 255 printable ASCII characters and no spaces."},
	codeKeyReused:     {409, "Idempotency key stands for another intent", false, "Send the original body to get the original job, or a new key for a new intent."},
	codeMediaType:     {415, "Content type not supported", false, "Send application/json in UTF-8."},
	codeEncoding:      {415, "Content encoding not supported", false, "Send the body uncompressed."},
	codeBodyTooLarge:  {413, "Body too large", false, "Send a smaller body."},
	codeBodyTimeout:   {408, "Body not received in time", true, "Send the request again; nothing was stored."},
	codeBodyCut:       {400, "Body cut short", false, "Send the whole body; nothing was stored."},
	codeBodyInvalid:   {400, "Body not understood", false, "Correct the body at the place that `pointer` or `offset` names."},
	codeCallbacks:     {422, "Callbacks are not available", false, "Leave `callback_url` out, and poll the job's address instead."},
	codePrefer:        {400, "Prefer header not understood", false, "Send `Prefer: wait=SECONDS` or `Prefer: respond-async`."},
	codeBudget:        {400, "Budget not understood", false, "Send a duration such as `Inferonce-Budget: 20s`."},
	codeIfMatch:       {400, "If-Match not understood", false, "Send the version in double quotes, such as `If-Match: \"3\"`."},
	codeIfMatchNeeded: {http.StatusPreconditionRequired, "If-Match required", false, "Read the version with GET /v1/eligibility and send it as `If-Match: \"3\"`; `\"0\"` for a pair without a record."},

	codeContractUnknown: {404, "No such contract", false, "Use one of the contracts in `known`."},
	codeNoRoute:         {404, "No route serves the contract", false, "Use one of the contracts in `known`, or ask the operator for a route."},
	codeInputInvalid:    {422, "The input breaks the contract", false, "Correct the places in `errors`. The key is still free."},

	codeJobNotFound: {404, "No such job", false, "Check the id. Jobs are seen by their owner only, and expire some time after they end."},
	codeJobFailed:   {502, "The job failed", false, "See `job` for what was tried. The same key gives this answer again; use a new key to try anew."},
	codeDeadline:    {504, "The job ran out of time", false, "See `job` for what was tried. Use a new key, and a larger budget, to try anew."},
	codeQuarantined: {502, "The job was set aside", false, "It was taken up several times without progress; tell the operator its id."},
	codeSpendCap:    {502, "The job's spend cap was reached", false, "See `job` for what was tried and what it cost. The same key gives this answer again; use a new key to try anew."},
	codeNoFallback:  {503, "No fallback may take over", false, "See `excluded`. Run conformance for a fallback, or enable it; then use a new key."},
	codeCancelled:   {409, "The job was cancelled", false, "Use a new key to ask anew."},

	codeUnsupported:  {422, "No target can take the request", false, "Leave the part out, or ask the operator for a target that takes it; see `excluded`. Nothing was stored."},
	codeModelUnknown: {404, "No such model", false, "Use one of the models in `known`, or of GET /v1/models."},
	codeModelNotChat: {400, "The model takes no chat requests", false, "Use POST /v1/infer with `contract` and `input`."},
	codeParameter:    {400, "Parameter not supported", false, "Leave the parameter out, or send the value that is named; nothing was stored."},
	codeInProgress:   {409, "The job is under way", true, "Send the same request, with the same key, again after the time in Retry-After: it starts nothing and gets the same job's answer."},

	codeJobEnded:      {409, "The job has ended", false, "Read the job; its outcome stands."},
	codeNotUnknown:    {409, "The attempt is not unknown", false, "Read the job; only an unknown attempt can be settled."},
	codeUnderWay:      {409, "An attempt is under way", true, "Ask again when the attempt has ended or is unknown."},
	codeTooSoon:       {409, "The request could still be sent", true, "Ask again after the time in Retry-After."},
	codeReason:        {400, "A reason is required", false, "Say why, in `reason`; it is kept in the record."},
	codeOutputInvalid: {422, "The output breaks the contract", false, "Correct the places in `errors`, or leave `output` out if it is lost."},
	codeConflict:      {http.StatusPreconditionFailed, "Somebody else changed it", false, "Read it again, decide again, and send the current version in If-Match."},
	codeTargetUnknown: {404, "No such target", false, "Use one of the targets in `known`."},
	codeNotProved:     {409, "The target has not proved itself", false, "Run `inferonce conformance run` for the target and the contract, then hand in the report."},
	codeReportRefused: {422, "The report was refused", false, "See `reason`. Eligibility is unchanged."},

	codeBusy:     {503, "The router is busy", true, "Send the same request again after the time in Retry-After; nothing was stored."},
	codeDraining: {503, "The router is shutting down", true, "Send the same request again; another router will take it."},
	codeStore:    {503, "The store is not available", true, "Send the same request, with the same key, again after the time in Retry-After."},
	codeReplica:  {503, "The store has no replica in step", true, "Send the same request, with the same key, again after the time in Retry-After; the job is stored and nothing was sent."},
	codeRollback: {503, "The store has lost records", true, "Tell the operator, who reads `inferonce store status` and decides; then send the same request again."},
	codeInternal: {500, "Internal error", true, "Send the same request, with the same key, again; if it stays, give the x-request-id to the operator."},
}
