package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
)

const (
	// canaries is how many answers a fingerprint holds: those to the contract's
	// first cases, which are fixed prompts as long as the contract's digest is.
	canaries = 10
	// mostCounts is how often a count is taken where it is not what it was.
	mostCounts = 5
)

// known is the fingerprint of a run. Answers come with the cases, whatever the
// mode; how the target counts takes calls of its own.
func (s *suite) known() map[string]string {
	if f, ok := s.found[idFingerprint]; ok && f.values != nil {
		return f.values
	}
	if v := answers(s.results()); len(v) > 0 {
		return v
	}
	return nil
}

// answers are hashes of the answers to the first cases, as far as all repeats
// agree: an answer that varies by itself can't show that the model changed.
func answers(cases []caseResult) map[string]string {
	values := map[string]string{}
	for _, c := range cases[:min(len(cases), canaries)] {
		if answer, ok := c.agreed(); ok {
			sum := sha256.Sum256([]byte(answer))
			values["answer_"+c.ID] = hex.EncodeToString(sum[:8])
		}
	}
	return values
}

// fingerprint records what the same model would show again.
func fingerprint(ctx context.Context, p *Probe) finding {
	values := answers(p.suite.results())
	taken := p.suite.found[idCount].values
	if taken == nil {
		again, err := p.recount(ctx)
		if err != nil {
			return unshown(err.Error())
		}
		taken = again
	}
	maps.Copy(values, taken)
	return of(1, 1, "").with(values)
}

// recount takes the target's count once, and where it is off the baseline until
// it was taken five times: one odd count is no other model. Further counts are
// told by number.
func (p *Probe) recount(ctx context.Context) (map[string]string, error) {
	var values map[string]string
	for i := range mostCounts {
		m, err := p.count(ctx)
		if err != nil || !m.reported {
			return values, err
		}
		if i == 0 {
			values = m.values()
		} else {
			values[fmt.Sprintf("token_intercept_%d", i+1)] = fmt.Sprintf("%.2f", m.Intercept)
			values[fmt.Sprintf("token_slope_%d", i+1)] = fmt.Sprintf("%.2f", m.Slope)
		}
		if base := p.suite.Baseline; base == nil || i == 0 && !m.Moved(*base) {
			return values, nil
		}
	}
	return values, nil
}

// Moved says that a target counts otherwise than before: another template, or
// another tokenizer.
func (t TokenCount) Moved(from TokenCount) bool {
	return math.Abs(t.Intercept-from.Intercept) > baseIntercept || math.Abs(t.Slope-from.Slope) > baseSlope*from.Slope
}

// asksIn says whether a check that asks for itself does so in this run.
func (s *suite) asksIn(c Check) bool {
	return s.Mode == Certify || s.Recognise && c.ID == idFingerprint
}
