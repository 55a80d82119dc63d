package jobstoretest

import (
	"fmt"

	"inferonce/jobstore"
)

// Model is what the store promises of one owner's key, as a value: no clock, no
// Redis. Leases and send windows are either over or far away, so that time
// decides nothing.
type Model struct {
	ID          string // "" while there is no job
	Fingerprint string
	Job         jobstore.JobState
	Version     int64
	Epoch       int64
	Held        bool // its lease lies ahead
	Driven      bool // somebody holds it, in time or not
	Claims      int
	Beats       [64]int64 // the newest renewal, by epoch
	CompletedBy int
	Result      string
	N           int
	Attempts    [jobstore.MaxAttempts]ModelAttempt
}

// ModelAttempt is one attempt of a Model.
type ModelAttempt struct {
	State   jobstore.AttemptState
	Version int64
	Epoch   int64
	Window  bool // its request could still leave
	Late    bool // a note of a late result is kept
}

// Open is how many attempts may still run.
func (m Model) Open() int {
	n := 0
	for _, a := range m.Attempts[:m.N] {
		if a.State.Open() {
			n++
		}
	}
	return n
}

// String is what Load shows, as far as time does not enter.
func (m Model) String() string {
	if m.ID == "" {
		return "none"
	}
	s := fmt.Sprintf("%s %s v%d e%d by%d claims%d open%d driven=%t result=%s", m.ID, m.Job, m.Version, m.Epoch,
		m.CompletedBy, m.Claims, m.Open(), m.Driven, m.Result)
	for i, a := range m.Attempts[:m.N] {
		s += fmt.Sprintf(" [%d %s v%d e%d late=%t]", i+1, a.State, a.Version, a.Epoch, a.Late)
	}
	return s
}

// Seen is the same of a job that was loaded.
func Seen(j jobstore.Job) string {
	result := ""
	if j.Result != nil {
		result = j.Result.Target
	}
	s := fmt.Sprintf("%s %s v%d e%d by%d claims%d open%d driven=%t result=%s", j.ID, j.State, j.Version, j.Epoch,
		j.CompletedBy, j.Claims, j.Open, j.Holder != "", result)
	for _, a := range j.Attempts {
		s += fmt.Sprintf(" [%d %s v%d e%d late=%t]", a.Number, a.State, a.Version, a.Epoch, a.Late != nil)
	}
	return s
}

// Reply is what a move answers, in one shape for all.
type Reply struct {
	Word    string // "ok", or the name of the refusal
	ID      string
	State   jobstore.JobState
	Version int64
	Epoch   int64
	Won     bool
	Job     string // Load only
}

func ok(m Model) Reply { return Reply{Word: "ok", State: m.Job, Version: m.Version} }

func no(word string) Reply { return Reply{Word: word} }
