package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
		{"an optional member that takes null", closed(`"a":{"type":["string","null"]}`, ``), "", nil},
		{"an optional member that takes null by an alternative", closed(`"a":{"anyOf":[{"type":"string"},{"type":"null"}]}`, ``), "", nil},
		{"an optional member without null", closed(`"a":{"type":"string"}`, ``), `"/a" may be missing`, nil},
		{"a listed optional member whose list has no null", closed(`"a":{"type":["string","null"],"enum":["x"]}`, ``), `"/a" may be missing`, nil},
		{"an open object inside", closed(`"a":{"type":"object","properties":{}}`, `"a"`), `"/properties/a" is open`, nil},
		{"a keyword that nobody enforces but us", closed(`"a":{"type":"string","minLength":1}`, `"a"`), "", []string{`minLength at "/properties/a"`}},
		{"a keyword for which the request is refused", closed(`"a":{"not":{"type":"null"}}`, `"a"`), "uses not", []string{}},
		{"a list at the root", `{"type":"array","items":{"type":"string"}}`, "not one object", nil},
		{"eleven objects in each other", deep, "deeper than 10", nil},
		{"a member called like a keyword", closed(`"not":{"type":"string","description":"x"}`, `"not"`), "", nil},
	} {
		p := Project([]byte(l.schema), OpenAIStrict())
		if (l.refused == "") != (len(p.Refused) == 0) || !strings.Contains(strings.Join(p.Refused, "; "), l.refused) || l.ours != nil && len(l.ours) > 0 && !slices.Equal(p.OnlyOurs, l.ours) {
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
