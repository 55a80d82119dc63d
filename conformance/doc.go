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
