package router

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// proofOf is what a report proves about a target, whose provider is reached at
// host now. Where the report itself says how and where it was made, that counts.
func proofOf(rep contracts.Report, raw []byte, t providers.Target, host, by string) *jobstore.Proof {
	sum := sha256.Sum256(raw)
	p := &jobstore.Proof{Report: rep.ID, SHA256: hex.EncodeToString(sum[:]), RunBy: by, SuiteVersion: rep.SuiteVersion, Mode: rep.Mode,
		Verdict: string(rep.Verdict), Provider: rep.Provider, Profile: or(rep.ProfileDigest, t.Profile), BaseHost: or(rep.BaseHost, host),
		Model: rep.Model.Asked, Served: rep.Model.Served, Runs: rep.Totals.Runs, Started: rep.Started, Issued: rep.Finished,
		Expires: rep.Finished.Add(proofLife(t, rep.Model.Served)), Fingerprint: fingerprintOf(rep.Model),
		Sampling: valuesOf(rep, "PAR-01"), Enforcement: enforcementOf(rep), Cases: rightCases(rep), P95MS: p95(rep)}
	for _, c := range rep.Checks {
		if c.Bound > 0 {
			if p.Bounds == nil {
				p.Bounds = map[string]float64{}
			}
			p.Bounds[c.ID] = c.Bound
		}
		if c.ID == "STA-02" && c.N > 0 {
			p.Agreement = float64(c.OK) / float64(c.N)
		}
	}
	return p
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// answerKey stands before the id of a case in a report's fingerprint.
const answerKey = "answer_"

// fingerprintOf reads the fingerprint of a report; nil if it holds none.
func fingerprintOf(m contracts.ReportModel) *jobstore.Fingerprint {
	f := jobstore.Fingerprint{TokenIntercept: numberIn(m.Fingerprint, "token_intercept"), TokenSlope: numberIn(m.Fingerprint, "token_slope"),
		System: m.SystemFingerprints}
	for name, hash := range m.Fingerprint {
		if id, ok := strings.CutPrefix(name, answerKey); ok {
			if f.Canary == nil {
				f.Canary = map[string]string{}
			}
			f.Canary[id] = hash
		}
	}
	if f.TokenIntercept == nil && f.TokenSlope == nil && f.System == nil && f.Canary == nil {
		return nil
	}
	return &f
}

func numberIn(values map[string]string, name string) *float64 {
	v, err := strconv.ParseFloat(values[name], 64)
	if err != nil {
		return nil
	}
	return &v
}

func valuesOf(rep contracts.Report, check string) map[string]string {
	for _, c := range rep.Checks {
		if c.ID == check {
			return c.Values
		}
	}
	return nil
}

// enforcementOf tells tools from TOOL-03, which is not applicable to a contract
// without them.
func enforcementOf(rep contracts.Report) *jobstore.Enforcement {
	e := jobstore.Enforcement{Schema: rep.Enforcement}
	for _, c := range rep.Checks {
		if c.ID == "TOOL-03" && c.Verdict == contracts.Pass {
			e.Tools = "native"
		}
	}
	if e == (jobstore.Enforcement{}) {
		return nil
	}
	return &e
}

// p95 is the time that 95 percent of the runs did not exceed; 0 without runs.
func p95(rep contracts.Report) int64 {
	var all []int64
	for _, k := range rep.Cases {
		for _, r := range k.Runs {
			all = append(all, r.LatencyMS)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)*95+99)/100-1]
}

// rightCases counts the cases whose answers came to their meaning, and those
// that most of the repeats got right. Repeats of a case are alike, so a case is
// what can be counted.
func rightCases(rep contracts.Report) *jobstore.Share {
	var s jobstore.Share
	for _, k := range rep.Cases {
		right, wrong := 0, 0
		for _, r := range k.Runs {
			switch {
			case r.Verdict == contracts.Pass:
				right++
			case strings.HasPrefix(r.Check, "SEM-"), r.Check == "TOOL-04", r.Check == "TOOL-05":
				wrong++
			}
		}
		if right+wrong > 0 {
			s.N++
		}
		if right > wrong {
			s.OK++
		}
	}
	if s.N == 0 {
		return nil
	}
	return &s
}
