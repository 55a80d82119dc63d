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
		if !ok || kind == conformance.WrongKey && p.APIKey.Reveal() == "" {
			return nil
		}
		key := p.APIKey.Reveal
		if kind == conformance.WrongKey {
			key = rand.Text
		}
		if build := withKey(p.Kind); build != nil {
			return built(build(p, key))
		}
		client, err := openaicompat.New(openaicompat.Config{BaseURL: p.BaseURL, APIKey: key})
		if err != nil {
			return nil // the address was checked when it was loaded
		}
		return client
	}
}

// built is nil where the configuration has been refused already.
func built(p providers.Provider, err error) providers.Provider {
	if err != nil {
		return nil
	}
	return p
}

// recorded reads the suite's recordings the way a kind's adapter reads live
// traffic. They are of chat completions, so that other kinds have none.
func recorded(kind string) func(conformance.RecordedAnswer) (contracts.Completion, error) {
	if withKey(kind) != nil {
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
