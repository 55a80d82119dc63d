package main

import (
	"errors"

	"inferonce/configs"
	"inferonce/providers"
	"inferonce/providers/anthropic"
	"inferonce/providers/gemini"
	"inferonce/providers/transport"
)

// withKey builds a provider that is called with another key than the
// configured one. It is nil for the kinds that speak chat completions.
func withKey(kind string) func(configs.Provider, func() string) (providers.Provider, error) {
	switch kind {
	case "anthropic":
		return anthropicWith
	case "gemini":
		return geminiWith
	}
	return nil
}

func newAnthropic(p configs.Provider) (providers.Provider, error) {
	return anthropicWith(p, p.APIKey.Reveal)
}

func newGemini(p configs.Provider) (providers.Provider, error) { return geminiWith(p, p.APIKey.Reveal) }

func anthropicWith(p configs.Provider, key func() string) (providers.Provider, error) {
	if p.HonoursIdempotencyKey {
		return nil, errNoToken
	}
	return anthropic.New(anthropic.Config{BaseURL: p.BaseURL, APIKey: key, Transport: transport.Options{MaxIdle: idleConnections}})
}

func geminiWith(p configs.Provider, key func() string) (providers.Provider, error) {
	if p.HonoursIdempotencyKey {
		return nil, errNoToken
	}
	return gemini.New(gemini.Config{BaseURL: p.BaseURL, APIKey: key, Transport: transport.Options{MaxIdle: idleConnections}})
}

var errNoToken = errors.New("this kind sends no idempotency key; remove honours_idempotency_key")
