package main

import (
	"fmt"
	"net/url"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
	"inferonce/providers/transport"
)

// kinds builds a provider of each kind that the configuration may name.
var kinds = map[string]func(configs.Provider) (providers.Provider, error){
	"anthropic": newAnthropic, "gemini": newGemini, "openai_responses": newOpenAIResponses, "bedrock": newBedrock,
	"openai": chatCompletions, "azure": chatCompletions, "vllm": chatCompletions, "llamacpp": chatCompletions, "ollama": chatCompletions,
	"groq": chatCompletions, "mistral": chatCompletions, "together": chatCompletions, "deepseek": chatCompletions, "openrouter": chatCompletions,
}

// newProviders builds the providers of a configuration. onRest, which may be nil,
// is told of keys that begin to rest.
func newProviders(c *configs.Config, onRest func(provider, key string, f *contracts.Failure)) (map[string]providers.Provider, error) {
	out := map[string]providers.Provider{}
	for name, p := range c.Providers {
		build, ok := kinds[p.Kind]
		if !ok {
			return nil, fmt.Errorf("provider %s: no adapter of kind %q is built in", name, p.Kind)
		}
		client, err := withKeys(p, build, func(key string, f *contracts.Failure) {
			if onRest != nil {
				onRest(name, key, f)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("provider %s: %w", name, err)
		}
		out[name] = client
	}
	return out, nil
}

// withKeys builds a provider, or one for each of its keys.
func withKeys(p configs.Provider, build func(configs.Provider) (providers.Provider, error), onRest func(string, *contracts.Failure)) (providers.Provider, error) {
	if len(p.Keys) == 0 {
		return build(p)
	}
	var members []providers.Member
	for _, k := range p.Keys {
		one := p
		one.APIKey = k.APIKey
		if k.BaseURL != "" {
			one.BaseURL = k.BaseURL
		}
		member, err := build(one)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", k.Name, err)
		}
		members = append(members, providers.Member{Name: k.Name, Weight: max(k.Weight, 1), Provider: member})
	}
	return providers.NewPool(members, onRest), nil
}

// idleConnections to one provider; a busy router keeps about as many calls under way.
const idleConnections = 128

// chatCompletions builds a provider that speaks OpenAI's chat completions.
func chatCompletions(p configs.Provider) (providers.Provider, error) {
	o, err := chatConfig(p)
	if err != nil {
		return nil, err
	}
	c, err := openaicompat.New(o)
	if err != nil || p.Renders == "" {
		return c, err
	}
	return openaicompat.WithRendering(c, p.Renders)
}

func chatConfig(p configs.Provider) (openaicompat.Config, error) {
	profile, err := openaicompat.ProfileNamed(profileOf(p))
	traits := openaicompat.Foreground
	traits.CreateToken = p.HonoursIdempotencyKey
	return openaicompat.Config{BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal, Traits: traits, Profile: profile, APIVersion: p.APIVersion,
		Transport: transport.Options{MaxIdle: idleConnections, Proxy: p.Proxy}}, err
}

// speaksChat says whether a kind's answers are chat completions.
func speaksChat(kind string) bool {
	_, err := openaicompat.ProfileNamed(kind)
	return err == nil
}

// profileOf names the profile of a kind. The kind openai also stands for servers
// of which nothing more is known than that they speak its language.
func profileOf(p configs.Provider) string {
	u, err := url.Parse(p.BaseURL)
	if p.Kind == "openai" && (err != nil || u.Hostname() != "api.openai.com") {
		return "generic"
	}
	return p.Kind
}
