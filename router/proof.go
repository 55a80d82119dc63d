package router

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// How long a pass is good for. A pinned model stays what it was; what a moving
// name stands for is its provider's choice.
const (
	pinnedLife = 30 * 24 * time.Hour
	movingLife = 7 * 24 * time.Hour
)

// moving matches names that say of themselves that they move: "latest" as the
// last word of "mistral-small-latest" or "llama3:latest".
var moving = regexp.MustCompile(`(?i)(^|[^a-z0-9])latest$`)

// proofLife is how long a pass is good for, by the name that was asked for and
// the names that answered. A model that answers under another name than it was
// asked under was asked for by an alias.
func proofLife(asked string, served []string) time.Duration {
	other := func(s string) bool { return s != "" && s != asked }
	if moving.MatchString(asked) || slices.ContainsFunc(served, other) {
		return movingLife
	}
	return pinnedLife
}

// proofOf is what a report proves, at a provider that is reached at host.
func proofOf(rep contracts.Report, raw []byte, host string) *jobstore.Proof {
	sum := sha256.Sum256(raw)
	p := &jobstore.Proof{Report: rep.ID, SHA256: hex.EncodeToString(sum[:]), SuiteVersion: rep.SuiteVersion, Mode: rep.Mode,
		Verdict: string(rep.Verdict), Provider: rep.Provider, BaseHost: host, Model: rep.Model.Asked, Served: rep.Model.Served,
		Runs: rep.Totals.Runs, Started: rep.Started, Issued: rep.Finished,
		Expires: rep.Finished.Add(proofLife(rep.Model.Asked, rep.Model.Served))}
	for _, c := range rep.Checks {
		if c.Bound > 0 {
			if p.Bounds == nil {
				p.Bounds = map[string]float64{}
			}
			p.Bounds[c.ID] = c.Bound
		}
	}
	return p
}
