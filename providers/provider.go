// Package providers is how the router speaks to whoever runs a model. A
// Provider makes one call and never a second one: what follows a failure is
// the router's decision.
package providers

import (
	"context"
	"encoding/json"
	"time"

	"inferonce/contracts"
)

// Provider runs completions at one provider account.
type Provider interface {
	// Complete sends r once and waits for the answer until ctx ends. Its error
	// is always a *contracts.Failure. Complete never repeats the call, whatever
	// happens, and follows no redirect.
	Complete(ctx context.Context, r Request) (contracts.Completion, error)
	// Traits says, as data, what the provider lets us find out or undo later.
	Traits() Traits
}

// Request is one call to one model.
type Request struct {
	Model    string
	Messages []Message
	// Schema is the JSON Schema of the answer, in its own property order; nil for free text.
	Schema     json.RawMessage
	SchemaName string
	// SchemaLoose says that the API need not enforce Schema, which may lie outside
	// the part of JSON Schema that it enforces.
	SchemaLoose bool
	// JSONObject asks, without a schema, for any one JSON object; an API without
	// such a mode is sent nothing, and the answer is checked in any case.
	JSONObject bool
	// Tools are what the model may call; ToolChoice is then contracts.ToolAuto,
	// contracts.ToolRequired, ToolNone or ToolNamed.
	Tools      []Tool
	ToolChoice string
	ToolName   string // the one tool to call under ToolNamed
	// ParallelTools forbids or allows several calls in one answer; nil leaves it to the provider.
	ParallelTools *bool
	// Temperature, TopP and Seed are left out of the call where nil.
	Temperature *float64
	TopP        *float64
	Seed        *int64
	Stop        []string // texts at which the answer ends, themselves left out
	MaxTokens   int      // of the answer; 0 leaves it to the provider
	// AttemptID travels with the call ("job_3f….2"), so that provider, ledger
	// and log can name the same thing (R9). It holds visible ASCII only.
	AttemptID string
	Limits    Limits
	// OnFirstByte, if set, is called once when the first byte of the answer
	// arrives: from then on the provider is known to have the request.
	OnFirstByte func()
	// OnReference, if set, is called once with the provider's id of the call as
	// soon as it is known, where that is before the answer: with it a lost call
	// can be looked up. It must not block.
	OnReference func(reference string)
}

// The tool choices of a single request beside those that a contract may make.
const (
	ToolNone  = "none"  // tools are known from earlier turns, and none may be called
	ToolNamed = "named" // the one in ToolName must be called
)

// Message is one turn. A system or user turn has Content or Parts; an assistant
// turn Content, ToolCalls or both; a tool turn the result of one call.
type Message struct {
	Role    string // "system", "user", "assistant" or "tool"
	Content string
	// Parts is a user's turn in pieces; Content is then empty.
	Parts []Part `json:",omitempty"`
	// ToolCalls are what an assistant's turn asked for.
	ToolCalls []contracts.ToolCall `json:",omitempty"`
	// ToolCallID names the call whose result a tool turn is, by ToolCall.ID.
	ToolCallID string `json:",omitempty"`
}

// Part is a piece of a user's turn: Text, or an image where Image is set.
type Part struct {
	Text  string
	Image *Image
}

// Image is given by URL, which the provider fetches, or as Data, base64 of
// MediaType. We fetch nothing.
type Image struct {
	URL       string
	MediaType string // "image/png", "image/jpeg", "image/gif" or "image/webp"; with Data only
	Data      string
	Detail    string // "low", "high" or "auto"; "": the provider's own
}

// Tool is a function that a model may ask to be called.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema, in its own property order
}

// Limits bound one call. The whole call is bounded by its context.
type Limits struct {
	// Connect bounds DNS, dial and TLS; what it cuts has effect none. 0: no limit of its own.
	Connect time.Duration
	// FirstByte bounds the time from having a connection to the first byte of the
	// answer, and Idle the gap between two bytes of it. What they cut is a timeout
	// with effect open, "first_byte" or "idle". 0: no limit of its own. A router
	// that keeps listening for a late answer sets neither.
	FirstByte time.Duration
	Idle      time.Duration
	// SendBy is the last moment at which the first byte of the request may
	// leave; later the call is not made and has effect none. Zero: no limit.
	SendBy time.Time
	// MaxBody bounds the answer's bytes after decompression; 0: DefaultMaxBody.
	MaxBody int64
}

// DefaultMaxBody is the largest answer read from a provider, in bytes.
const DefaultMaxBody = 4 << 20

// Traits is the error contract of R20: what can be learnt about a call whose
// answer was lost, and what a duplicate costs. Each line names its source in
// the adapter.
type Traits struct {
	Lookup      string        // LookupNone, LookupByID or LookupByMetadata
	Push        string        // PushNone, PushAccount or PushPerRequest
	Cancel      string        // CancelNone, CancelRequest or CancelConfirmed
	CreateToken bool          // the provider proved that it honours an idempotency key
	MaxRun      time.Duration // longest that a call can go on after it was sent; 0: unknown
	Retention   time.Duration // how long an ended call can be looked up; 0: not at all, or unknown
	Duplicate   string        // what a second execution costs, in words
	Operations  []Operation   // every call that the adapter makes
}

// What can be found out about a call whose answer was lost.
const (
	LookupNone       = "none"
	LookupByID       = "by_id"       // with the provider's id, if that arrived
	LookupByMetadata = "by_metadata" // with our attempt id
)

// Whether the provider tells us by itself.
const (
	PushNone       = "none"
	PushAccount    = "account"     // by webhooks of the account
	PushPerRequest = "per_request" // to an address that each request names
)

// What a cancel is worth. It never makes an unknown attempt known by itself.
const (
	CancelNone      = "none"
	CancelRequest   = "request"   // a wish; the work may go on
	CancelConfirmed = "confirmed" // the provider answers that it has ended
)

// Operation is one kind of call that an adapter makes.
type Operation struct {
	Name    string // "create", "retrieve", "cancel"
	Call    string // method and path, "POST /v1/messages"
	Changes bool   // it starts, ends or stores something at the provider
	Source  string // the provider's page that says so
}

// Checker is a Provider that can tell, without calling anybody, that a request
// can't be put in its API's words.
type Checker interface {
	// Takes returns a *Unsupported if r, or a part of it, has no valid rendering
	// at this provider, and nil otherwise. What it refuses is never left out in silence.
	Takes(r Request) error
}

// Unsupported is a part of a request that a provider can't take.
type Unsupported struct {
	Part   string // where, in the words of Request: "messages[1].parts[0].image"
	Reason string // why, as a clause: "this API takes images as data only"
}

func (u *Unsupported) Error() string { return u.Part + ": " + u.Reason }

// Call names an attempt's call at the provider.
type Call struct {
	AttemptID string
	Reference string // the provider's id of it; "" if it never arrived
	Model     string
	Limits    Limits
}

// FindingState is what a look-up or an event says of a call.
type FindingState string

// The findings. Absent proves nothing before Traits.MaxRun is over.
const (
	FoundRunning   FindingState = "running"
	FoundDone      FindingState = "done"      // Finding.Completion is the answer
	FoundFailed    FindingState = "failed"    // Finding.Failure says how; its effect is never Open
	FoundCancelled FindingState = "cancelled" // it was stopped
	FoundAbsent    FindingState = "absent"    // the provider knows no such call
)

// Finding is what a provider says of a call after all.
type Finding struct {
	State      FindingState
	Reference  string // the provider's id of the call, where it became known
	AttemptID  string // ours, where the provider gave it back
	Completion *contracts.Completion
	Failure    *contracts.Failure
}

// Lookuper is a Provider that can be asked about a call whose answer was lost.
type Lookuper interface {
	// Lookup asks once and changes nothing at the provider. A state of the
	// provider's that is not known here is FoundRunning: nobody guesses. The error
	// is a *contracts.Failure and says nothing about the call.
	Lookup(ctx context.Context, c Call) (Finding, error)
}

// Canceler is a Provider that can be asked to stop a call.
type Canceler interface {
	// Cancel asks once. Asking twice is asking once. What became of the call is
	// in the finding; FoundRunning: the wish was taken, nothing more is known.
	Cancel(ctx context.Context, c Call) (Finding, error)
}

// Event is a provider's webhook, once its signature has been verified.
type Event struct {
	ID        string // the provider's id of the event
	Type      string // the provider's word for it
	AttemptID string // ours, where the event carries it
	Reference string // the provider's id of the call
	// Finding is what the event itself says; nil where the call must be looked up to know.
	Finding *Finding
}

// CallbackParser is a Provider that understands its own webhooks.
type CallbackParser interface {
	// ParseCallback reads a verified body. It calls nobody. An event that is about
	// no call of ours has neither AttemptID nor Reference.
	ParseCallback(body []byte) (Event, error)
}
