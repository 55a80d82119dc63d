package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// Request is an intent as it reached us.
type Request struct {
	Owner string
	// Key is the idempotency key; "" lets the contract derive it from the input
	// (R7), and is refused with ErrKeyRequired if it declares no identity.
	Key      string
	Contract string          // "name" or "name@version"
	Input    json.RawMessage // the member "input" of the body
	// Intent is the canonical form of the whole body, Fingerprint its hash.
	Intent      []byte
	Fingerprint string
	// Budget is how long the job may go on starting attempts, if the caller
	// asked for less than the route gives; 0 for the route's own.
	Budget time.Duration
}

// Submitted is an acknowledged job.
type Submitted struct {
	Job jobstore.Job
	// Replayed says that the job existed already: this call started nothing.
	Replayed bool
	flight   *flight // where this router's driver shows how it goes; nil if another has it
}

// Settle is an operator's word on an unknown attempt.
type Settle struct {
	JobID     string
	Number    int
	As        jobstore.As
	By        string
	Reason    string
	IfVersion int64           // 0 for any
	Output    json.RawMessage // the result, with executed; nil if it is lost
}

// Switch is an operator's change of eligibility.
type Switch struct {
	Target    string
	Contract  string // "name" or "name@version"
	Enable    bool
	By        string
	Reason    string
	IfVersion int64 // the version that the operator saw; 0 for a pair without a record
	// OverrideUntil enables without a valid pass, until then; at most 72 hours
	// from now. Zero: only over a valid pass.
	OverrideUntil time.Time
}

// Standing is whether a target may take over for a contract, and why not.
type Standing struct {
	Target   string
	Contract string
	Digest   string
	State    jobstore.EligibilityState // as of now: an old pass is Expired
	Fallback bool                      // it may take over if eligible; the primary needs no pass
	Eligible bool
	Reason   string // in words an operator can act on
	// RenewFrom is when the pass is to be renewed, well before it expires; zero
	// without one.
	RenewFrom time.Time
	Record    *jobstore.Eligibility
}

// Health is how ready the router is.
type Health struct {
	Store    jobstore.Health
	Draining bool
	Inflight int
}

// What a request may be refused with, before anything is stored.
var (
	ErrKeyRequired = errors.New("an idempotency key is required")
	ErrBusy        = errors.New("the router has as many jobs under way as it may have")
	ErrDraining    = errors.New("the router is shutting down")
	ErrNoReason    = errors.New("a reason is required")
)

// InputError refuses an input that breaks the contract's input schema.
type InputError struct {
	Contract   string
	Violations []contracts.Violation
}

func (e *InputError) Error() string {
	return fmt.Sprintf("the input breaks contract %s in %d place(s)", e.Contract, len(e.Violations))
}

// OutputError refuses a result that breaks the contract, given by an operator.
type OutputError struct{ Failure *contracts.Failure }

func (e *OutputError) Error() string { return "the given result breaks the contract" }

// NoRouteError refuses a contract that no route serves.
type NoRouteError struct {
	Contract string
	Known    []string
}

func (e *NoRouteError) Error() string { return "no route serves contract " + e.Contract }

// TargetError refuses a target that the configuration does not have.
type TargetError struct {
	Target string
	Known  []string
}

func (e *TargetError) Error() string { return "no target is called " + e.Target }

// ReportError refuses a conformance report. Eligibility is unchanged.
type ReportError struct{ Code, Message string }

func (e *ReportError) Error() string { return e.Message }

// NotProvedError refuses to enable a target without a valid conformance pass.
type NotProvedError struct{ Reason string }

func (e *NotProvedError) Error() string { return e.Reason }

// OverrideError refuses an override by its length or its use.
type OverrideError struct{ Message string }

func (e *OverrideError) Error() string { return e.Message }
