package main

import (
	"inferonce/configs"
	"inferonce/providers"
	"inferonce/providers/bedrock"
	"inferonce/providers/openairesponses"
	"inferonce/providers/transport"
)

func newOpenAIResponses(p configs.Provider) (providers.Provider, error) {
	return openairesponses.New(openairesponses.Config{BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal,
		Transport: transport.Options{MaxIdle: idleConnections}})
}

func newBedrock(p configs.Provider) (providers.Provider, error) {
	c := bedrock.Config{BaseURL: p.BaseURL, Region: p.Region, APIKey: p.APIKey.Reveal, Transport: transport.Options{MaxIdle: idleConnections}}
	if !p.AccessKeyID.IsZero() {
		c.Credentials = func() bedrock.Credentials {
			return bedrock.Credentials{AccessKeyID: p.AccessKeyID.Reveal(), SecretAccessKey: p.SecretAccessKey.Reveal(), SessionToken: p.SessionToken.Reveal()}
		}
	}
	return bedrock.New(c)
}
