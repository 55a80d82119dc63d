package main

import (
	"errors"

	"inferonce/configs"
	"inferonce/providers"
	"inferonce/providers/anthropic"
	"inferonce/providers/bedrock"
	"inferonce/providers/gemini"
	"inferonce/providers/openairesponses"
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

// newOpenAIResponses builds a provider that runs OpenAI's responses in the background.
func newOpenAIResponses(p configs.Provider) (providers.Provider, error) {
	return openairesponses.New(openairesponses.Config{BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal,
		Transport: transport.Options{MaxIdle: idleConnections, Proxy: p.Proxy}})
}

// newBedrock builds a provider that speaks Bedrock's Converse.
func newBedrock(p configs.Provider) (providers.Provider, error) {
	c := bedrock.Config{BaseURL: p.BaseURL, Region: p.Region, APIKey: p.APIKey.Reveal, Transport: transport.Options{MaxIdle: idleConnections, Proxy: p.Proxy}}
	if !p.AccessKeyID.IsZero() {
		c.Credentials = func() bedrock.Credentials {
			return bedrock.Credentials{AccessKeyID: p.AccessKeyID.Reveal(), SecretAccessKey: p.SecretAccessKey.Reveal(), SessionToken: p.SessionToken.Reveal()}
		}
	}
	return bedrock.New(c)
}
