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
	// Tools are what the model may call; ToolChoice is then contracts.ToolAuto
	// or contracts.ToolRequired.
	Tools      []Tool
	ToolChoice string
	// Temperature is omitted from the call where nil.
	Temperature *float64
	MaxTokens   int
	// AttemptID travels with the call ("job_3f….2"), so that provider, ledger
	// and log can name the same thing (R9). It holds visible ASCII only.
	AttemptID string
	Limits    Limits
	// OnFirstByte, if set, is called once when the first byte of the answer
	// arrives: from then on the provider is known to have the request.
	OnFirstByte func()
}

// Message is one turn. Role is "system", "user" or "assistant".
type Message struct {
	Role    string
	Content string
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
	Lookup      string        // "none", "by_id", "by_metadata"
	Push        string        // "none", "account", "per_request"
	Cancel      string        // "none", "request", "confirmed"
	CreateToken bool          // the provider proved that it honours an idempotency key
	MaxRun      time.Duration // longest that a call can go on after it was sent; 0: unknown
	Duplicate   string        // what a second execution costs, in words
}
