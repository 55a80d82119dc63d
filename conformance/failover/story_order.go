package failover

import (
	"encoding/json"

	"inferonce/providers/sim"
)

var reverseOrder = Story{
	ID:     "order/reverse",
	Title:  "A leaves first, B wins, and A's late result is dropped whole, even though A is the primary",
	Proves: []string{"R13", "R14"},
	Asks:   "a request whose primary is silent; an operator says not executed; the fallback answers; then the primary does",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		a, b := w.d.Hold.Outputs[0], w.d.Hold.Outputs[1]
		w.Faults(w.Fallback(), saying(sim.Fault{}, b))
		in, j, gate := w.Unknown(w.d.Hold, a)
		w.Settled(j, 1, "not_executed", nil)
		w.dropped(in, 1, w.Succeeds(in, 2), b, gate)
	},
}

// dropped lets the losing attempt answer and checks that nothing comes of it
// but a note in its own record.
func (w *World) dropped(in *Intent, loser int, won Job, output json.RawMessage, gate string) {
	w.Check(sameText(won.output(), output), "the result is the winner's")
	w.Open(gate)
	w.Ended(in.Ref)
	end := won
	w.until("the late result is noted", func() bool {
		end, _ = w.look(won.ID)
		return end.Attempt(loser).late() || end.CompletedBy != won.CompletedBy
	})
	w.Equal("the number of the winning attempt, after the late result", end.CompletedBy, won.CompletedBy)
	w.Equal("the job's version, after the late result", end.Version, won.Version)
	w.Check(sameText(end.output(), output), "the result is still the winner's, nothing merged")
	again := w.Infer(in)
	w.Check(again.Job != nil && sameText(again.Job.output(), output), "a repeat gets the winner's result")
	w.Equal("the number of calls", len(w.Ran(in.Ref)), 2)
}

var raceWon = Story{
	ID:     "order/race-fallback-wins",
	Title:  "where the contract races, the fallback overtakes a silent primary, whose late result is discarded",
	Proves: []string{"R13", "R14", "R15"},
	Asks:   "a request under a racing contract whose primary is silent",
	Needs:  []Need{NeedRace},
	Run: func(w *World) {
		a, b := w.d.Race.Outputs[0], w.d.Race.Outputs[1]
		gate := w.Gate()
		w.Faults(w.Primary(), saying(sim.Fault{Late: sim.AtGate, Until: gate}, a))
		w.Faults(w.Fallback(), saying(sim.Fault{}, b))
		in := w.Intent(w.d.Race)
		won := w.Succeeds(in, 2)
		w.dropped(in, 1, won, b, gate)
		end, _ := w.Get(won.ID)
		w.Equal("the state of the primary's attempt", end.Attempt(1).State, discarded)
	},
}

var raceLost = Story{
	ID:     "order/race-primary-wins",
	Title:  "where the contract races and the primary still comes first, the fallback's result is discarded",
	Proves: []string{"R13", "R15"},
	Asks:   "a request under a racing contract whose primary and fallback are silent; the primary speaks first",
	Needs:  []Need{NeedRace},
	Run: func(w *World) {
		a, b := w.d.Race.Outputs[0], w.d.Race.Outputs[1]
		first, second := w.Gate(), w.Gate()
		w.Faults(w.Primary(), saying(sim.Fault{Late: sim.AtGate, Until: first}, a))
		w.Faults(w.Fallback(), saying(sim.Fault{Late: sim.AtGate, Until: second}, b))
		in := w.Intent(w.d.Race)
		w.Submit(in)
		w.Arrived(second)
		w.Open(first)
		w.dropped(in, 2, w.Succeeds(in, 1), a, second)
	},
}
