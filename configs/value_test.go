package configs

import "testing"

func TestVariablesAreFilledIn(t *testing.T) {
	rows := []struct{ name, source, want, problem string }{
		{"plain text", "abc", "abc", ""},
		{"a variable", "${SINGLE}", "single", ""},
		{"two of them", "${SINGLE}-${SINGLE}", "single-single", ""},
		{"an empty one", "a${EMPTY}b", "ab", ""},
		{"a dollar", "a$$b", "a$b", ""},
		{"a dollar before a brace", "$${SINGLE}", "${SINGLE}", ""},
		{"a dollar before a variable", "$$${SINGLE}", "$single", ""},
		{"what a variable holds is not filled in again", "${DOLLAR}", "a$b${X}", ""},
		{"a variable that isn't set", "${NONE}", "", "the environment variable NONE is not set"},
		{"a dollar alone", "a$b", "", "a dollar that begins no variable"},
		{"a dollar at the end", "a$", "", "a dollar that begins no variable"},
		{"a brace that isn't closed", "${SINGLE", "", "a dollar that begins no variable"},
		{"no name", "${}", "", "not the name of a variable between ${ and }"},
		{"a default", "${NONE:-x}", "", "not the name of a variable between ${ and }"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got, f := expand(r.source, testEnv)
			if f == nil {
				f = &fault{}
			}
			if got != r.want || f.message != r.problem {
				t.Errorf("got %q, %q", got, f.message)
			}
		})
	}
}

func TestVariablesStandInAnyTextButInNoName(t *testing.T) {
	if got := problemsOf(t, change(t, "durability: single", `durability: "${SINGLE}"`)); got != nil {
		t.Error(got)
	}
	runRows(t, []struct{ name, from, to, want string }{
		{"in a name", "  triage:", "  \"${SINGLE}\":",
			`10:3 routes.${SINGLE}: not a usable name; use up to 64 letters, digits, dots, hyphens and underscores`},
		{"an unset one, anywhere", "model: m2", `model: "${NONE}"`,
			`8:35 targets.llama.model: the environment variable NONE is not set; export NONE before starting, or take the setting out`},
	})
}

func TestWhatATemperatureRuleSends(t *testing.T) {
	rows := []struct {
		rule string
		want float64
		send string
	}{
		{"omit", 0, "nothing"},
		{"fixed:1", 0, "1"},
		{"fixed:1", 2, "1"},
		{"min:0", 0, "0"},
		{"min:0", 0.2, "0.2"},
		{"min:0.1", 0, "0.1"},
	}
	for _, r := range rows {
		rule, ok := parseTemperature(r.rule)
		if !ok || rule.String() != r.rule {
			t.Errorf("%s is read as %s, %v", r.rule, rule, ok)
		}
		got := "nothing"
		if v := rule.Send(r.want); v != nil {
			got = Temperature{TemperatureFixed, *v}.String()[len("fixed:"):]
		}
		if got != r.send {
			t.Errorf("%s, %v wanted: sends %s, want %s", r.rule, r.want, got, r.send)
		}
	}
	if v := (Temperature{}).Send(0.3); v == nil || *v != 0.3 {
		t.Error("without a rule the contract's temperature is sent")
	}
	for _, bad := range []string{"", "fixed", "fixed:", "fixed:x", "min:-1", "min:2.1", "min:NaN", "omit:1", "max:1", "Omit"} {
		if got, ok := parseTemperature(bad); ok {
			t.Errorf("%q is read as %s", bad, got)
		}
	}
}

func TestSuggestionsAreNearWords(t *testing.T) {
	known := []string{"connect", "first_byte", "model", "tls", "warn"}
	for word, want := range map[string]string{
		"conect": "connect", "Connect": "connect", "first-byte": "first_byte", "mdoel": "model",
		"warning": "warn", "tsl": "", "prompt": "", "": "",
	} {
		if got := suggest(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	// The textbook pair for Levenshtein's distance.
	if got := distance("kitten", "sitting"); got != 3 {
		t.Errorf("kitten to sitting: %d", got)
	}
}
