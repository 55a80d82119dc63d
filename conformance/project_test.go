package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
)

// The rows follow the provider's page on supported schemas.
func TestProjectSaysWhatAStrictProviderMakesOfASchema(t *testing.T) {
	closed := func(properties, required string) string {
		return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, properties, required)
	}
	deep := `{"type":"string"}`
	for range 11 {
		deep = closed(`"a":`+deep, `"a"`)
	}
	for _, l := range []struct {
		name, schema, refused string
		ours                  []string
	}{
		{"a closed object with all required", closed(`"a":{"type":"string"}`, `"a"`), "", nil},
		{"a required member that takes null", closed(`"a":{"type":["string","null"]}`, `"a"`), "", nil},
		{"an optional member that takes null", closed(`"a":{"type":["string","null"]}`, ``), `takes null, so require it`, nil},
		{"an optional member that takes null by an alternative", closed(`"a":{"anyOf":[{"type":"string"},{"type":"null"}]}`, ``), `takes null, so require it`, nil},
		{"an optional member without null", closed(`"a":{"type":"string"}`, ``), `"/a" may be missing`, nil},
		{"a listed optional member whose list has no null", closed(`"a":{"type":["string","null"],"enum":["x"]}`, ``), `"/a" may be missing`, nil},
		{"an open object inside", closed(`"a":{"type":"object","properties":{}}`, `"a"`), `"/properties/a" is open`, nil},
		{"a keyword that nobody enforces but us", closed(`"a":{"type":"string","minLength":1}`, `"a"`), "", []string{`minLength at "/properties/a"`}},
		{"a keyword for which the request is refused", closed(`"a":{"not":{"type":"null"}}`, `"a"`), "uses not", []string{}},
		{"a list at the root", `{"type":"array","items":{"type":"string"}}`, "not one object", nil},
		{"eleven objects in each other", deep, "deeper than 10", nil},
		{"a format that it keeps", closed(`"a":{"type":"string","format":"date"}`, `"a"`), "", nil},
		{"a format that it does not list", closed(`"a":{"type":"string","format":"uri"}`, `"a"`), "", []string{`format at "/properties/a"`}},
		{"members that are not named", closed(`"a":{"type":"string"}},"patternProperties":{"^x":{}`, `"a"`), "uses patternProperties", []string{}},
		{"an alternative at the root", `{"type":"object","anyOf":[{}],"additionalProperties":false}`, "not one object", []string{}},
		{"a thousand and one listed values", closed(`"a":{"enum":[`+strings.Repeat(`"v",`, 1000)+`"v"]}`, `"a"`), "1001 listed values, more than 1000", nil},
		{"a name of 120,000 letters and one", closed(`"`+strings.Repeat("n", 120_001)+`":{"type":"string"}`, `"`+strings.Repeat("n", 120_001)+`"`), "120001 characters", nil},
		{"a schema that leads back to itself", closed(`"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}`, `"a"`), "", nil},
		{"a member called like a keyword", closed(`"not":{"type":"string","description":"x"}`, `"not"`), "", nil},
	} {
		p := Project([]byte(l.schema), OpenAIStrict())
		if l.ours == nil && len(p.OnlyOurs) > 0 || (l.refused == "") != (len(p.Refused) == 0) || !strings.Contains(strings.Join(p.Refused, "; "), l.refused) || l.ours != nil && len(l.ours) > 0 && !slices.Equal(p.OnlyOurs, l.ours) {
			t.Errorf("%s: refused %v, ours %v", l.name, p.Refused, p.OnlyOurs)
		}
	}
}

func TestAProviderThatEnforcesNothingLeavesEverythingToUs(t *testing.T) {
	p := Project([]byte(`{"type":"object","title":"x","properties":{"a":{"type":"string"}},"oneOf":[{}]}`), SchemaProfile{})
	if want := []string{`oneOf at ""`, `properties at ""`, `type at ""`, `type at "/properties/a"`}; p.Refused != nil || !slices.Equal(p.OnlyOurs, want) {
		t.Errorf("%+v, want %v", p, want)
	}
}

// The rows follow each provider's own list of what it supports.
func TestProfilesDifferAsTheirProvidersDo(t *testing.T) {
	object := func(member string) string {
		return `{"type":"object","properties":{"a":` + member + `},"required":["a"],"additionalProperties":false}`
	}
	optional := `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	unions := strings.Repeat(`{"anyOf":[{}]},`, 16)
	round := `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"],"additionalProperties":false,` +
		`"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"additionalProperties":false}}}`
	twice := `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}},"required":["a","b"],"additionalProperties":false,"$defs":{"n":{"type":"string"}}}`
	for _, l := range []struct {
		name, schema      string
		anthropic, gemini string // what is refused; "-" for a keyword that only we enforce, "" for neither
	}{
		{"a plain member", object(`{"type":"string"}`), "", ""},
		{"an optional member", optional, "", ""},
		{"a bound on a number", object(`{"type":"integer","minimum":1}`), "uses minimum", ""},
		{"a bound on a text", object(`{"type":"string","maxLength":9}`), "uses maxLength", "-"},
		{"a pattern", object(`{"type":"string","pattern":"^a"}`), "", "-"},
		{"a constant", object(`{"const":"x"}`), "", "-"},
		{"at least one item", object(`{"type":"array","items":{"type":"string"},"minItems":1}`), "", ""},
		{"at least two items", object(`{"type":"array","items":{"type":"string"},"minItems":2}`), "takes a minItems of 0 or 1", ""},
		{"at most two items", object(`{"type":"array","items":{"type":"string"},"maxItems":2}`), "uses maxItems", ""},
		{"exactly one of", object(`{"oneOf":[{"type":"string"}]}`), "-", "-"},
		{"a date", object(`{"type":"string","format":"date"}`), "", ""},
		{"an address", object(`{"type":"string","format":"email"}`), "", "-"},
		{"an open object", `{"type":"object","properties":{}}`, "is open", ""},
		{"a schema that leads back to itself", round, "leads back to itself", "leads back to itself"},
		{"one definition used twice", twice, "", ""},
		{"seventeen unions", object(`{"anyOf":[` + unions + `{}]}`), "17 places with several types, more than 16", ""},
	} {
		for profile, want := range map[string]string{ProfileAnthropic: l.anthropic, ProfileGemini: l.gemini} {
			known, ok := ProfileNamed(profile)
			p := Project([]byte(l.schema), known)
			refused := strings.Join(p.Refused, "; ")
			if !ok || (len(p.OnlyOurs) > 0) != (want == "-") || (want == "" || want == "-") != (refused == "") || want != "-" && !strings.Contains(refused, want) {
				t.Errorf("%s, %s: refused %q, ours %v; want %q", profile, l.name, refused, p.OnlyOurs, want)
			}
		}
	}
}

// A tool is offered without a strict mode, so that nothing of it is enforced.
func TestAToolsParametersAreOursToEnforce(t *testing.T) {
	p := ProjectTool([]byte(`{"type":"object","properties":{"a":{"type":"string"}},"default":{}}`), OpenAIStrict())
	if p.Refused != nil || !slices.Contains(p.OnlyOurs, `type at "/properties/a"`) {
		t.Errorf("%+v", p)
	}
	if p := ProjectTool([]byte(`{"anyOf":[{}]}`), OpenAIStrict()); len(p.Refused) != 1 {
		t.Errorf("an alternative at the root: %+v", p)
	}
}

func TestTheReportNamesTheProfileAndWhatOnlyWeEnforce(t *testing.T) {
	for _, l := range []struct {
		profile string
		verdict contracts.Verdict
		detail  string
	}{
		{ProfileNone, contracts.Pass, "profile none: nothing is taken for enforced"},
		{ProfileOpenAIStrict, contracts.Fail, `profile openai_strict: "/due" is not required`},
		{ProfileAnthropic, contracts.Fail, "profile anthropic: \"/properties/priority\" uses maximum"},
		{ProfileGemini, contracts.Pass, `profile gemini; only we enforce minLength at "/properties/tags/items"`},
	} {
		o := options(tickets(t), honest)
		o.Profile, _ = ProfileNamed(l.profile)
		r := run(t, o)
		lint := check(t, r, "LINT-03")
		if r.Verdict != l.verdict || lint.Verdict != l.verdict || !strings.HasPrefix(lint.Detail, l.detail) || lint.Values["profile"] != l.profile {
			t.Errorf("%s: %s, %+v", l.profile, r.Verdict, lint)
		}
		if l.verdict == contracts.Fail && r.Totals.Runs != 0 {
			t.Errorf("%s: %d calls for a schema that can't be asked for", l.profile, r.Totals.Runs)
		}
	}
	if _, ok := ProfileNamed("openai-strict"); ok {
		t.Error("a name of nobody's is a profile")
	}
}
