package openaicompat

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

func TestEveryLineOfAProfileHasItsSource(t *testing.T) {
	fields := map[string]bool{}
	for i := range reflect.TypeFor[Profile]().NumField() {
		fields[reflect.TypeFor[Profile]().Field(i).Name] = true
	}
	for name, p := range profiles() {
		if p.Name != name || p.Page == "" || p.TokenCap == "" {
			t.Errorf("%s: name, page and token cap are %q, %q, %q", name, p.Name, p.Page, p.TokenCap)
		}
		for field, page := range p.Sources {
			if !fields[field] || page == "" || slices.Contains(p.Unverified, field) {
				t.Errorf("%s: the source of %q is %q, and it must be a field, read and not unverified", name, field, page)
			}
		}
		for _, field := range p.Unverified {
			if !fields[field] {
				t.Errorf("%s: %q is no field", name, field)
			}
		}
	}
}

func TestAProfileIsNamedByItsContent(t *testing.T) {
	seen := map[string]string{}
	for name, p := range profiles() {
		d := p.Digest()
		if !strings.HasPrefix(d, "sha256:") || len(d) != 71 || seen[d] != "" || d != p.Digest() {
			t.Errorf("%s has the digest %s, as has %q", name, d, seen[d])
		}
		seen[d] = name
	}
	p := openAI()
	before := p.Digest()
	p.Rows = transport.Table{{Status: []int{418}, Class: contracts.Auth, Effect: contracts.None}}
	if p.Digest() == before {
		t.Error("another row, and the same digest")
	}
	c := newClient(t, "http://a.test", providers.Traits{})
	if c.ProfileDigest() != generic().Digest() {
		t.Error("a client without a profile is not generic")
	}
}

func TestAProfileIsFoundByName(t *testing.T) {
	if p, err := ProfileNamed("azure"); err != nil || p.KeyHeader != "api-key" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := ProfileNamed("nobody"); err == nil || !strings.Contains(err.Error(), "azure, deepseek, generic, groq, llamacpp, mistral, ollama, openai, openrouter, together, vllm") {
		t.Errorf("%v", err)
	}
}

// The rows of a profile in its provider's own words; the bodies are written
// after the pages that the profile names.
func TestAProvidersOwnWords(t *testing.T) {
	for _, tc := range []struct {
		profile string
		status  int
		body    string
		class   contracts.Class
		effect  contracts.Effect
	}{
		{"openai", 429, `{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}`, contracts.QuotaExhausted, contracts.None},
		{"openai", 429, `{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}`, contracts.RateLimited, contracts.None},
		{"azure", 429, `{"error":{"code":"QuotaExceeded","message":"m"}}`, contracts.QuotaExhausted, contracts.None},
		{"azure", 429, `{"error":{"code":"429","message":"exceeded call rate limit"}}`, contracts.RateLimited, contracts.None},
		{"azure", 400, `{"error":{"code":"content_filter","message":"m","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, contracts.ContentFiltered, contracts.None},
		{"llamacpp", 400, `{"error":{"code":400,"message":"m","type":"exceed_context_size_error"}}`, contracts.ContextLength, contracts.None},
		{"llamacpp", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, contracts.Overloaded, contracts.None},
		{"groq", 400, `{"error":{"message":"m","type":"invalid_request_error","code":"tool_use_failed"}}`, contracts.ContractViolation, contracts.Ended},
		{"generic", 400, `{"error":{"message":"m","type":"invalid_request_error","code":"tool_use_failed"}}`, contracts.InvalidRequest, contracts.None},
		{"groq", 413, `{"error":{"message":"Request too large","type":"tokens","code":"rate_limit_exceeded"}}`, contracts.ContextLength, contracts.None},
		{"together", 403, `{"error":{"message":"Input token count + max_tokens must be less than the context length","type":"invalid_request_error"}}`, contracts.ContextLength, contracts.None},
		{"together", 403, `{"error":{"message":"no","type":"invalid_request_error"}}`, contracts.Auth, contracts.None},
		{"together", 402, `{"error":{"message":"spending limit"}}`, contracts.QuotaExhausted, contracts.None},
		{"deepseek", 402, `{"error":{"message":"Insufficient Balance"}}`, contracts.QuotaExhausted, contracts.None},
		{"deepseek", 503, `{"error":{"message":"Server overloaded"}}`, contracts.Overloaded, contracts.None},
		{"openrouter", 403, `{"error":{"code":403,"message":"Your input was flagged"}}`, contracts.ContentFiltered, contracts.None},
		{"openrouter", 403, `{"error":{"code":403,"message":"Key limit exceeded"}}`, contracts.QuotaExhausted, contracts.None},
		{"openrouter", 403, `{"error":{"code":403,"message":"no"}}`, contracts.Auth, contracts.None},
		{"openrouter", 200, `{"error":{"code":403,"message":"Your input was flagged"}}`, contracts.ContentFiltered, contracts.None},
		{"openrouter", 402, `{"error":{"code":402,"message":"credits"}}`, contracts.QuotaExhausted, contracts.None},
		{"mistral", 400, `{"error":{"message":"Prompt contains 9 tokens, too large for model with 8 maximum context length"}}`, contracts.ContextLength, contracts.None},
		{"deepseek", 200, withChoice(`{"message":{"content":"par"},"finish_reason":"insufficient_system_resource"}`), contracts.Overloaded, contracts.Ended},
		{"deepseek", 200, withChoice(`{"message":{"content":"par"},"finish_reason":"aborted"}`), contracts.ProviderError, contracts.Ended},
		{"mistral", 200, withChoice(`{"message":{"content":"par"},"finish_reason":"model_length"}`), contracts.Truncated, contracts.Ended},
	} {
		p, err := ProfileNamed(tc.profile)
		if err != nil {
			t.Fatal(err)
		}
		_, f := p.reader("").read(transport.Answer{Status: tc.status, Body: []byte(tc.body)})
		if f == nil || f.Class != tc.class || f.Effect != tc.effect {
			t.Errorf("%s, %d %s: got %v, want %s/%s", tc.profile, tc.status, tc.body, f, tc.class, tc.effect)
		}
	}
}

func TestAWordOfFinishIsSaidAsOpenAIWould(t *testing.T) {
	p, _ := ProfileNamed("together")
	c, f := p.reader("").read(transport.Answer{Status: 200, Body: []byte(withChoice(`{"message":{"content":"c"},"finish_reason":"eos"}`))})
	if f != nil || c.FinishReason != "stop" {
		t.Errorf("%+v, %v", c, f)
	}
	c, f = generic().reader("").read(transport.Answer{Status: 200, Body: []byte(withChoice(`{"message":{"content":"c"},"finish_reason":"eos"}`))})
	if f != nil || c.FinishReason != "eos" {
		t.Errorf("a word that nobody explains: %+v, %v", c, f)
	}
}

func TestStopBesideCallsIsLegalEverywhere(t *testing.T) {
	for name, p := range profiles() {
		body := withChoice(`{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}`)
		if c, f := p.reader("").read(transport.Answer{Status: 200, Body: []byte(body)}); f != nil || len(c.ToolCalls) != 1 {
			t.Errorf("%s: %+v, %v", name, c, f)
		}
	}
}
