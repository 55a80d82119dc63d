//go:build !race

// The explorer is one goroutine, and takes ten times as long under the race
// detector, which has nothing to find in it.

package jobmodel

import (
	"slices"
	"testing"

	"inferonce/jobstore"
)

// The design holds in every state that two routers, two crashes and two lost
// messages can lead to.
func TestTheDesignHolds(t *testing.T) {
	for name, races := range map[string]bool{"one attempt at a time": false, "with races": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Explore(Options{Races: races})
			if r.Violation != "" {
				t.Fatalf("after %d states: %s", r.States, r.Why())
			}
			if r.Stuck >= 0 {
				t.Errorf("state %d of %d never comes to rest", r.Stuck, r.States)
			}
			t.Logf("%d states, %d kinds of moves", r.States, len(r.Moves))
			if r.States < 10_000 {
				t.Errorf("only %d states were explored: the model has lost its faults", r.States)
			}
			for m := range r.Moves {
				if !slices.Contains(jobstore.Moves, m) {
					t.Errorf("the model makes a move that the store does not know: %+v", m)
				}
			}
		})
	}
}

func TestEveryMutantFails(t *testing.T) {
	for name, m := range Mutants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone, raced := Explore(Options{Mutant: m}), Explore(Options{Mutant: m, Races: true})
			if alone.Violation == "" && raced.Violation == "" {
				t.Fatalf("%d and %d states, and nobody noticed", alone.States, raced.States)
			}
			for _, r := range []Report{alone, raced} {
				if r.Violation != "" {
					t.Logf("after %d states: %s", r.States, r.Why())
				}
			}
		})
	}
}

// leftOut are the moves of the store that the model has another picture of.
var leftOut = map[string]string{
	"accept":  "starting and running are one state here: both are open, and both block",
	"running": "an attempt's running is the same state as starting",
	"queued":  "a job is always submitted with its first attempt",
	"cancel":  "of an attempt that is resolved as cancelled the work is not known, and the model's operator says only what is true",
}

// The model and the table of moves are two accounts of the same thing: what one
// has and the other has not is named, with the reason.
func TestTheModelMakesTheMovesOfTheStore(t *testing.T) {
	made := Explore(Options{}).Moves
	for m := range Explore(Options{Races: true}).Moves {
		made[m] = true
	}
	for _, m := range jobstore.Moves {
		reason := ""
		switch {
		case m.Name == "accept":
			reason = leftOut["accept"]
		case m.AttemptFrom == jobstore.AttemptRunning || m.AttemptTo == jobstore.AttemptRunning:
			reason = leftOut["running"]
		case m.Name == "submit" && m.JobTo == jobstore.JobQueued:
			reason = leftOut["queued"]
		case m.Name == "resolve" && m.AttemptTo == jobstore.AttemptCancelled:
			reason = leftOut["cancel"]
		}
		if made[m] == (reason != "") {
			t.Errorf("%+v: made %v, left out for %q", m, made[m], reason)
		}
	}
}
