// Package failover is the black-box harness behind inferonce verify: stories
// about double clicks, timeouts, crashes and failing providers, told to a
// running router over HTTP and judged by what a simulated provider's ledger
// says really ran (R28).
//
// A [Story] is a value of the catalogue. [Run] makes the deployment ready, tells
// every story whose needs the [Deployment] can meet, and reports the others as
// not run, with the reason: not run is never passed. Reading starts in
// catalog.go; a story reads from top to bottom.
//
// # What a deployment lends
//
// Its primary and its fallback must be providers of one simulator
// (providers/sim), and nobody else may use that simulator meanwhile: a fault is
// taken by the next call, whoever makes it. Every story uses keys of its own,
// orders its faults first and leaves none behind, so the router and its store
// may be shared.
//
// # The rule
//
// [Breaches] is the rule that no story may break, whatever it is about: an
// execution may be followed by another one of the same job only if the first
// is known to be over, was settled from outside, or the contract races.
//
// [Compare] tells the stories that make sense there to any gateway that speaks
// OpenAI's chat completions, and counts executions.
package failover
