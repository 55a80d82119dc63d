package main

import (
	"crypto/rand"
	"net/http"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
)

// variants makes clients for the requests that have to fail. A provider without
// a key has none to be wrong.
func variants(c *configs.Config, target string) func(conformance.Kind) providers.Provider {
	return func(kind conformance.Kind) providers.Provider {
		p, ok := c.Providers[c.Targets[target].Provider]
		if len(p.Keys) > 0 {
			p.APIKey = p.Keys[0].APIKey
		}
		if !ok || kind == conformance.WrongKey && p.APIKey.Reveal() == "" {
			return nil
		}
		if kind == conformance.WrongKey {
			p.APIKey = configs.NewSecret(rand.Text())
		}
		build, ok := kinds[p.Kind]
		if !ok {
			return nil
		}
		client, err := build(p)
		if err != nil {
			return nil // it was built before, from the same configuration
		}
		return client
	}
}

// recorded reads the suite's recordings the way a kind's adapter reads live
// traffic. They are of chat completions, so that other kinds have none.
func recorded(kind string) func(conformance.RecordedAnswer) (contracts.Completion, error) {
	if !speaksChat(kind) {
		return nil
	}
	return replay
}

// replay reads a recorded answer as live traffic is read.
func replay(r conformance.RecordedAnswer) (contracts.Completion, error) {
	h := http.Header{}
	for name, value := range r.Header {
		h.Set(name, value)
	}
	return openaicompat.Replay(r.Status, h, []byte(r.Body))
}
