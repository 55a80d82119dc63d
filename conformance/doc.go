// Package conformance proves, or fails to prove, that a target understands a
// contract. It sends the contract's own cases to the target, several times
// each, exactly as live traffic would, and looks at what comes back and never
// at whether a parameter was accepted.
//
// # One run
//
// A run is one repeat of one case. What comes of it is decided by the first
// check of the catalogue that fails; Judge.Classify is that decision, pure and
// without a memory, so that live traffic can be watched by the same words.
// Three things can come of a run: it passes, it fails a check, or it says
// nothing about the model because the way to it was blocked (refused by rate,
// overloaded, unreachable, late). The last kind is kept out of every
// denominator, tried again a bounded number of times, and counted.
//
// # Before and beside the runs
//
// A contract is linted before anything is asked; one that is not sound fails
// without a call. Certify then makes one run, and after it puts questions of its
// own, each a check with a Probe: random codes planted in the contract's own
// prompt, an order that only an enforced schema can withstand, counts of tokens,
// requests that have to fail. The runs of the cases follow, and last the questions
// that compare with their answers: edited inputs, load, a fingerprint. Quick asks
// nothing beside its cases. A question that can't be put does not apply, and the
// report says why; one whose answer was blocked leaves the suite inconclusive.
//
// Checks of streams have nothing to look at yet; their places say so, and Unbuilt
// lists them.
// One that judges an answer belongs into answerChecks, one that asks beside the
// cases into a list like renderChecks.
//
// # All runs
//
// Rules turn the counts into verdicts. Quick asks for every hard check in every
// run, for every repeat of a critical case and two thirds of any other. Certify
// allows one break of structure in two hundred runs and asks that the lower
// bound of right answers, at 95 percent confidence, reaches nine in ten. A run
// of the suite that was cut short, that met too much infrastructure, or that
// tested nothing is inconclusive: it neither grants nor revokes.
//
// Nothing here repairs an answer. A pass in either mode grants eligibility;
// Report.Mode says which.
package conformance
