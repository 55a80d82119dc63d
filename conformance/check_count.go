package conformance

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"inferonce/contracts"
)

const idCount = "REN-06"

// TokenCount is how a target counts a prompt: Intercept tokens for the prompt
// alone, Slope for each copy of a block of words. It is a fingerprint of its
// tokenizer and chat template.
type TokenCount struct{ Intercept, Slope float64 }

// The bounds of a plausible count. The band is wide enough for every tokenizer
// of English; a prompt that a gateway adds, or a cut, is far outside.
const (
	blockWords    = 200
	maxResidual   = 0.02 // of a count, and one token
	minSlope      = 0.6  // tokens a word
	maxSlope      = 1.8
	maxIntercept  = 1.8 // times the words of what was sent, and
	templateRoom  = 300 // tokens for roles, schema and tools
	baseIntercept = 3   // tokens by which the intercept may move between reports
	baseSlope     = 0.03
)

// counted is a measured count; words is what the block and the rest hold.
type counted struct {
	TokenCount
	residual    float64 // the largest, as a share
	block, rest int     // words
	reported    bool
	failed      string
}

var copies = []float64{0, 1, 2, 4}

// count sends the same request with more and more copies of one block. Only
// differences are used, so neither the tokenizer nor the template need be known.
func (p *Probe) count(ctx context.Context) (counted, error) {
	words := blockWords
	if space, ok := p.room(); ok {
		words = max(20, min(words, space.most/24)) // four copies of words of six bytes
	}
	block := strings.Join(strings.Fields(strings.Repeat(p.filler(), 1+words/50))[:words], " ")
	m := counted{block: words}
	var counts []float64
	for _, n := range copies {
		f, err := p.frame(p.kase(0).Input)
		if err != nil {
			return m, err
		}
		for range int(n) {
			f.last(block)
		}
		f.ask("Put the text x into it.", textKind, "ok")
		got, failure, err := p.Ask(ctx, f.Request)
		if err != nil {
			return m, err
		}
		if failure != nil {
			m.failed = fmt.Sprintf("the request with %g blocks was not answered (%s)", n, causeOf(failure))
			return m, nil
		}
		if !got.Usage.Reported {
			return m, nil
		}
		if n == 0 {
			for _, message := range f.Messages {
				m.rest += wordsOf(message.Content)
			}
			m.rest += len(f.Schema) / 3
		}
		counts = append(counts, float64(got.Usage.InputTokens))
	}
	m.reported = true
	m.fit(counts)
	return m, nil
}

// fit is the line of least squares through the counts.
func (m *counted) fit(counts []float64) {
	n, sx, sy, sxx, sxy := float64(len(copies)), 0.0, 0.0, 0.0, 0.0
	for i, x := range copies {
		sx, sy, sxx, sxy = sx+x, sy+counts[i], sxx+x*x, sxy+x*counts[i]
	}
	m.Slope = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	m.Intercept = (sy - m.Slope*sx) / n
	for i, x := range copies {
		off := math.Abs(counts[i] - m.Intercept - m.Slope*x)
		if off > 1 {
			m.residual = max(m.residual, off/max(counts[i], 1))
		}
	}
}

// fault says what is wrong with a count; "" if nothing is.
func (m counted) fault(base *TokenCount) string {
	rate := m.Slope / float64(m.block)
	switch {
	case m.residual > maxResidual:
		return fmt.Sprintf("the count is not in proportion to the text: off by %.1f %%", 100*m.residual)
	case rate < minSlope || rate > maxSlope:
		return fmt.Sprintf("%.2f tokens are counted for each word; another tokenizer, or text that is cut", rate)
	case m.Intercept > maxIntercept*float64(m.rest)+templateRoom:
		return fmt.Sprintf("%.0f tokens are counted for about %d words: something is added to the prompt", m.Intercept, m.rest)
	case base != nil && math.Abs(m.Intercept-base.Intercept) > baseIntercept:
		return fmt.Sprintf("the prompt counts %+.0f tokens against the last report", m.Intercept-base.Intercept)
	case base != nil && math.Abs(m.Slope-base.Slope) > baseSlope*base.Slope:
		return "a block of words counts otherwise than in the last report"
	}
	return ""
}

func (m counted) values() map[string]string {
	return map[string]string{"token_intercept": fmt.Sprintf("%.2f", m.Intercept), "token_slope": fmt.Sprintf("%.2f", m.Slope),
		"token_residual": fmt.Sprintf("%.4f", m.residual), "block_words": strconv.Itoa(m.block)}
}

func countLinear(ctx context.Context, p *Probe) finding {
	m, err := p.count(ctx)
	switch {
	case err != nil:
		return unshown(err.Error())
	case m.failed != "":
		return of(1, 0, m.failed)
	case !m.reported:
		return unused("the target reports no counts, for which ENV-05 speaks")
	}
	fault := m.fault(p.suite.Baseline)
	f := of(1, 1, "")
	if fault != "" {
		f = of(1, 0, fault)
	}
	return f.with(m.values())
}

// BaselineOf takes the token count out of a report, for Options.Baseline of the
// next one; nil if it holds none.
func BaselineOf(r contracts.Report) *TokenCount {
	var t TokenCount
	for name, to := range map[string]*float64{"token_intercept": &t.Intercept, "token_slope": &t.Slope} {
		v, err := strconv.ParseFloat(r.Model.Fingerprint[name], 64)
		if err != nil {
			return nil
		}
		*to = v
	}
	return &t
}
