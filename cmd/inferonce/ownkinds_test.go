package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/providers"
)

func TestKindsWithAnAPIOfTheirOwn(t *testing.T) {
	for kind, row := range map[string]struct{ path, header string }{
		"anthropic": {"/messages", "X-Api-Key"},
		"gemini":    {"/models/m:generateContent", "X-Goog-Api-Key"},
	} {
		t.Run(kind, func(t *testing.T) {
			var paths, keys []string
			s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				paths, keys = append(paths, r.URL.Path), append(keys, r.Header.Get(row.header))
			}))
			defer s.Close()
			c := parsed(t, "{kind: "+kind+", base_url: \""+s.URL+"\", api_key: \"${KEY}\"}")
			all, err := newProviders(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []providers.Provider{all["p"], variants(c, "t")(conformance.WrongKey), variants(c, "t")(conformance.WrongModel)} {
				_, _ = p.Complete(t.Context(), providers.Request{Model: "m", Messages: []providers.Message{{Role: "user", Content: "q"}}})
			}
			if strings.Join(paths, " ") != strings.Join([]string{row.path, row.path, row.path}, " ") {
				t.Errorf("called %v", paths)
			}
			if len(keys) != 3 || keys[0] != "k-of-the-test" || keys[1] == "k-of-the-test" || keys[1] == "" || keys[2] != "k-of-the-test" {
				t.Errorf("keys %v", keys)
			}
			if recorded(kind) != nil || recorded("openai") == nil {
				t.Error("recordings of chat completions are read by kinds that speak them")
			}
			c = parsed(t, "{kind: "+kind+", api_key: \"${KEY}\", honours_idempotency_key: true}")
			if _, err := newProviders(c, nil); err == nil || !strings.Contains(err.Error(), "remove honours_idempotency_key") {
				t.Errorf("a token that is not sent was promised: %v", err)
			}
		})
	}
}

// around is a configuration with one provider.
const around = `store: {redis: "redis://127.0.0.1:6379"}
providers:
  p: PROVIDER
targets:
  t: {provider: p, model: m}
routes:
  triage: {contract: ticket-triage, primary: t}
keys:
  - {owner: acme, hash: "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", scopes: [infer]}
`

func parsed(t *testing.T, provider string) *configs.Config {
	t.Helper()
	text := strings.Replace(around, "PROVIDER", provider, 1)
	c, err := configs.Parse("c.yaml", []byte(text), func(string) (string, bool) { return "k-of-the-test", true })
	if err != nil {
		t.Fatal(err)
	}
	return c
}
