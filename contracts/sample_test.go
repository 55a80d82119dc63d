package contracts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
)

func samples(t testing.TB) *Catalog {
	t.Helper()
	c, err := LoadDir(os.DirFS("../configs/contracts"), ".")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sample(t testing.TB, name string) *Contract {
	t.Helper()
	c, err := samples(t).Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSampleContractsLoadAndLintClean(t *testing.T) {
	catalog := samples(t)
	if got, want := catalog.Refs(), []string{"assistant-tools@1", "booking-slots@1", "chat@1", "comment-moderation@1", "receipt-extraction@1",
		"ticket-notify@1", "ticket-race@1", "ticket-triage@1"}; !slices.Equal(got, want) {
		t.Fatalf("refs %v, want %v", got, want)
	}
	for _, c := range catalog.All() {
		for _, f := range Lint(c) {
			t.Errorf("%s: %s", c.Ref(), f.Error())
		}
	}
}

func TestSamplePolicies(t *testing.T) {
	for name, want := range map[string]struct {
		effects Effects
		policy  UnknownPolicy
	}{
		"ticket-triage": {EffectsNone, UnknownPolicy{Action: UnknownHold}},
		"ticket-notify": {EffectsExternal, UnknownPolicy{Action: UnknownHold}},
		"ticket-race":   {EffectsNone, UnknownPolicy{UnknownRaceAfter, time.Second}},
	} {
		c := sample(t, name)
		if c.Effects != want.effects || c.OnUnknown != want.policy {
			t.Errorf("%s: %s, %v; want %s, %v", name, c.Effects, c.OnUnknown, want.effects, want.policy)
		}
	}
}

func TestSampleCasesCoverEveryTeamAndBothUrgencies(t *testing.T) {
	c := sample(t, "ticket-triage")
	seen := map[string]int{}
	critical, tagged := 0, 0
	for _, k := range c.Cases {
		seen[string(k.Expected["category"])]++
		seen[string(k.Expected["urgent"])]++
		if k.Critical {
			critical++
		}
		if len(k.Tags) > 0 {
			tagged++
		}
	}
	if len(c.Cases) < 24 || len(seen) != 9 || critical != 4 || tagged == 0 {
		t.Fatalf("%d cases, %d values, %d critical, %d tagged; want 24 or more, 7 teams and 2 urgencies, 4, some", len(c.Cases), len(seen), critical, tagged)
	}
}

func TestSamplePrompt(t *testing.T) {
	p, err := sample(t, "ticket-triage").Render(json.RawMessage(`{"text":"I lost my card"}`))
	if err != nil || p != (Prompt{"TRIAGE. JSON.", "Ticket: I lost my card"}) {
		t.Fatalf("%+v, %v", p, err)
	}
}

func TestSampleAnswersAreValidAndUnambiguous(t *testing.T) {
	c := sample(t, "ticket-triage")
	raw, err := os.ReadFile("../configs/data/banking77/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		var line struct {
			Text   string
			Output json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		input, err := json.Marshal(map[string]string{"text": line.Text})
		if err != nil {
			t.Fatal(err)
		}
		if broken := c.CheckInput(input); broken != nil || seen[line.Text] {
			t.Errorf("%q: %v, twice %v", line.Text, broken, seen[line.Text])
		}
		if _, f := c.CheckOutput(string(line.Output), input); f != nil {
			t.Errorf("%q: %v %v", line.Text, f, f.Violations)
		}
		seen[line.Text] = true
	}
	if len(seen) != 462 {
		t.Fatalf("%d answers, want 462", len(seen))
	}
}
