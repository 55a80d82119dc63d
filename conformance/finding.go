package conformance

import "inferonce/contracts"

// finding is what came of a check that looks for itself: how many trials it
// made, how many held, what it measured.
type finding struct {
	verdict contracts.Verdict
	n, ok   int
	detail  string
	values  map[string]string
}

func unused(why string) finding { return finding{verdict: contracts.NotApplicable, detail: why} }

func unshown(why string) finding { return finding{verdict: contracts.Inconclusive, detail: why} }

// of judges n trials of which ok held.
func of(n, ok int, detail string) finding {
	return finding{verdict: passIf(ok == n), n: n, ok: ok, detail: detail}
}

func (f finding) with(values map[string]string) finding {
	f.values = values
	return f
}
