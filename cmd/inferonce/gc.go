package main

import "runtime/debug"

// collectPercent is how much may be allocated between two garbage collections,
// relative to what lives. A router keeps a few megabytes and makes much that is
// short-lived; Go's own 100 would have it spend a fifth of its time on looking
// through the stacks of waiting callers.
const collectPercent = 400

// collectLess sets it for the whole process, unless the operator has chosen
// with GOGC.
func collectLess(env lookup) {
	if _, chosen := env("GOGC"); !chosen {
		debug.SetGCPercent(collectPercent)
	}
}
