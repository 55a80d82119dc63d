package jobmodel

// Mutant is the design with one mistake in it.
type Mutant uint16

// The mutants. Each has been somebody's bug.
const (
	timeoutRequeues  Mutant = 1 << iota // a silent attempt counts as failed
	lapseRequeues                       // so does one whose router is gone
	sendBeforeWrite                     // the request leaves before its record is written
	noEpoch                             // an old holder may still move the job
	lateResultWins                      // a result is written without compare-and-swap
	noOpToken                           // a call that is repeated is a new call
	claimsWithoutEnd                    // nobody counts claims without progress
	windowIgnored                       // "not executed" is believed while the request may still leave
)

// Mutants names them all.
func Mutants() map[string]Mutant {
	return map[string]Mutant{
		"a timeout puts the job back in the queue":          timeoutRequeues,
		"a lapsed lease puts a sent job back in the queue":  lapseRequeues,
		"the request leaves before its record is written":   sendBeforeWrite,
		"an old epoch may still move the job":               noEpoch,
		"a late result is written without compare-and-swap": lateResultWins,
		"a repeated call is a new call":                     noOpToken,
		"claims without progress are not counted":           claimsWithoutEnd,
		"not executed is believed inside the send window":   windowIgnored,
	}
}
