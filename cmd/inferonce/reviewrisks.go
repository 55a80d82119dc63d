package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/providers"
)

// risk is something that an integration lacks.
type risk struct {
	Rank    string `json:"rank"` // high, medium or low
	Where   string `json:"where"`
	Lacks   string `json:"lacks"`
	Because string `json:"because"` // what can go wrong
	Fix     string `json:"fix"`
}

const (
	riskHigh   = "high"
	riskMedium = "medium"
	riskLow    = "low"
)

// missing lists what is missing, the gravest first.
func missing(c *configs.Config, catalog *contracts.Catalog, traits map[string]providers.Traits) []risk {
	all := append(storeRisks(c), providerRisks(c)...)
	for _, name := range sortedKeys(c.Routes) {
		if contract, err := catalog.Get(c.Routes[name].Contract); err == nil {
			all = append(all, routeRisks(c, name, contract, traits)...)
		}
	}
	all = append(all, targetRisks(c)...)
	rank := map[string]int{riskHigh: 0, riskMedium: 1, riskLow: 2}
	slices.SortStableFunc(all, func(a, b risk) int { return cmp.Compare(rank[a.Rank], rank[b.Rank]) })
	return all
}

func storeRisks(c *configs.Config) []risk {
	switch c.Store.Durability {
	case configs.Volatile:
		return []risk{{riskHigh, "store.durability", "any durability", "a restart of Redis forgets keys, and a repeated request runs again", "durability: single or strict, with appendonly yes"}}
	case configs.Single:
		return []risk{{riskMedium, "store.durability", "durability over a power loss", "about two seconds of accepted work may be gone, and would run again", "durability: strict, with appendfsync always"}}
	}
	return nil
}

func providerRisks(c *configs.Config) (out []risk) {
	for _, name := range sortedKeys(c.Providers) {
		if p := c.Providers[name]; strings.HasPrefix(p.BaseURL, "http://") && p.AllowHTTP {
			out = append(out, risk{riskHigh, "providers." + name, "encryption", "prompts and keys cross the network in the clear", "an https address"})
		}
	}
	if !slices.ContainsFunc(c.Keys, func(k configs.Key) bool {
		return slices.Contains(k.Scopes, configs.Operate) || slices.Contains(k.Scopes, configs.Admin)
	}) {
		out = append(out, risk{riskHigh, "keys", "a key with the scope operate", "nobody can settle an unknown attempt, and its job holds for good", "inferonce keys new, then scopes: [operate]"})
	}
	if c.Drift == configs.DriftOff {
		out = append(out, risk{riskMedium, "drift", "a watch over live answers", "a fallback that no longer keeps its contract goes on serving it", "drift: suspend"})
	}
	return out
}

func routeRisks(c *configs.Config, name string, contract *contracts.Contract, traits map[string]providers.Traits) (out []risk) {
	at, route := "routes."+name, c.Routes[name]
	if len(route.Fallbacks) == 0 {
		out = append(out, risk{riskMedium, at, "a fallback", "the primary's outage is the app's", "fallbacks: [TARGET], once conformance passed for it"})
	}
	if route.ListenFor-route.AnswerWithin < listensLong {
		out = append(out, risk{riskMedium, at + ".listen_for", "time for a late answer", "an answer that was paid for is not heard, and its attempt stays unknown", fmt.Sprintf("listen_for at least %s longer than answer_within", listensLong)})
	}
	for _, target := range append([]string{route.Primary}, route.Fallbacks...) {
		p := c.Targets[target].Provider
		if l := traits[p].Lookup; contract.Effects != contracts.EffectsNone && (l == "" || l == providers.LookupNone) {
			out = append(out, risk{riskHigh, at, "a look-up at " + target, "the contract has effects outside, and what became of a lost call is found out by hand only", "a provider whose calls can be looked up, or an operator who watches 'inferonce unknown list'"})
		}
	}
	return out
}

func targetRisks(c *configs.Config) (out []risk) {
	for _, name := range sortedKeys(c.Targets) {
		if c.Targets[name].Price.AsOf == "" {
			out = append(out, risk{riskLow, "targets." + name, "a price", "what its calls cost is not counted", "price: {input: N, output: N, as_of: YEAR-MONTH-DAY}"})
		}
		if c.Targets[name].MaxConcurrency == 0 {
			out = append(out, risk{riskLow, "targets." + name, "a bound on its calls", "a slow provider takes as many calls as the router has jobs", "max_concurrency: N"})
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
