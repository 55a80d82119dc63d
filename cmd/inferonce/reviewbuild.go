package main

import (
	"fmt"
	"strings"
	"time"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// review is what an integration consists of, and what it lacks (R30).
type review struct {
	Calls     []reviewCall     `json:"calls"`
	Writes    []jobstore.Write `json:"writes"`
	Webhooks  []reviewHook     `json:"webhooks"`
	Missing   []risk           `json:"missing"`     // the gravest first
	Unchecked []string         `json:"not_checked"` // what this review could not see
}

// reviewCall is one external call: what a route makes at a target.
type reviewCall struct {
	Route     string            `json:"route"`
	Contract  string            `json:"contract"`
	Target    string            `json:"target"`
	Role      string            `json:"role"` // primary or fallback
	Provider  string            `json:"provider"`
	Calls     []reviewOperation `json:"operations"`
	Connect   string            `json:"connect"`
	FirstByte string            `json:"first_byte"`
	Answer    string            `json:"answer_within"`
	Listen    string            `json:"listen_for"`
	Budget    string            `json:"budget"`
	Attempts  int               `json:"attempts"`
	Retryable []string          `json:"retryable_errors"`
	Effects   string            `json:"effects"`
	Changes   bool              `json:"changes_data"`
	Duplicate string            `json:"duplicate"`
	Lookup    string            `json:"lookup"`
	Push      string            `json:"push"`
	Cancel    string            `json:"cancel"`
	OnUnknown string            `json:"on_unknown"`
	Price     string            `json:"price,omitempty"`
}

type reviewOperation struct {
	Name    string `json:"name"`
	Call    string `json:"call"`
	Changes bool   `json:"changes"`
	Source  string `json:"source"`
}

// reviewHook is one direction of webhooks.
type reviewHook struct {
	Direction  string `json:"direction"`
	Configured bool   `json:"configured"`
	Detail     string `json:"detail"`
}

// buildReview is pure: the same configuration gives the same review.
func buildReview(c *configs.Config, catalog *contracts.Catalog, traits map[string]providers.Traits) (review, error) {
	r := review{Calls: []reviewCall{}, Writes: jobstore.Writes(), Webhooks: webhooks(), Unchecked: []string{
		"the store was not asked: its version, persistence and eviction are for 'inferonce doctor'",
		"conformance records were not read: 'inferonce eligibility list' shows which fallbacks may take over, and until when"}}
	for _, name := range sortedKeys(c.Routes) {
		route := c.Routes[name]
		contract, err := catalog.Get(route.Contract)
		if err != nil {
			return r, fmt.Errorf("route %s: %w", name, err)
		}
		for i, target := range append([]string{route.Primary}, route.Fallbacks...) {
			role := "fallback"
			if i == 0 {
				role = "primary"
			}
			r.Calls = append(r.Calls, callOf(name, route, contract, target, role, c, traits))
		}
	}
	r.Missing = missing(c, catalog, traits)
	return r, nil
}

func callOf(name string, route configs.Route, contract *contracts.Contract, target, role string, c *configs.Config, traits map[string]providers.Traits) reviewCall {
	t := c.Targets[target]
	tr := traits[t.Provider]
	out := reviewCall{Route: name, Contract: contract.Ref(), Target: target, Role: role, Provider: t.Provider,
		Connect: route.Connect.String(), FirstByte: route.FirstByte.String(), Answer: route.AnswerWithin.String(),
		Listen: route.ListenFor.String(), Budget: route.Budget.String(), Attempts: route.Attempts,
		Retryable: retryableAfter(contract.Effects), Effects: string(contract.Effects), Duplicate: tr.Duplicate,
		Lookup: tr.Lookup, Push: tr.Push, Cancel: tr.Cancel, OnUnknown: onUnknown(contract.OnUnknown),
		Changes: contract.Effects != contracts.EffectsNone}
	for _, o := range tr.Operations {
		out.Calls = append(out.Calls, reviewOperation{o.Name, o.Call, o.Changes, o.Source})
		out.Changes = out.Changes || o.Changes
	}
	if p := t.Price; p.AsOf != "" {
		out.Price = fmt.Sprintf("$%s in, $%s out for a million tokens, as of %s", p.Input, p.Output, p.AsOf)
	}
	return out
}

func onUnknown(p contracts.UnknownPolicy) string {
	if p.After > 0 {
		return fmt.Sprintf("%s %s", p.Action, p.After)
	}
	return string(p.Action)
}

// retryableAfter lists what lets another attempt begin, as router.decide reads it.
func retryableAfter(effects contracts.Effects) []string {
	out := []string{"rate_limited", "overloaded", "connection before a byte left",
		"auth, quota_exhausted, not_found and context_length at another target only"}
	if effects == contracts.EffectsNone {
		out = append(out, "provider_error", "truncated", "bad_response", "contract_violation at another target only")
	}
	return out
}

func webhooks() []reviewHook {
	return []reviewHook{
		{"inbound: provider to router", false, "none configured: a lost answer comes on its own connection, by a look-up, or by an operator"},
		{"outbound: router to app", false, "none configured: apps wait or poll the job's address; signature, repeats and dead letters do not apply"},
	}
}

// wordsOf is a list in a table's cell.
func wordsOf(list []string) string { return strings.Join(list, ", ") }

// listensLong is the least listening beyond answer_within that gives a late answer a chance.
const listensLong = time.Minute
