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
		o, err := chatConfig(p)
		if err != nil {
			return nil // the kind was checked when it was loaded
		}
		if kind == conformance.WrongKey {
			o.APIKey = rand.Text
		}
		client, err := openaicompat.New(o)
		if err != nil {
			return nil // the address was checked when it was loaded
		}
		return client
	}
}

// replay reads a recorded answer as live traffic is read.
func replay(r conformance.RecordedAnswer) (contracts.Completion, error) {
	h := http.Header{}
	for name, value := range r.Header {
		h.Set(name, value)
	}
	return openaicompat.Replay(r.Status, h, []byte(r.Body))
}
