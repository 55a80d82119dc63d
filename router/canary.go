package router

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// canaryAuthor makes the changes that scheduled runs call for.
const canaryAuthor = "canary"

// The rules for scheduled runs.
const (
	canaryRow     = 2              // failed runs, without one that passed between
	canaryUnclear = 24 * time.Hour // of inconclusive runs only: what nobody knows is not eligible
)

// Canary runs conformance on a schedule, for pairs that may take over.
type Canary struct {
	Every     time.Duration // between two runs of a pair, by whichever router; 0: never
	Contracts []string      // name@version
	// Run makes one quick run. Its error counts as inconclusive.
	Run func(ctx context.Context, target string, c *contracts.Contract) (contracts.Report, error)
}

// afterCanary decides what a scheduled run means. An empty reason means that
// the pair stays. It is pure.
func afterCanary(was jobstore.Canary, v contracts.Verdict, now time.Time) (is jobstore.Canary, reason string) {
	switch v {
	case contracts.Pass:
		return jobstore.Canary{}, ""
	case contracts.Fail:
		is.Failed = was.Failed + 1
		if is.Failed >= canaryRow {
			reason = fmt.Sprintf("%d scheduled runs in a row failed", is.Failed)
		}
		return is, reason
	}
	is = was
	if is.Unclear.IsZero() {
		is.Unclear = now
	}
	if now.Sub(is.Unclear) >= canaryUnclear {
		reason = "every scheduled run since " + is.Unclear.Format(time.RFC3339) + " was inconclusive"
	}
	return is, reason
}

// canaries makes scheduled runs until ctx ends, one at a time. It asks for
// them several times a period, so that a pair's run is not late for long when
// the router that had it is gone.
func (r *Router) canaries(ctx context.Context) {
	if r.Canary.Every <= 0 || r.Canary.Run == nil {
		return
	}
	tick := time.NewTicker(min(time.Minute, max(r.Canary.Every/10, time.Second)))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.canaryRound(ctx)
		}
	}
}

// canaryRound goes through the pairs in an order of its own, so that several
// routers share them.
func (r *Router) canaryRound(ctx context.Context) {
	for _, i := range rand.Perm(len(r.Canary.Contracts)) {
		route, ok := r.routes[r.Canary.Contracts[i]]
		if !ok {
			continue
		}
		targets := route.Targets()
		for _, k := range rand.Perm(len(targets)) {
			if err := r.canary(ctx, targets[k], route.Contract); err != nil && ctx.Err() == nil {
				r.observer.Observe(Observation{Event: StoreTrouble, Code: "canary", Target: targets[k], Err: err})
			}
		}
	}
}

// canary makes the run of a pair if it is due and this router gets it.
func (r *Router) canary(ctx context.Context, target string, c *contracts.Contract) error {
	pair := jobstore.Pair{Target: target, Digest: c.Digest}
	rec, err := r.Store.EligibilityOf(ctx, target, c.Digest)
	if err != nil || r.pairing(rec, target, c).judge(now()).code != "" {
		return err
	}
	mine, err := r.Store.TakeCanary(ctx, pair, r.Name, r.Canary.Every)
	if err != nil || !mine {
		return err
	}
	rep, failure := r.Canary.Run(ctx, target, c)
	if ctx.Err() != nil {
		return nil // we are stopping: that says nothing
	}
	if failure != nil {
		rep.Verdict = contracts.Inconclusive
	}
	was, err := r.Store.CanaryOf(ctx, pair)
	if err != nil {
		return err
	}
	is, reason := afterCanary(was, rep.Verdict, now())
	if reason != "" {
		if err := r.suspendByCanary(ctx, pair, c, rep, reason); err != nil {
			return err
		}
		is = jobstore.Canary{}
	}
	return r.Store.SetCanary(ctx, pair, is)
}

func (r *Router) suspendByCanary(ctx context.Context, p jobstore.Pair, c *contracts.Contract, rep contracts.Report, reason string) error {
	for range maxConflicts {
		rec, err := r.Store.EligibilityOf(ctx, p.Target, p.Digest)
		if err != nil {
			return err
		}
		if _, err = r.suspend(ctx, rec, c, change{by: canaryAuthor, reason: reason, report: rep.ID, evidence: evidenceOf(rep)}); !isConflict(err) {
			r.lookAtPrimaries(ctx)
			return err
		}
	}
	return errKeptChanging
}

// evidenceOf is what a report shows against a pair.
func evidenceOf(rep contracts.Report) *jobstore.Evidence {
	e := &jobstore.Evidence{Calls: rep.Totals.Runs}
	if raw, err := json.Marshal(rep); err == nil {
		sum := sha256.Sum256(raw)
		e.Report = hex.EncodeToString(sum[:])
	}
	for _, c := range rep.Checks {
		if c.Verdict != contracts.Fail {
			continue
		}
		if e.Checks == nil {
			e.Checks = map[string]int{}
		}
		e.Checks[c.ID] = c.N - c.OK
		e.Failed += c.N - c.OK
	}
	return e
}
