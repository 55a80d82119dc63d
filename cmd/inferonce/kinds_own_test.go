package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inferonce/configs"
	"inferonce/providers"
)

func TestAKindCallsItsOwnAPIInTheNameThatWasConfigured(t *testing.T) {
	secret := configs.NewSecret
	for name, row := range map[string]struct {
		provider        configs.Provider
		path, authority string
	}{
		"background responses": {configs.Provider{Kind: "openai_responses", APIKey: secret("k")}, "/v1/responses", "Bearer k"},
		"Bedrock by access key": {configs.Provider{Kind: "bedrock", Region: "eu-central-1", AccessKeyID: secret("AKID"), SecretAccessKey: secret("s")},
			"/v1/model/m%3A0/converse", "AWS4-HMAC-SHA256 Credential=AKID/"},
		"Bedrock by API key": {configs.Provider{Kind: "bedrock", Region: "eu-central-1", APIKey: secret("k")}, "/v1/model/m%3A0/converse", "Bearer k"},
	} {
		var path, authority string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, authority = r.RequestURI, r.Header.Get("Authorization")
			w.WriteHeader(http.StatusForbidden)
		}))
		row.provider.BaseURL = s.URL + "/v1"
		built, err := newProviders(&configs.Config{Providers: map[string]configs.Provider{"p": row.provider}}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		_, err = built["p"].Complete(t.Context(), providers.Request{Model: "m:0", Messages: []providers.Message{{Role: "user", Content: "x"}}})
		if err == nil || path != row.path || !strings.HasPrefix(authority, row.authority) {
			t.Errorf("%s: %s as %q, %v", name, path, authority, err)
		}
		s.Close()
		built["p"].(interface{ Close() }).Close()
	}
}
