package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/router"
)

// newHosts says where each provider is reached: scheme and host, without the path.
func newHosts(c *configs.Config) map[string]string {
	out := map[string]string{}
	for name, p := range c.Providers {
		if u, err := url.Parse(p.BaseURL); err == nil {
			out[name] = u.Scheme + "://" + u.Host
		}
	}
	return out
}

// judges keeps one judge for each contract and model: they never change.
type judges struct {
	eased map[string]bool // models that some provider serves whose calls may end by "stop"

	mu sync.Mutex
	of map[judgeKey]*conformance.Judge
}

type judgeKey struct{ digest, model string }

func (j *judges) get(c *contracts.Contract, model string) *conformance.Judge {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := judgeKey{c.Digest, model}
	if j.of[k] == nil {
		j.of[k] = conformance.NewJudge(c, model).With(conformance.CallProfile{UnderStop: j.eased[model]})
	}
	return j.of[k]
}

// newClassifier holds live answers against the suite's own checks; nil if
// nobody wants to know.
func newClassifier(cfg *configs.Config) router.Classifier {
	if cfg.Drift != configs.DriftSuspend {
		return nil
	}
	all := &judges{eased: map[string]bool{}, of: map[judgeKey]*conformance.Judge{}}
	for _, t := range cfg.Targets {
		if cfg.Providers[t.Provider].StopWithCalls {
			all.eased[t.Model] = true
		}
	}
	return func(c *contracts.Contract, model string, input json.RawMessage, done contracts.Completion, err error) (string, bool) {
		// Under which names this target may answer is for its proof to say, and
		// the router knows that.
		done.Model = model
		r := all.get(c, model).Classify(contracts.Case{Input: input}, done, err)
		return liveCheck(r)
	}
}

// liveCheck says what a ruling means for drift. A caller's input alone can make
// a provider refuse (PAR) or filter it (ENV-08), and padding (STR-09) breaks
// nothing: those say nothing against a target. Without an expected value only an
// assertion of the contract can fail in meaning (SEM-01), and that does.
func liveCheck(r conformance.Ruling) (check string, counts bool) {
	switch {
	case r.Infra:
		return "", false
	case r.Check == "" || r.Check == "STR-09":
		return "", true
	case strings.HasPrefix(r.Check, "PAR-") || r.Check == "ENV-08":
		return "", false
	}
	return r.Check, true
}

// newCanary is the schedule of the configuration.
func newCanary(c *configs.Config, catalog *contracts.Catalog, all map[string]providers.Provider) (router.Canary, error) {
	out := router.Canary{Every: c.Canary.Every}
	for _, ref := range c.Canary.Contracts {
		contract, err := catalog.Get(ref)
		if err != nil {
			return out, fmt.Errorf("canary: %w", err)
		}
		out.Contracts = append(out.Contracts, contract.Ref())
	}
	out.Run = func(ctx context.Context, a router.Assignment) (contracts.Report, error) {
		o, err := pairWith(c, all, a.Target, a.Contract, canaryOptions(a))
		if err != nil {
			return contracts.Report{}, err
		}
		return conformance.Run(ctx, o)
	}
	return out, nil
}

// canaryOptions are those of a scheduled run: one call at a time, since live
// traffic comes first.
func canaryOptions(a router.Assignment) conformance.Options {
	o := conformance.Options{Mode: conformance.Quick, Concurrency: 1, Recognise: true}
	if a.Certify {
		o.Mode = conformance.Certify
		return o // it sets a new baseline, so it goes by none
	}
	if k := a.Known; k != nil && k.TokenIntercept != nil && k.TokenSlope != nil {
		o.Baseline = &conformance.TokenCount{Intercept: *k.TokenIntercept, Slope: *k.TokenSlope}
	}
	return o
}
