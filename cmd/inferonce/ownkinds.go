package main

import (
	"errors"

	"inferonce/configs"
	"inferonce/providers"
	"inferonce/providers/anthropic"
	"inferonce/providers/gemini"
	"inferonce/providers/transport"
)

// newAnthropic builds a provider that speaks Anthropic's Messages.
func newAnthropic(p configs.Provider) (providers.Provider, error) {
	if p.HonoursIdempotencyKey {
		return nil, errNoToken
	}
	return anthropic.New(anthropic.Config{BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal, Transport: transport.Options{MaxIdle: idleConnections, Proxy: p.Proxy}})
}

// newGemini builds a provider that speaks Gemini's generateContent.
func newGemini(p configs.Provider) (providers.Provider, error) {
	if p.HonoursIdempotencyKey {
		return nil, errNoToken
	}
	return gemini.New(gemini.Config{BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal, Transport: transport.Options{MaxIdle: idleConnections, Proxy: p.Proxy}})
}

var errNoToken = errors.New("this kind sends no idempotency key; remove honours_idempotency_key")
