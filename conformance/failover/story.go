package failover

import (
	"slices"
	"strings"
	"time"

	"inferonce/providers/sim"
)

// Story is one thing that can go wrong, and what must come of it.
type Story struct {
	ID     string   // such as "unknown/timeout-blocks"
	Title  string   // what must hold, as a sentence
	Proves []string // the requirements, such as "R10"
	Asks   string   // what is done to the router
	Needs  []Need
	Run    func(*World)
}

// Need is something that not every deployment can lend.
type Need string

// The needs.
const (
	NeedFallback   Need = "a fallback that is eligible"
	NeedExternal   Need = "a contract with external effects"
	NeedRace       Need = "a contract that races"
	NeedRefused    Need = "a contract whose primary refuses connections"
	NeedOtherOwner Need = "a key of another owner"
	NeedKill       Need = "a router that may be killed"
	NeedStore      Need = "a store that may be stopped"
	NeedSecond     Need = "a second router on the same store"
)

// Verdict is the outcome of a story.
type Verdict string

// The verdicts. NotRun is not a pass: nothing was shown.
const (
	Passed Verdict = "passed"
	Failed Verdict = "failed"
	NotRun Verdict = "not_run"
)

// Check is one sentence that was found to hold, or not.
type Check struct {
	Says string `json:"says"`
	OK   bool   `json:"ok"`
}

// Result is what became of a story.
type Result struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Proves  []string `json:"proves"`
	Asks    string   `json:"asks"`
	Verdict Verdict  `json:"verdict"`
	Reason  string   `json:"reason,omitempty"` // why it failed or was not run
	Checks  []Check  `json:"checks"`
	// Transcript is what was asked and what was answered, without bodies and keys.
	Transcript []string `json:"transcript"`
	// Ledger is what the simulator says it was called for.
	Ledger    []sim.Execution `json:"ledger"`
	Count     *Count          `json:"count,omitempty"` // of a gateway's story
	ElapsedMS int64           `json:"elapsed_ms"`
}

// failures are the sentences that did not hold.
func (r *Result) failures() []string {
	var all []string
	for _, c := range r.Checks {
		if !c.OK {
			all = append(all, c.Says)
		}
	}
	return all
}

// conclude gives the verdict: every check held, there was one, and nothing
// ended the story early.
func (r *Result) conclude(stopped string) {
	reasons := r.failures()
	if stopped != "" && !slices.Contains(reasons, stopped) {
		reasons = append(reasons, stopped)
	}
	if len(r.Checks) == 0 && stopped == "" {
		reasons = append(reasons, "the story checked nothing")
	}
	r.Verdict, r.Reason = Passed, strings.Join(reasons, "; ")
	if len(reasons) > 0 {
		r.Verdict = Failed
	}
}

// Summary is the outcome of a run.
type Summary struct {
	Target  string    `json:"target"` // the router's or gateway's address
	Started time.Time `json:"started"`
	Results []Result  `json:"results"`
	Passed  int       `json:"passed"`
	Failed  int       `json:"failed"`
	NotRun  int       `json:"not_run"`
}

// OK says that no story failed and at least one passed.
func (s *Summary) OK() bool { return s.Failed == 0 && s.Passed > 0 }

func (s *Summary) add(r Result) {
	s.Results = append(s.Results, r)
	switch r.Verdict {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	default:
		s.NotRun++
	}
}
