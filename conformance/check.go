package conformance

import (
	"context"
	"slices"
	"strings"

	"inferonce/contracts"
)

// SuiteVersion names the checks and their rules. A report of another version
// proves nothing to a router of this one.
const SuiteVersion = "3"

// Class says what a failed check means for the pair of target and contract.
type Class string

// The classes.
const (
	Hard        Class = "H" // one failure fails the pair, apart from what certify allows
	Statistical Class = "S" // a rate with a bound
	Capability  Class = "C" // recorded; fails nothing by itself
	Advisory    Class = "A" // recorded
)

// Check is one thing that a target must do, as a value. Check values are
// listed by Catalog, in the order in which a run is held against them.
type Check struct {
	ID     string // such as "STR-03"; stable
	Class  Class
	Proves string // the requirement it is part of
	Says   string // what holds if it passes, as a sentence

	// A check has exactly one of run, set, offline and probe, or none if it is not
	// built yet.

	// run judges one answer; "" means that the check holds. It may rely on all
	// checks before it to hold.
	run func(*sight) miss
	// applies says whether the check of one run speaks about the case; nil: about
	// every case.
	applies func(contracts.Case) bool
	// form is the only form of answer that the check speaks about; "": any.
	form form
	// idle says why the check looks at nothing: it is not built yet or, in a
	// catalogue for a contract of the other form, it does not apply.
	idle string
	// set judges all answers together; least is the share that has to hold, 0: all.
	set   func([]caseResult) setResult
	least float64
	// offline looks at the contract alone, before any call.
	offline func(Options) finding
	// probe asks questions of its own, in certify only: quick must stay cheap.
	probe func(context.Context, *Probe) finding
	// after says that the probe compares with the answers to the cases and has to
	// wait for them.
	after bool
}

// miss is why a check does not hold: message in words that hold nothing of the
// answer, and the places. The zero miss holds.
type miss struct {
	message string
	places  []contracts.Violation
}

// setResult is a check of the whole set: how many things it looked at, how many
// held, and what is to be said of those that did not.
type setResult struct {
	n, ok  int
	detail string
}

// structural says whether the check is about an answer's form: those share
// certify's tolerance of one run in two hundred.
func (c Check) structural() bool {
	return c.Class == Hard && (strings.HasPrefix(c.ID, "ENV-") || strings.HasPrefix(c.ID, "STR-"))
}

// The tags of a case that checks look for.
const (
	tagNegative = "negative" // the right answer is that there is none
	tagPair     = "pair:"    // cases with the same tag differ in one deciding fact
)

func negative(k contracts.Case) bool { return slices.Contains(k.Tags, tagNegative) }

// find returns the index of the check in the catalogue, -1 if it has none.
func find(checks []Check, id string) int {
	return slices.IndexFunc(checks, func(c Check) bool { return c.ID == id })
}
