// Package router turns an intent into one job, makes attempts at it, and lets
// exactly one result win.
//
// The life of a job. Submit writes the record, and with it the first attempt,
// before anything leaves for a provider. One driver, in one router, holds the
// job under a lease and an epoch: it makes the call, judges the answer, and
// settles the attempt. If the attempt failed and is known to be over, decide
// and plan choose the next step: another target, the same one after a wait, or
// the end. If nobody knows whether it is over, the attempt is unknown, the
// caller is released, and nothing else starts; the driver goes on listening on
// the same connection, and a late answer completes the job by
// compare-and-swap. What else leads out of unknown is the contract's policy, or
// an operator.
//
// The driver belongs to the job, never to a request: callers come and go, and
// any number of them wait on one job. If the router dies, its lease lapses and
// another router takes the job over: an attempt that was under way turns
// unknown, a job without one goes on.
//
// Decisions are pure and stand apart: decide.go, plan.go, budget.go,
// eligibility.go. Reading starts in router.go; drive.go is the loop.
package router
