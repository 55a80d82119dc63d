package main

import (
	"testing"

	"inferonce/configs"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
)

func TestAKindSpeaksAsItsProfile(t *testing.T) {
	for _, row := range []struct{ kind, url, profile string }{
		{"openai", "https://api.openai.com/v1", "openai"},
		{"openai", "http://127.0.0.1:8080/v1", "generic"},
		{"openai", "https://api.openai.com.example/v1", "generic"},
		{"azure", "https://a.openai.azure.com/openai/v1", "azure"},
		{"vllm", "http://127.0.0.1:8000/v1", "vllm"},
		{"llamacpp", "http://127.0.0.1:8080/v1", "llamacpp"},
		{"ollama", "http://127.0.0.1:11434/v1", "ollama"},
		{"groq", "https://a.test/v1", "groq"},
		{"mistral", "https://a.test/v1", "mistral"},
		{"together", "https://a.test/v1", "together"},
		{"deepseek", "https://a.test/v1", "deepseek"},
		{"openrouter", "https://a.test/v1", "openrouter"},
	} {
		c := &configs.Config{Providers: map[string]configs.Provider{"p": {Kind: row.kind, BaseURL: row.url}}}
		all, err := newProviders(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := openaicompat.ProfileNamed(row.profile)
		if err != nil {
			t.Fatal(err)
		}
		if got := all["p"].(providers.Profiled).ProfileDigest(); got != want.Digest() {
			t.Errorf("%s at %s does not speak as %s", row.kind, row.url, row.profile)
		}
	}
}
