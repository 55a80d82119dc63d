package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"inferonce/contracts"
)

// idleEdits change nothing that a reader would care about.
var idleEdits = []struct {
	name string
	of   func(string) string
}{
	{"lower case", strings.ToLower},
	{"wider spacing", func(s string) string { return " " + strings.ReplaceAll(s, " ", "  ") }},
	{"politeness", func(s string) string { return "Hello, please: " + s + " Thank you." }},
}

const (
	maxPairs = 20
	minPairs = 0.90 // of edited inputs that have to get the same answer
)

// irrelevant edits inputs and compares the answers with those to the originals.
// Only cases whose repeats agree can show anything.
func irrelevant(ctx context.Context, p *Probe) finding {
	space, ok := p.room()
	if !ok {
		return unused("the contract's input has no free text to edit")
	}
	n, same, detail := 0, 0, ""
	for i, c := range p.suite.results() {
		answer, agreed := c.agreed()
		input, fits := p.edited(c.Case, space.name, i)
		if !agreed || !fits || n == maxPairs {
			continue
		}
		held, err := p.answers(ctx, c.Case, input, answer)
		if err != nil {
			return unshown(err.Error())
		}
		if n++; held {
			same++
		} else if detail == "" {
			detail = fmt.Sprintf("case %s: another answer after a change of %s", c.ID, idleEdits[i%len(idleEdits)].name)
		}
	}
	if n == 0 {
		return unused("no case has repeats that agree and a text to edit")
	}
	return finding{verdict: passIf(float64(same) >= minPairs*float64(n)), n: n, ok: same, detail: detail}
}

func (p *Probe) edited(k contracts.Case, name string, i int) (input []byte, fits bool) {
	text := field(k.Input, name)
	original, ok := unquote(text)
	if !ok {
		return nil, false
	}
	r := room{name: name}
	if !r.read(k.Input) {
		return nil, false
	}
	changed := idleEdits[i%len(idleEdits)].of(original)
	input = r.with(changed)
	return input, changed != original && len(p.Contract.CheckInput(input)) == 0
}

// answers says whether the edited input gets the answer.
func (p *Probe) answers(ctx context.Context, k contracts.Case, input []byte, answer string) (bool, error) {
	f, err := p.frame(input)
	if err != nil {
		return false, err
	}
	f.MaxTokens = p.Contract.Sampling.MaxTokens
	got, failure, err := p.Ask(ctx, f.Request)
	if err != nil || failure != nil {
		return false, err
	}
	k.Input = input
	output := p.suite.judge.Classify(k, got, nil).Output
	return output != nil && folded(view(output, named(k))) == answer, nil
}

// agreed is the answer that all repeats of a case gave, in the fields that the
// case names.
func (c caseResult) agreed() (answer string, ok bool) {
	for i, r := range c.runs {
		v := folded(view(r.Output, named(c.Case)))
		if r.Output == nil || i > 0 && v != answer {
			return "", false
		}
		answer = v
	}
	return answer, len(c.runs) > 0
}

// named are the fields of which a case says something; none for the whole.
func named(k contracts.Case) []string {
	all := map[string]bool{}
	for f := range k.Expected {
		all[f] = true
	}
	for f := range k.Accepted {
		all[f] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// folded leaves out what an edit may rightly carry into an answer.
func folded(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
