package router

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
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

// Canary runs conformance on a schedule: for pairs that may take over, to see
// whether they still do what they proved and to renew their passes, and for
// pairs that drift took out, to prove them anew.
type Canary struct {
	Every     time.Duration // between two looks at a pair, by whichever router; 0: never
	Contracts []string      // name@version
	// Run makes one run. Its error counts as inconclusive.
	Run func(ctx context.Context, a Assignment) (contracts.Report, error)
}

// Assignment is one scheduled run.
type Assignment struct {
	Target   string
	Contract *contracts.Contract
	Certify  bool                  // in mode certify; in mode quick otherwise
	Known    *jobstore.Fingerprint // by which the target was known; nil if it was not
}

func (c Canary) covers(ref string) bool {
	return c.Every > 0 && c.Run != nil && slices.Contains(c.Contracts, ref)
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

// canary makes the run of a pair if one is due and this router gets it.
func (r *Router) canary(ctx context.Context, target string, c *contracts.Contract) error {
	pair := jobstore.Pair{Target: target, Digest: c.Digest}
	rec, err := r.Store.EligibilityOf(ctx, target, c.Digest)
	if err != nil || rec.Version == 0 {
		return err
	}
	was, err := r.Store.CanaryOf(ctx, pair)
	if err != nil {
		return err
	}
	p := r.pairing(rec, target, c)
	switch do := errandOf(p, was, now()); do {
	case look:
		if mine, err := r.Store.TakeCanary(ctx, pair, r.Name, r.Canary.Every); err != nil || !mine {
			return err
		}
		return r.lookAt(ctx, p, was)
	case renew, recovery:
		if mine, err := r.Store.TakeProof(ctx, pair, r.Name, hysteresis/2); err != nil || !mine {
			return err
		}
		return r.proveAnew(ctx, p, was, do)
	}
	return nil
}

// lookAt makes a quick run and moves the pair if a rule says so.
func (r *Router) lookAt(ctx context.Context, p pairing, was jobstore.Canary) error {
	rep := r.assigned(ctx, p, false)
	if ctx.Err() != nil {
		return nil // we are stopping: that says nothing
	}
	pair := jobstore.Pair{Target: p.target.Name, Digest: p.contract.Digest}
	is, d, evidence := seenIn(p.rec.Proof, was, rep, now())
	if d.rule != "" {
		if err := r.moveByCanary(ctx, pair, p.contract, change{by: canaryAuthor, drift: d, of: proofID(p.rec), report: rep.ID, evidence: evidence}); err != nil {
			return err
		}
		is = jobstore.Canary{Tries: is.Tries, Tried: is.Tried}
	}
	return r.Store.SetCanary(ctx, pair, is)
}

// proveAnew makes the runs that can renew a pass, or bring a pair back: after a
// suspension a quick one first, which costs less and is enough to revoke.
func (r *Router) proveAnew(ctx context.Context, p pairing, was jobstore.Canary, do errand) error {
	pair := jobstore.Pair{Target: p.target.Name, Digest: p.contract.Digest}
	base := p.rec.Suspended.Add(hysteresis)
	if do == renew {
		base = renewFrom(p.rec.Proof)
	}
	_, tries := nextTry(base, was)
	is := was
	is.Tries, is.Tried = tries+1, now()
	if err := r.Store.SetCanary(ctx, pair, is); err != nil { // before the calls: a router that dies has had its try
		return err
	}
	var rep contracts.Report
	if do == recovery && p.rec.State == jobstore.Suspended {
		if rep = r.assigned(ctx, p, false); rep.Verdict == contracts.Fail {
			return r.handIn(ctx, rep)
		}
	}
	if do == renew || p.rec.State == jobstore.Revoked || rep.Verdict == contracts.Pass {
		rep = r.assigned(ctx, p, true)
	}
	if ctx.Err() != nil {
		return nil
	}
	if rep.Gone {
		_, d, e := seenIn(p.rec.Proof, was, rep, now())
		return r.moveByCanary(ctx, pair, p.contract, change{by: canaryAuthor, drift: d, of: proofID(p.rec), report: rep.ID, evidence: e})
	}
	if rep.Verdict != contracts.Pass && rep.Verdict != contracts.Fail {
		return nil // nothing was learnt; the next try is later
	}
	if err := r.handIn(ctx, rep); err != nil {
		return err
	}
	if do == renew && rep.Verdict == contracts.Pass {
		is.Tries, is.Tried = 0, time.Time{}
		return r.Store.SetCanary(ctx, pair, is)
	}
	return nil
}

// handIn gives in a report as anybody would. One that is refused changes nothing,
// which the next try will see.
func (r *Router) handIn(ctx context.Context, rep contracts.Report) error {
	raw, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	_, err = r.AcceptReport(ctx, raw, canaryAuthor)
	if _, refused := errors.AsType[*ReportError](err); refused {
		return nil
	}
	r.lookAtPrimaries(ctx)
	return err
}

// assigned makes a run; what went wrong with it is inconclusive.
func (r *Router) assigned(ctx context.Context, p pairing, certify bool) contracts.Report {
	a := Assignment{Target: p.target.Name, Contract: p.contract, Certify: certify}
	if passes(p.rec.Proof) {
		a.Known = p.rec.Proof.Fingerprint
	}
	rep, err := r.Canary.Run(ctx, a)
	if err != nil {
		rep.Verdict = contracts.Inconclusive
	}
	return rep
}

func (r *Router) moveByCanary(ctx context.Context, p jobstore.Pair, c *contracts.Contract, ch change) error {
	for range maxConflicts {
		rec, err := r.Store.EligibilityOf(ctx, p.Target, p.Digest)
		if err != nil {
			return err
		}
		if proofID(rec) != ch.of {
			return nil // it was proved anew meanwhile, and the run says nothing against that
		}
		if _, err = r.takeOut(ctx, rec, c, ch); !isConflict(err) {
			r.lookAtPrimaries(ctx)
			return err
		}
	}
	return errKeptChanging
}

func proofID(rec jobstore.Eligibility) string {
	if rec.Proof == nil {
		return ""
	}
	return rec.Proof.Report
}

// evidenceOf is what a report shows against a pair.
func evidenceOf(rep contracts.Report) *jobstore.Evidence {
	e := &jobstore.Evidence{Calls: rep.Totals.Runs}
	if raw, err := json.Marshal(rep); err == nil {
		e.Report = hashed(string(raw))
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
