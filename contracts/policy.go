package contracts

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Effects says what running the inference does besides answering. There is no
// default: only the contract's author can know.
type Effects string

// The effects a contract can declare.
const (
	EffectsNone     Effects = "none"     // running it twice costs money and nothing else
	EffectsExternal Effects = "external" // the inference itself triggers something
)

// UnknownPolicy says what happens to an attempt whose outcome is unknown.
type UnknownPolicy struct {
	Action string        // UnknownHold, UnknownCancelAfter or UnknownRaceAfter
	After  time.Duration // of silence; 0 for UnknownHold
}

// The actions of an UnknownPolicy.
const (
	UnknownHold        = "hold"         // block until somebody settles it; the default
	UnknownCancelAfter = "cancel_after" // give the attempt up after a while
	UnknownRaceAfter   = "race_after"   // start a fallback beside it after a while
)

func (p UnknownPolicy) String() string {
	if p.Action == UnknownHold {
		return UnknownHold
	}
	return fmt.Sprintf("%s: %s", p.Action, p.After)
}

func (r *reader) effects(n *node) Effects {
	e := Effects(r.text(n, "effects"))
	if n != nil && n.kind == kindString && e != EffectsNone && e != EffectsExternal {
		r.fault(n, FileFault, "effects is neither none nor external",
			"write none if running it twice changes nothing outside, otherwise external")
	}
	return e
}

// policy reads on_unknown: hold, {cancel_after: 60s}, or "cancel_after: 60s".
func (r *reader) policy(n *node, e Effects) UnknownPolicy {
	hold := UnknownPolicy{Action: UnknownHold}
	if n == nil || n.kind == kindString && n.text == UnknownHold {
		return hold
	}
	action, after := policyParts(n)
	if !slices.Contains([]string{UnknownCancelAfter, UnknownRaceAfter}, action) {
		r.fault(n, FileFault, "on_unknown is none of hold, cancel_after, race_after", "write hold, or {cancel_after: 60s}")
		return hold
	}
	d, err := time.ParseDuration(after)
	if err != nil || d <= 0 {
		r.fault(n, FileFault, action+" has no positive duration", "write a number with a unit, such as 60s")
		return hold
	}
	if e != EffectsNone {
		r.fault(n, LintRepeatPolicy, action+" may run the inference twice, but effects is not none", "write on_unknown: hold")
		return hold
	}
	return UnknownPolicy{action, d}
}

func policyParts(n *node) (action, after string) {
	if n.kind == kindMap && len(n.fields) == 1 {
		return n.fields[0].name, n.fields[0].value.text
	}
	if n.kind == kindString {
		action, after, _ = strings.Cut(n.text, ":")
	}
	return strings.TrimSpace(action), strings.TrimSpace(after)
}
