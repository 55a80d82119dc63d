package main

import (
	"fmt"

	"inferonce/configs"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
	"inferonce/providers/transport"
)

// kinds builds a provider of each kind that the configuration may name.
var kinds = map[string]func(configs.Provider) (providers.Provider, error){
	"openai":           newOpenAI,
	"openai_responses": newOpenAIResponses,
	"bedrock":          newBedrock,
}

func newProviders(c *configs.Config) (map[string]providers.Provider, error) {
	out := map[string]providers.Provider{}
	for name, p := range c.Providers {
		build, ok := kinds[p.Kind]
		if !ok {
			return nil, fmt.Errorf("provider %s: no adapter of kind %q is built in", name, p.Kind)
		}
		client, err := build(p)
		if err != nil {
			return nil, fmt.Errorf("provider %s: %w", name, err)
		}
		out[name] = client
	}
	return out, nil
}

// idleConnections to one provider; a busy router keeps about as many calls under way.
const idleConnections = 128

func newOpenAI(p configs.Provider) (providers.Provider, error) {
	traits := openaicompat.Foreground
	traits.CreateToken = p.HonoursIdempotencyKey
	return openaicompat.New(openaicompat.Config{BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal, Traits: traits,
		Transport: transport.Options{MaxIdle: idleConnections}})
}
