package router

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// Live answers are noted in batches, beside the jobs: nobody waits for it.
const (
	watchEvery = time.Second
	watchBatch = 20
	// watchMost bounds what waits while the store is slow. Beyond it answers are
	// forgotten: the rules need a sample, not all.
	watchMost = 4096
)

// Classifier says what one live answer is worth: the id of the first check that
// failed, "" for none, and whether it counts at all. What the infrastructure
// or the input is to blame for does not.
type Classifier func(c *contracts.Contract, model string, input json.RawMessage, done contracts.Completion, err error) (check string, counts bool)

// heard is one call that came to its end, as the provider answered it.
type heard struct {
	target   string
	contract *contracts.Contract
	input    json.RawMessage
	done     contracts.Completion
	err      error
}

// sighting is what such a call is worth.
type sighting struct {
	target   string
	contract *contracts.Contract
	check    string
	quiet    bool   // it is not counted: only what follows says something
	served   string // model that answered; "" if none did
	system   string // the provider's mark of what ran
	gone     bool   // the provider has no such model
}

// lookout collects sightings until they are noted.
type lookout struct {
	mu      sync.Mutex
	waiting []sighting
	full    chan struct{}
}

func (l *lookout) add(s sighting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= watchMost {
		return
	}
	l.waiting = append(l.waiting, s)
	if len(l.waiting) >= watchBatch {
		select {
		case l.full <- struct{}{}:
		default:
		}
	}
}

func (l *lookout) take() []sighting {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.waiting
	l.waiting = nil
	return out
}

// classify judges a call after its answer is on its way to the job.
func (r *Router) classify(h *heard) {
	if h == nil || r.Classify == nil {
		return
	}
	// A bug of ours says nothing about the provider.
	defer func() { _ = recover() }()
	check, counts := r.Classify(h.contract, r.Targets[h.target].Model, h.input, h.done, h.err)
	s := sighting{target: h.target, contract: h.contract, check: check, quiet: !counts}
	if f, failed := errors.AsType[*contracts.Failure](h.err); failed {
		s.gone = f.ModelGone()
	}
	if h.err == nil {
		s.served, s.system = h.done.Model, h.done.SystemFingerprint
	}
	if counts || s.gone {
		r.lookout.add(s)
	}
}

// watch notes what live answers were worth until ctx ends, and suspends a pair
// that its answers show to have drifted.
func (r *Router) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			r.note(r.lookout.take())
			return
		case <-tick.C:
		case <-r.lookout.full:
		}
		r.note(r.lookout.take())
	}
}

// note goes through what was seen, pair by pair. What the store does not take
// is forgotten: a batch that is counted twice would be worse.
func (r *Router) note(seen []sighting) {
	for len(seen) > 0 {
		first, rest := seen[0], []sighting(nil)
		var mine []sighting
		for _, s := range seen {
			if s.target == first.target && s.contract == first.contract {
				mine = append(mine, s)
			} else {
				rest = append(rest, s)
			}
		}
		if err := r.notePair(mine); err != nil {
			r.observer.Observe(Observation{Event: StoreTrouble, Code: "drift", Target: first.target, Err: err})
		}
		seen = rest
	}
}

func (r *Router) notePair(all []sighting) error {
	ctx, cancel := r.storeContext()
	defer cancel()
	c, pair, counted := all[0].contract, jobstore.Pair{Target: all[0].target, Digest: all[0].contract.Digest}, false
	for range maxConflicts {
		rec, err := r.Store.EligibilityOf(ctx, pair.Target, pair.Digest)
		if err != nil {
			return err
		}
		checks, named := worth(rec.Proof, all)
		if counted {
			checks = nil // they count once, however often the record has to be read
		}
		evidence, err := r.Store.Note(ctx, pair, checks)
		if err != nil {
			return err
		}
		counted = true
		d := seenLive(evidence, named)
		if d.rule == "" {
			return nil
		}
		evidence.Rule, evidence.Served, evidence.System = d.rule, named.served, named.system
		changed, err := r.takeOut(ctx, rec, c, change{by: driftAuthor, drift: d, evidence: &evidence})
		if changed {
			r.lookAtPrimaries(ctx)
		}
		if !isConflict(err) {
			return err
		}
	}
	return errKeptChanging
}

// names are what sightings say of who answered, as hashes: a name is the
// provider's text. "" is for what the proof has.
type names struct {
	served, system string
	gone           bool
}

// seenLive decides what live answers mean: first what one answer is enough for.
// It is pure.
func seenLive(e jobstore.Evidence, n names) drift {
	switch {
	case n.gone:
		return goneModel()
	case n.served != "":
		return namedOtherwise()
	case n.system != "":
		return markedOtherwise()
	}
	return drifted(e)
}

// worth turns sightings into check ids, and says what they show beside.
func worth(proof *jobstore.Proof, seen []sighting) (checks []string, n names) {
	for _, s := range seen {
		check := s.check
		if stray(proof, s.served) {
			n.served = hashed(s.served)
			check = or(check, otherModel)
		}
		if strange(proof, s.system) {
			n.system = hashed(s.system)
			check = or(check, otherModel)
		}
		n.gone = n.gone || s.gone
		if !s.quiet {
			checks = append(checks, check)
		}
	}
	return checks, n
}
