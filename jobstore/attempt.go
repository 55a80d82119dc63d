package jobstore

import (
	"strconv"
	"time"

	"inferonce/contracts"
)

// AttemptState is where an attempt is in its life.
type AttemptState string

// The states of an attempt. It is open in the first three, ended in the others.
const (
	AttemptStarting  AttemptState = "starting"  // written; the request may be on its way
	AttemptRunning   AttemptState = "running"   // the provider has shown that it has it
	AttemptUnknown   AttemptState = "unknown"   // nobody knows whether it runs, ran or never will
	AttemptSucceeded AttemptState = "succeeded" // its result is the job's result
	AttemptFailed    AttemptState = "failed"
	AttemptCancelled AttemptState = "cancelled"
	AttemptDiscarded AttemptState = "discarded" // it finished well, but another outcome stood already
)

// AttemptStates lists them all.
var AttemptStates = []AttemptState{AttemptStarting, AttemptRunning, AttemptUnknown,
	AttemptSucceeded, AttemptFailed, AttemptCancelled, AttemptDiscarded}

// Open says that the attempt may still run somewhere.
func (s AttemptState) Open() bool {
	return s == AttemptStarting || s == AttemptRunning || s == AttemptUnknown
}

// MaxAttempts is the most attempts that a job can collect, whatever a route says.
const MaxAttempts = 16

// Attempt is one try at a job: at most one request on the wire.
type Attempt struct {
	Number       int
	Target       string
	Provider     string
	Model        string
	Key          string // name of the provider's key that it is made with; "" where there is only one
	State        AttemptState
	Version      int64 // of the job, read when the attempt began
	Epoch        int64 // of the claim it began under
	Started      time.Time
	Ended        time.Time
	UnknownSince time.Time
	SendBy       time.Time // after it the request no longer leaves
	Reference    string    // the provider's id of the call
	Failure      *contracts.Failure
	Settlement   *Settlement // how somebody outside the request path settled it
	Late         *Late       // what is kept of a result that did not count
}

// AttemptID is how an attempt is named in provider calls, logs and traces (R9).
func AttemptID(job string, n int) string { return job + "." + strconv.Itoa(n) }

// Settlement is an outsider's word on an attempt.
type Settlement struct {
	As     As     `json:"as"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// As is what an outsider says became of an attempt.
type As string

// The settlements.
const (
	Executed    As = "executed"     // it ran; with its result the job succeeds
	NotExecuted As = "not_executed" // it never ran
	Cancelled   As = "cancelled"    // it was stopped, or is given up under the contract's policy
)

// Late is the note kept of a result that came after another outcome stood.
type Late struct {
	Bytes  int             `json:"bytes"`
	SHA256 string          `json:"sha256"`
	Usage  contracts.Usage `json:"usage"`
}
