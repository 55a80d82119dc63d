package configs

import (
	"io/fs"
	"strings"
	"testing"
	"time"
)

func sample(t *testing.T, name string, env map[string]string) *Config {
	t.Helper()
	b, err := fs.ReadFile(Samples, name)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := Parse(name, b, func(n string) (string, bool) { v, ok := env[n]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestTheExampleLoadsOnceItsKeyIsSet(t *testing.T) {
	cfg := sample(t, "example.yaml", map[string]string{"OPENAI_API_KEY": "sk-x"})
	r := cfg.Routes["ticket-triage"]
	if cfg.Targets[r.Primary].Provider != "openai" || cfg.Targets[r.Fallbacks[0]].Provider != "local" {
		t.Errorf("route %+v", r)
	}
	b, err := fs.ReadFile(Samples, "example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("example.yaml", b, func(string) (string, bool) { return "", false })
	if err == nil || !strings.Contains(err.Error(), "OPENAI_API_KEY is not set") {
		t.Errorf("without the key: %v", err)
	}
}

func TestTheCommentedDefaultsOfTheExampleAreTheDefaults(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": "sk-x"}
	b, err := fs.ReadFile(Samples, "example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, setting := range []string{
		"listen: 127", "durability:", "retention:", "temperature:", "budget:", "attempts:", "connect:",
		"first_byte:", "answer_within:", "listen_for:", "needs:",
	} {
		if strings.Count(text, "# "+setting) != 1 {
			t.Fatalf("%s is not shown once as a comment", setting)
		}
		text = strings.Replace(text, "# "+setting, setting, 1)
	}
	cfg, err := Parse("example.yaml", []byte(text), func(n string) (string, bool) { v, ok := env[n]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(t, cfg), show(t, sample(t, "example.yaml", env)); got != want {
		t.Errorf("with the comments taken away:\n%s\nwant\n%s", got, want)
	}
}

func TestTheVerifyFileRoutesItsStoriesToTheSimulator(t *testing.T) {
	cfg := sample(t, "verify.yaml", map[string]string{"INFERONCE_REDIS": "redis://127.0.0.1:6379", "INFERONCE_DURABILITY": "single",
		"INFERONCE_SIM": "127.0.0.1:9797", "INFERONCE_KEY_HASH": someHash})
	if cfg.Store.Redis.URL.Reveal() != "redis://127.0.0.1:6379" || !(Credential{Scopes: cfg.Keys[0].Scopes}).Has(Operate) {
		t.Errorf("store %+v, keys %+v", cfg.Store, cfg.Keys)
	}
	for _, name := range []string{"ticket-triage", "ticket-notify", "ticket-race"} {
		r := cfg.Routes[name]
		if r.Contract != name || r.Primary != "sim-a" || len(r.Fallbacks) != 1 || r.Fallbacks[0] != "sim-b" ||
			r.Budget != 8*time.Second || r.Attempts != 3 || r.Connect != time.Second || r.FirstByte != time.Second ||
			r.AnswerWithin != time.Second || r.ListenFor != 30*time.Second || r.Needs != 100*time.Millisecond {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, name := range []string{"sim-a", "sim-b"} {
		if got := cfg.Providers[cfg.Targets[name].Provider].BaseURL; got != "http://127.0.0.1:9797/sim/"+name+"/v1" {
			t.Errorf("%s at %s", name, got)
		}
	}
}
