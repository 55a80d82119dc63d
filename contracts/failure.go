package contracts

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Class says why a call did not give a usable answer.
type Class string

// The classes. The comment names what usually causes one; the effect of the
// failure is always stated apart, in Failure.Effect.
const (
	InvalidRequest    Class = "invalid_request"    // 400, 405, 413, 415, 422: the intent is at fault
	Auth              Class = "auth"               // 401, 403: key or permission of the target
	NotFound          Class = "not_found"          // 404: the target's model or path is gone
	ContextLength     Class = "context_length"     // the prompt does not fit this model
	ContentFiltered   Class = "content_filtered"   // refused or withheld by a content filter
	RateLimited       Class = "rate_limited"       // 429: come back later
	QuotaExhausted    Class = "quota_exhausted"    // 402, 429 for money: never again until an operator acts
	Overloaded        Class = "overloaded"         // 503, 529 with the provider's own body
	Connection        Class = "connection"         // DNS, dial, TLS, reset, EOF
	Timeout           Class = "timeout"            // no answer in time, by our clock or a proxy's
	ProviderError     Class = "provider_error"     // 500 with the provider's own body, an error inside a 200
	BadResponse       Class = "bad_response"       // garbage, empty choices, HTML in a 200, too large
	Truncated         Class = "truncated"          // the answer was cut
	ContractViolation Class = "contract_violation" // valid JSON that breaks the contract
	RouterLost        Class = "router_lost"        // the router that held the attempt is gone
	Internal          Class = "internal"           // a programming error of ours
)

// CodeAnotherKey is the code of a failure that is the fault of one key, where the
// provider has another: the next attempt there would be made with that.
const CodeAnotherKey = "another_key"

// Effect says what became of the work a failed call asked for.
type Effect string

// The effects. In doubt it is Open: only Open forbids a next attempt.
const (
	None  Effect = "none"  // nothing ran
	Ended Effect = "ended" // it ran, and it is over
	Open  Effect = "open"  // it may still be running
)

// Failure is the error of every provider call. Decisions read Class and
// Effect and nothing else.
type Failure struct {
	Class  Class
	Effect Effect
	// Code is a short stable word of ours that narrows the class, such as
	// "first_byte" for a Timeout. It is safe in logs and metric labels.
	Code string
	// Detail is one line for the owner of the job. It may hold text of the
	// provider, so it never goes to a log, a metric or Error.
	Detail string
	// Status is the provider's HTTP status; 0 if there was none.
	Status int
	// RetryAfter is the wait that the provider asked for; 0 if it asked for none.
	RetryAfter time.Duration
	// Violations are the places where an answer breaks its contract.
	Violations []Violation
}

// Error leaves the provider's own text out.
func (f *Failure) Error() string {
	s := fmt.Sprintf("%s (effect %s)", f.Class, f.Effect)
	if f.Code != "" {
		s = fmt.Sprintf("%s: %s (effect %s)", f.Class, f.Code, f.Effect)
	}
	if f.Status != 0 {
		s += fmt.Sprintf(", status %d", f.Status)
	}
	return s
}

// ModelGone says that the provider has no such model, or no longer: a 404 that
// speaks of the model, or a refusal that says it was taken out of service. A 404
// that does not name the model may be about an address. Detail is read for words
// and kept where it is.
func (f *Failure) ModelGone() bool {
	said := strings.ToLower(f.Code + " " + f.Detail)
	switch f.Class {
	case NotFound:
		return f.Code != "redirect" && strings.Contains(said, "model")
	case InvalidRequest: // a deprecated parameter is no deprecated model
		return strings.Contains(said, "model_decommissioned") || strings.Contains(said, "model") && strings.Contains(said, "has been decommissioned")
	}
	return false
}

type failureJSON struct {
	Class        Class       `json:"class"`
	Effect       Effect      `json:"effect"`
	Code         string      `json:"code,omitempty"`
	Detail       string      `json:"detail,omitempty"`
	Status       int         `json:"status,omitempty"`
	RetryAfterMS int64       `json:"retry_after_ms,omitempty"`
	Violations   []Violation `json:"violations,omitempty"`
}

// MarshalJSON writes the wait in milliseconds, as retry_after_ms.
func (f Failure) MarshalJSON() ([]byte, error) {
	return json.Marshal(failureJSON{f.Class, f.Effect, f.Code, f.Detail, f.Status, f.RetryAfter.Milliseconds(), f.Violations})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Failure) UnmarshalJSON(b []byte) error {
	var j failureJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*f = Failure{j.Class, j.Effect, j.Code, j.Detail, j.Status, time.Duration(j.RetryAfterMS) * time.Millisecond, j.Violations}
	return nil
}

// Violation is one place where a value breaks a schema or an assertion.
type Violation struct {
	// Pointer is the JSON pointer (RFC 6901) of the offending value; "" is the whole.
	Pointer string `json:"pointer"`
	// Rule names what was broken: a schema keyword, or an assertion's name.
	Rule string `json:"rule"`
	// Message says it in words, without the offending value itself.
	Message string `json:"message"`
}
