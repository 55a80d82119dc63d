package router

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// The rules by which a pair is moved, as they stand in evidence and in metrics.
const (
	ruleLive    = "live_answers"       // live answers broke the contract
	ruleServed  = "served_model"       // a model answered that no proof names
	ruleSystem  = "system_fingerprint" // a provider's mark that no proof has
	ruleTokens  = "token_count"        // another template or tokenizer
	ruleAnswers = "canary_answers"     // fixed prompts are answered otherwise
	ruleFailed  = "canary_failed"      // scheduled runs failed
	ruleUnclear = "canary_unclear"     // scheduled runs could not be made
	ruleWorse   = "cusum"              // answers are less often right than certified
	ruleGone    = "model_gone"         // the provider has no such model
)

// drift is what a rule found; the zero drift is nothing.
type drift struct {
	rule, reason string
	// certify says that the model may be another one: only a run in mode certify
	// brings the pair back.
	certify bool
	gone    bool // revoked, not suspended: the model is not there
}

// The bounds of the fingerprint's rules.
const (
	tokensApart  = 3    // by which a prompt's count may move
	slopeApart   = 0.03 // by which the count of a block of words may move, as a share
	tokensMoved  = 3    // counts elsewhere, of as many as countsTaken
	countsTaken  = 5
	answersMoved = 3 // answers that are others, of ten
)

// outside says that a name is none of those that the proof has. A proof without
// names has none that could be left.
func outside(known []string, said string) bool {
	return said != "" && len(known) > 0 && !slices.Contains(known, said)
}

func passes(p *jobstore.Proof) bool { return p != nil && p.Verdict == string(contracts.Pass) }

// stray says that a model answered whose name the proof of a pair does not have.
func stray(p *jobstore.Proof, served string) bool { return passes(p) && outside(p.Served, served) }

// strange says the same of the provider's own mark of what ran.
func strange(p *jobstore.Proof, system string) bool {
	return passes(p) && p.Fingerprint != nil && outside(p.Fingerprint.System, system)
}

func namedOtherwise() drift {
	return drift{rule: ruleServed, certify: true, reason: "a model answered under a name that the proof does not have"}
}

func markedOtherwise() drift {
	return drift{rule: ruleSystem, certify: true, reason: "the system fingerprint is none that the proof has"}
}

func goneModel() drift {
	return drift{rule: ruleGone, certify: true, gone: true, reason: "the provider says that it has no such model, or no longer"}
}

// countsApart compares the token counts of a run with the proof's: of how many
// taken how many are where they were.
func countsApart(known *jobstore.Fingerprint, values map[string]string) (s jobstore.Share) {
	if known == nil || known.TokenIntercept == nil || known.TokenSlope == nil {
		return s
	}
	for i := range countsTaken {
		suffix := ""
		if i > 0 {
			suffix = fmt.Sprintf("_%d", i+1)
		}
		b, slope := numberIn(values, "token_intercept"+suffix), numberIn(values, "token_slope"+suffix)
		if b == nil || slope == nil {
			continue
		}
		s.N++
		if math.Abs(*b-*known.TokenIntercept) <= tokensApart && math.Abs(*slope-*known.TokenSlope) <= slopeApart**known.TokenSlope {
			s.OK++
		}
	}
	return s
}

// answersKept compares the answers to fixed prompts: of how many that both have
// how many are the same.
func answersKept(known, now *jobstore.Fingerprint) (s jobstore.Share) {
	if known == nil || now == nil {
		return s
	}
	for id, hash := range known.Canary {
		if again, ok := now.Canary[id]; ok {
			s.N++
			if again == hash {
				s.OK++
			}
		}
	}
	return s
}

// afterCanary decides what the verdict of a scheduled run means. It is pure.
func afterCanary(was jobstore.Canary, v contracts.Verdict, now time.Time) (is jobstore.Canary, d drift) {
	is = was
	switch v {
	case contracts.Pass:
		is.Failed, is.Unclear = 0, time.Time{}
		return is, d
	case contracts.Fail:
		is.Failed, is.Unclear = was.Failed+1, time.Time{}
		if is.Failed >= canaryRow {
			d = drift{rule: ruleFailed, reason: fmt.Sprintf("%d scheduled runs in a row failed", is.Failed)}
		}
		return is, d
	}
	if is.Unclear.IsZero() {
		is.Unclear = now
	}
	if now.Sub(is.Unclear) >= canaryUnclear {
		d = drift{rule: ruleUnclear, reason: "every scheduled run since " + is.Unclear.Format(time.RFC3339) + " was inconclusive"}
	}
	return is, d
}

// seenIn decides what a scheduled run shows against the proof of its pair: first
// what can't be by chance, then what needs several runs. It is pure.
func seenIn(proof *jobstore.Proof, was jobstore.Canary, rep contracts.Report, now time.Time) (is jobstore.Canary, d drift, e *jobstore.Evidence) {
	e = evidenceOf(rep)
	is, d = afterCanary(was, rep.Verdict, now)
	var known *jobstore.Fingerprint
	if passes(proof) {
		known = proof.Fingerprint
		is, d = worse(proof, is, rep, d, e)
	}
	if kept := answersKept(known, fingerprintOf(rep.Model)); kept.N-kept.OK >= answersMoved {
		e.Answers, d = &kept, drift{rule: ruleAnswers, reason: fmt.Sprintf("%d of %d fixed prompts are answered otherwise than when it was proved", kept.N-kept.OK, kept.N)}
	}
	if s := countsApart(known, rep.Model.Fingerprint); s.N-s.OK >= tokensMoved {
		e.Tokens, d = &s, drift{rule: ruleTokens, certify: true, reason: fmt.Sprintf("%d of %d counts of tokens are elsewhere than when it was proved: another template or another model", s.N-s.OK, s.N)}
	}
	for _, said := range rep.Model.SystemFingerprints {
		if strange(proof, said) {
			e.System, d = hashed(said), markedOtherwise()
		}
	}
	for _, said := range rep.Model.Served {
		if stray(proof, said) {
			e.Served, d = hashed(said), namedOtherwise()
		}
	}
	if rep.Gone {
		d = goneModel()
	}
	e.Rule = d.rule
	return is, d, e
}

// worse goes on with the cumulative sum, which begins anew with every proof.
func worse(proof *jobstore.Proof, is jobstore.Canary, rep contracts.Report, d drift, e *jobstore.Evidence) (jobstore.Canary, drift) {
	run := rightCases(rep)
	if proof.Cases == nil || run == nil {
		return is, d
	}
	if is.Of != proof.Report {
		is.Score, is.Of = 0, proof.Report
	}
	var alarm bool
	is.Score, alarm = cusum(is.Score, *proof.Cases, *run)
	e.Score = is.Score
	if alarm {
		d = drift{rule: ruleWorse, reason: fmt.Sprintf("its answers are less often right than the %d of %d cases that it was proved with", proof.Cases.OK, proof.Cases.N)}
	}
	return is, d
}

// hashed stands for a provider's text in records that hold none.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
