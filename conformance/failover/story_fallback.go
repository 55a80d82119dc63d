package failover

import (
	"net/http"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

// fallOver is a way to fail after which nothing can still be running.
type fallOver struct {
	word    string // of the story's id
	says    string // what the primary does
	fault   sim.Fault
	effect  contracts.Effect
	classes []contracts.Class // any of them
}

// hugeBody is larger than any answer that a router should take in, in bytes.
const hugeBody = 100 << 20

var fallOverTable = []fallOver{
	{"401", "refuses the key", sim.Fault{Status: 401}, contracts.None, []contracts.Class{contracts.Auth}},
	{"404", "does not know the model", sim.Fault{Status: 404}, contracts.None, []contracts.Class{contracts.NotFound}},
	{"429", "has had enough", sim.Fault{Status: 429}, contracts.None, []contracts.Class{contracts.RateLimited}},
	{"503", "is overloaded and says so itself", sim.Fault{Status: 503}, contracts.None, []contracts.Class{contracts.Overloaded}},
	{"529", "is overloaded and says so itself", sim.Fault{Status: 529}, contracts.None, []contracts.Class{contracts.Overloaded}},
	{"500", "reports an error of its own", sim.Fault{Status: 500}, contracts.Ended, []contracts.Class{contracts.ProviderError}},
	{"error-in-200", "puts an error into a 200", sim.Fault{ErrorIn200: true}, contracts.Ended, []contracts.Class{contracts.ProviderError}},
	{"empty-choices", "answers without a choice", sim.Fault{EmptyChoices: true}, contracts.Ended, unusable},
	{"html-200", "answers with a page", sim.Fault{HTML: true, Status: 200}, contracts.Ended, unusable},
	{"wrong-schema", "answers JSON that breaks the schema", sim.Fault{WrongSchema: true}, contracts.Ended, unusable},
	{"extra-key", "invents a top-level key", sim.Fault{ExtraKey: true}, contracts.Ended, unusable},
	{"number-bomb", "answers with the number 1e20000000", sim.Fault{NumberBomb: true}, contracts.Ended, unusable},
	{"deep", "answers with 10,000 levels", sim.Fault{Deep: true}, contracts.Ended, unusable},
	{"invalid-utf8", "answers with bytes that are not UTF-8", sim.Fault{Garbage: true}, contracts.Ended, unusable},
	{"huge", "answers with 100 MB", sim.Fault{Huge: hugeBody}, contracts.Ended, unusable},
}

// unusable are the classes of an answer that came and is of no use.
var unusable = []contracts.Class{contracts.BadResponse, contracts.ContractViolation, contracts.Truncated}

func fallOvers() []Story {
	var all []Story
	for _, f := range fallOverTable {
		all = append(all, Story{
			ID:     "fallback/" + f.word,
			Title:  "when the primary " + f.says + ", the fallback takes over and the job counts as recovered",
			Proves: []string{"R18", "R19", "R26"},
			Asks:   "a request whose primary " + f.says,
			Needs:  []Need{NeedFallback},
			Run:    f.tell,
		})
	}
	return all
}

func (f fallOver) tell(w *World) {
	w.Faults(w.Primary(), f.fault)
	in := w.Intent(w.d.Hold)
	w.fellOver(in, f.effect, f.classes...)
	ran := w.Ended(in.Ref)
	w.Equal("the number of calls to the primary", calls(ran, w.Primary()), 1)
	w.Equal("the number of calls to the fallback", calls(ran, w.Fallback()), 1)
	w.Equal("the status of /healthz afterwards", w.Ask(request{method: http.MethodGet, path: "/healthz"}).Status, http.StatusOK)
}

// fellOver checks that the first attempt failed so and the fallback's counts.
func (w *World) fellOver(in *Intent, effect contracts.Effect, classes ...contracts.Class) Job {
	j := w.Succeeds(in, 2)
	first := j.Attempt(1)
	w.Equal("the state of attempt 1", first.State, failed)
	w.Equal("the effect of its failure", first.effect(), effect)
	w.Check(slices.Contains(classes, first.class()), "the class of its failure is one of %v (%s)", classes, first.class())
	w.Equal("the target of attempt 2", j.Attempt(2).Target, w.d.Fallback.Name)
	w.Check(j.Recovered, "the job counts as recovered")
	return j
}

var connectionRefused = Story{
	ID:     "fallback/connection-refused",
	Title:  "when nobody listens at the primary's address, the fallback takes over",
	Proves: []string{"R18", "R19"},
	Asks:   "a request whose primary refuses the connection",
	Needs:  []Need{NeedRefused},
	Run: func(w *World) {
		in := w.Intent(w.d.Refused)
		w.fellOver(in, contracts.None, contracts.Connection)
		w.Equal("the number of calls", len(w.Ended(in.Ref)), 1)
	},
}

// statedWait is the wait that the providers of waitsAsAsked ask for.
const statedWait = time.Second

var waitsAsAsked = Story{
	ID:     "fallback/429-then-success",
	Title:  "a wait that every target asks for is kept, and the success after it counts as recovered",
	Proves: []string{"R18", "R19"},
	Asks:   "a request that both targets refuse once with 429 and Retry-After: 1",
	Needs:  []Need{NeedFallback},
	Run: func(w *World) {
		busy := sim.Fault{Status: 429, Headers: map[string]string{"Retry-After": "1"}}
		w.Faults(w.Primary(), busy)
		w.Faults(w.Fallback(), busy)
		in := w.Intent(w.d.Hold)
		j := w.Succeeds(in, 3)
		w.Check(j.Recovered, "the job counts as recovered")
		ran := w.Ended(in.Ref)
		w.Must(len(ran) == 3, "there are three calls (%d found)", len(ran))
		before := slices.IndexFunc(ran, func(e sim.Execution) bool { return e.Provider == ran[2].Provider })
		w.Check(ran[2].Started.Sub(*ran[before].Ended) >= statedWait, "the third call came no sooner than its target had asked for")
	},
}
