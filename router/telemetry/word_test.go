package telemetry

import (
	"fmt"
	"strings"
	"testing"

	"inferonce/router"
)

func TestWhatMayStandInALabelOrALine(t *testing.T) {
	for name, row := range map[string]struct {
		filter   func(string) string
		in, want string
	}{
		"a word of ours passes":                             {word, "rate_limited", "rate_limited"},
		"a word may hold digits":                            {word, "http2", "http2"},
		"nothing stays nothing":                             {word, "", ""},
		"a sentence is no word":                             {word, "rate limit reached", other},
		"a key of a provider is no word":                    {word, "sk-proj-4f9a", other},
		"capitals are no word of ours":                      {word, "RateLimited", other},
		"the longest word passes":                           {word, strings.Repeat("a", 40), strings.Repeat("a", 40)},
		"a word that is too long does not":                  {word, strings.Repeat("a", 41), other},
		"a target's name passes":                            {name, "GPT-4.1_mini", "GPT-4.1_mini"},
		"a contract with its version passes":                {name, "ticket-triage@12", "ticket-triage@12"},
		"the longest name passes":                           {name, strings.Repeat("n", 80), strings.Repeat("n", 80)},
		"a name that is too long does not":                  {name, strings.Repeat("n", 81), other},
		"a line break in a name does not":                   {name, "mini\nforged", other},
		"an address is no name":                             {name, "redis://u:p@10.0.0.1:6379", other},
		"a letter from elsewhere is no name":                {name, "größe", other},
		"an owner with its key's public part passes":        {person, "team:billing+eu/Kx71aQ90Zb", "team:billing+eu/Kx71aQ90Zb"},
		"the longest owner passes, with its key":            {person, strings.Repeat("o", 128) + "/Kx71aQ90Zb", strings.Repeat("o", 128) + "/Kx71aQ90Zb"},
		"white space is no part of an owner":                {person, "acme admin", other},
		"a control character is no part of an owner":        {person, "acme\x1b[31m", other},
		"an owner longer than the configuration allows":     {person, strings.Repeat("o", 161), other},
		"half a character of UTF-8 is no part of an owner":  {person, "acme\xc3", other},
		"half a character of UTF-8 is no part of a name":    {name, "mini\xc3", other},
		"a word with a NUL in the middle is no word":        {word, "rate\x00limited", other},
		"what is odd in the middle of a word is found, too": {word, "rate-limited", other},
	} {
		t.Run(name, func(t *testing.T) {
			if got := row.filter(row.in); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestALabelHasABoundedNumberOfValues(t *testing.T) {
	b := newBench(Options{})
	for i := range maxValues + 10 {
		b.Observe(router.Observation{Event: router.AttemptBegan, Target: fmt.Sprintf("t%d", i)})
	}
	b.Observe(router.Observation{Event: router.AttemptBegan, Target: "t0"})
	got := b.moved(t)
	want := map[string]float64{"attempts_started_total{target=t0}": 2, "attempts_started_total{target=other}": 10}
	for series, n := range want {
		if got[series] != n {
			t.Errorf("%s is %v, want %v", series, got[series], n)
		}
	}
	if len(got) != maxValues+1 {
		t.Errorf("%d series, want %d", len(got), maxValues+1)
	}
}

func TestAnUnexpectedValueIsCountedAsOther(t *testing.T) {
	b := newBench(Options{})
	b.Observe(router.Observation{Event: router.AttemptUnknown, Target: "mini llama", Class: "Über", Effect: "may be", Code: "No answer!"})
	if got := b.moved(t)["unknown_total{class=other,code=other,target=other}"]; got != 1 {
		t.Errorf("counted %v as other, want 1; all: %v", got, b.moved(t))
	}
}
