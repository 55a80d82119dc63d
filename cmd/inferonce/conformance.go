package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
)

func newConformanceCmd(env lookup) *cobra.Command {
	return group(&cobra.Command{
		Use:   "conformance",
		Short: "Prove that a target does what a contract needs",
		Long: `conformance runs a contract's cases on a target. Only a target that passed may
take over for another one.`,
		Example: `  inferonce conformance run --target llama --contract ticket-triage --mode certify --submit
  inferonce conformance can-i-failover ticket-triage`,
	}, newConformanceRunCmd(env), newConformanceReportCmd(env), newConformanceDiffCmd(), newConformancePublishCmd(env),
		newCanIFailoverCmd(env), newConformanceSchemaCmd())
}

// proveTarget runs conformance for a target and a contract of a configuration.
func proveTarget(ctx context.Context, c *configs.Config, target, ref string, o conformance.Options) (contracts.Report, error) {
	o, err := pairOf(c, target, ref, o)
	if err != nil {
		return contracts.Report{}, err
	}
	report, err := conformance.Run(ctx, o)
	return report, exit(exitCouldNotRun, err)
}

func (p *parts) prove(ctx context.Context, c *configs.Config, target string, contract *contracts.Contract, o conformance.Options) (contracts.Report, error) {
	o, err := pairWith(c, p.providers, target, contract, o)
	if err != nil {
		return contracts.Report{}, err
	}
	report, err := conformance.Run(ctx, o)
	return report, exit(exitCouldNotRun, err)
}

// pairOf completes the options with a target and a contract of a configuration.
func pairOf(c *configs.Config, target, ref string, o conformance.Options) (conformance.Options, error) {
	catalog, err := loadCatalog(c.Contracts)
	if err != nil {
		return o, exit(exitInvalid, err)
	}
	contract, err := catalog.Get(ref)
	if err != nil {
		return o, exit(exitNotFound, err)
	}
	all, err := newProviders(c, nil)
	if err != nil {
		return o, exit(exitInvalid, err)
	}
	return pairWith(c, all, target, contract, o)
}

func pairWith(c *configs.Config, all map[string]providers.Provider, target string, contract *contracts.Contract, o conformance.Options) (conformance.Options, error) {
	targets := newTargets(c)
	t, ok := targets[target]
	if !ok {
		return o, exitf(exitNotFound, "no target is called %q; the configuration has %s", target,
			strings.Join(slices.Sorted(maps.Keys(targets)), ", "))
	}
	o.Target, o.Provider, o.Contract, o.Secrets = t, all[t.Provider], contract, keysOf(c)
	o.BaseHost = newHosts(c)[t.Provider]
	o.ReadRecorded = recorded(c.Providers[t.Provider].Kind)
	o.Price = priceOf(c, target)
	o.Profile, o.Calls = profilesOf(c.Providers[t.Provider])
	if o.Mode == "" {
		o.Mode = conformance.Quick
	}
	if o.Concurrency == 0 {
		o.Concurrency = 4
	}
	return o, nil
}

// profilesOf is what the configuration says of a provider's schemas and calls.
func profilesOf(p configs.Provider) (conformance.SchemaProfile, conformance.CallProfile) {
	schemas, _ := conformance.ProfileNamed(p.SchemaProfile) // checked when it was loaded
	return schemas, conformance.CallProfile{UnderStop: p.StopWithCalls}
}

// priceOf is what an answer of a target costs; nil where the configuration does
// not say.
func priceOf(c *configs.Config, target string) func(contracts.Usage) (microUSD int64, known bool) {
	p := price(c.Targets[target].Price)
	if !p.Known() {
		return nil
	}
	return p.Cost
}

// keysOf are the keys that no report may show.
func keysOf(c *configs.Config) (all []string) {
	for _, p := range c.Providers {
		all = append(all, p.APIKey.Reveal())
		for _, k := range p.Keys {
			all = append(all, k.APIKey.Reveal())
		}
	}
	return all
}
