package configs

import (
	"reflect"
	"strings"
	"testing"
)

func show(t *testing.T, cfg *Config) string {
	t.Helper()
	b, err := cfg.Show()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestShowFillsInDefaultsAndHidesSecrets(t *testing.T) {
	cfg, err := Parse("c.yaml", []byte(valid), testEnv)
	if err != nil {
		t.Fatal(err)
	}
	want := `listen: 127.0.0.1:8787
store:
  redis: redis://127.0.0.1:6379
  durability: single
  retention: 24h
providers:
  local:
    kind: openai
    base_url: http://127.0.0.1:8080/v1
    schema_profile: none
  openai:
    kind: openai
    base_url: https://api.openai.com/v1
    api_key: "[redacted]"
    schema_profile: openai_strict
targets:
  llama:
    provider: local
    model: m2
    temperature: min:0
  mini:
    provider: openai
    model: m1
    temperature: min:0
routes:
  triage:
    contract: ticket-triage
    primary: mini
    fallbacks:
      - llama
    budget: 30s
    attempts: 3
    connect: 2s
    first_byte: 10s
    answer_within: 20s
    listen_for: 10m
    needs: 1s
drift: suspend
keys:
  - owner: acme
    hash: sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    scopes:
      - infer
limits:
  max_inflight: 4096
  body_bytes: 4194304
  wait: 1m
log:
  level: info
  format: json
`
	if got := show(t, cfg); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatIsShownMeansTheSameWhenReadAgain(t *testing.T) {
	text := change(t, `redis: "redis://127.0.0.1:6379"`, `redis: {sentinel: ["a:1", "b:2"], master: m, username: u, password: "${OPENAI_API_KEY}", tls: true}`)
	text = strings.Replace(text, "model: m2", "model: m2, temperature: fixed:1, max_concurrency: 3", 1)
	cfg, err := Parse("c.yaml", []byte(text), testEnv)
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.ReplaceAll(show(t, cfg), `"[redacted]"`, `"${OPENAI_API_KEY}"`)
	again, err := Parse("c.yaml", []byte(shown), testEnv)
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	if !reflect.DeepEqual(cfg, again) {
		t.Errorf("read again:\n%+v\nwant\n%+v", again, cfg)
	}
}
