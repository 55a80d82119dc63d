package router

import (
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// Event names what an Observation is about.
type Event string

// The events.
const (
	JobSubmitted     Event = "job submitted"
	JobReplayed      Event = "job replayed"      // the same key and intent again: nothing was started
	KeyConflict      Event = "key conflict"      // the same key with another intent: refused
	JobEnded         Event = "job ended"         // State says how
	JobUnknown       Event = "job unknown"       // an attempt of it is unknown and nothing else may start
	JobQuarantined   Event = "job quarantined"   // claimed too often without progress
	AttemptBegan     Event = "attempt began"     //
	AttemptSettled   Event = "attempt settled"   // Class and Effect are empty if it went well
	AttemptUnknown   Event = "attempt unknown"   //
	AttemptOrphaned  Event = "attempt orphaned"  // its router is gone
	AttemptResolved  Event = "attempt resolved"  // by an operator or the contract's policy
	LateDiscarded    Event = "late discarded"    // a good result that came after another outcome stood
	StoreTrouble     Event = "store trouble"     // a move could not be made; it is made again
	CircuitMoved     Event = "circuit moved"     // State is what a target's breaker is now
	TargetRests      Event = "target rests"      // State says whether it rests or is called again
	KeyRests         Event = "key rests"         // of a provider with several; Target is "provider/key"
	EligibilityMoved Event = "eligibility moved" // by an operator, a report, live traffic or the canary
)

// Observation is one thing that happened. It never holds a prompt, an answer,
// a key or a provider's text, so every field may be logged.
type Observation struct {
	Event    Event
	Owner    string
	Job      string
	Attempt  int
	Target   string
	Contract string
	State    string
	Class    contracts.Class
	Effect   contracts.Effect
	Code     string
	By       string
	Rule     string // that moved eligibility; "" if none did
	Elapsed  time.Duration
	// Recovered marks a success that needed more than one attempt (R19).
	Recovered bool
	// FromUnknown marks an end that came after the job had been unknown.
	FromUnknown bool
	// Spent is what the attempt cost for certain, in micro-USD.
	Spent int64
	Err   error
}

// Observer gets every Observation. It must not block.
type Observer interface{ Observe(Observation) }

type nobody struct{}

func (nobody) Observe(Observation) {}

func (r *Router) see(j *jobstore.Job, o Observation) {
	o.Owner, o.Job, o.Contract = j.Owner, j.ID, j.Contract
	r.observer.Observe(o)
}
