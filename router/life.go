package router

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"inferonce/jobstore"
	"inferonce/providers"
)

// How long a pass is good for, and how long before its end it is renewed. A
// pinned model stays what it was; what a moving name stands for is its
// provider's choice.
const (
	pinnedLife  = 30 * 24 * time.Hour
	movingLife  = 7 * 24 * time.Hour
	pinnedAhead = 7 * 24 * time.Hour // from day 23 on
	movingAhead = 2 * 24 * time.Hour // from day 5 on
)

// latest matches names that say of themselves that they move: "latest" as the
// last word of "mistral-small-latest" or "llama3:latest".
var latest = regexp.MustCompile(`(?i)(^|[^a-z0-9])latest$`)

// proofLife is how long a pass is good for, by what the configuration says of the
// target, else by its name: one without a digit names no version. A model that
// answers under another name than it was asked under was asked for by an alias.
func proofLife(t providers.Target, served []string) time.Duration {
	other := func(s string) bool { return s != "" && s != t.Model }
	moves := latest.MatchString(t.Model) || !strings.ContainsAny(t.Model, "0123456789") || slices.ContainsFunc(served, other)
	if t.Pinned != nil {
		moves = !*t.Pinned
	}
	if moves {
		return movingLife
	}
	return pinnedLife
}

// renewFrom is when a pass is to be renewed; zero without a pass.
func renewFrom(p *jobstore.Proof) time.Time {
	switch {
	case p == nil || p.Expires.IsZero():
		return time.Time{}
	case p.Expires.Sub(p.Issued) > movingLife:
		return p.Expires.Add(-pinnedAhead)
	}
	return p.Expires.Add(-movingAhead)
}
