package jobstore

import (
	"time"

	"inferonce/contracts"
)

// JobState is where a job is in its life.
type JobState string

// The states of a job. The first three are live, the others final.
const (
	JobQueued    JobState = "queued"    // nothing runs; the next attempt may begin
	JobRunning   JobState = "running"   // its newest attempt is starting or running
	JobUnknown   JobState = "unknown"   // an attempt of it is unknown, and nothing else may start
	JobSucceeded JobState = "succeeded" // exactly one attempt's result is written
	JobFailed    JobState = "failed"    // nothing is left to try
	JobCancelled JobState = "cancelled" // its owner gave it up
)

// JobStates lists them all.
var JobStates = []JobState{JobQueued, JobRunning, JobUnknown, JobSucceeded, JobFailed, JobCancelled}

// Live says that the job has not ended.
func (s JobState) Live() bool { return s == JobQueued || s == JobRunning || s == JobUnknown }

// Job is the durable record of one intent.
type Job struct {
	ID          string
	Owner       string // who the idempotency key belongs to
	Key         string // the idempotency key
	Fingerprint string // of the whole intent, with the version of its algorithm
	Contract    string // "name@version"
	Digest      string // of the contract that the job was accepted under
	Route       string
	Intent      []byte // canonical JSON of the request's body
	Callback    string // where its owner is told of the outcome; "" for nowhere
	State       JobState
	Version     int64 // bumped by whatever closes the result slot or fences an attempt out
	Epoch       int64 // of the newest claim
	CompletedBy int   // number of the attempt whose result it is; 0 for none
	Created     time.Time
	Deadline    time.Time // no attempt starts after it
	Budget      time.Duration
	Ended       time.Time
	Result      *contracts.Result
	Error       *JobError
	Lease       time.Time
	Holder      string // the router that drives it; "" for none
	Claims      int    // claims since the last progress
	Open        int    // attempts that are starting, running or unknown
	Attempts    []Attempt
}

// Recovered says that the job succeeded, and needed more than one attempt (R19).
func (j *Job) Recovered() bool { return j.State == JobSucceeded && len(j.Attempts) > 1 }

// Attempt finds an attempt by its number; nil if there is none.
func (j *Job) Attempt(n int) *Attempt {
	if n < 1 || n > len(j.Attempts) {
		return nil
	}
	return &j.Attempts[n-1]
}

// Last is the newest attempt; nil if none has begun.
func (j *Job) Last() *Attempt { return j.Attempt(len(j.Attempts)) }

// JobError says why a job failed. It is stored with the job, so that a repeat
// of the request answers the same (R8).
type JobError struct {
	Code     string     `json:"code"` // job_failed, no_eligible_fallback, deadline_exceeded, spend_cap, quarantined
	Message  string     `json:"message"`
	Excluded []Excluded `json:"excluded,omitempty"`
}

// Excluded is a target that could not take over, and why.
type Excluded struct {
	Target string `json:"target"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
}
