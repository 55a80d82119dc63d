package contracts

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// suiteDir holds tests/draft2020-12 of github.com/json-schema-org/JSON-Schema-Test-Suite
// at 44401e0c046704b476ec9d2e2fccdaee618f259d, unchanged (MIT). The suite's remotes
// are left out: no schema of ours may refer to one.
const suiteDir = "testdata/json-schema-test-suite/draft2020-12"

type suiteGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// suiteGroups calls each with every group of the suite.
func suiteGroups(t *testing.T, each func(file string, g suiteGroup)) {
	t.Helper()
	dir := os.DirFS(suiteDir)
	err := fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		var groups []suiteGroup
		if err := json.Unmarshal(raw, &groups); err != nil {
			return err
		}
		for _, g := range groups {
			each(path.Base(name), g)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheJSONSchemaTestSuiteHoldsApartFromTheListedDeviations(t *testing.T) {
	listed := map[string]bool{}
	for _, d := range deviations {
		for _, name := range d.names {
			if listed[name] || d.reason == "" {
				t.Errorf("%q is listed twice, or without a reason", name)
			}
			listed[name] = true
		}
	}
	tests := 0
	deviates := func(name, how string) {
		if !listed[name] {
			t.Errorf("%s: %s, and that is not listed", name, how)
		}
		delete(listed, name)
	}
	suiteGroups(t, func(file string, g suiteGroup) {
		s, faults := compileSchema("inferonce:///suite", g.Schema)
		if s == nil {
			deviates(file+": "+g.Description, "refused: "+faults[0].message)
			return
		}
		for _, c := range g.Tests {
			tests++
			if broken := s.validate(c.Data); (broken == nil) != c.Valid {
				deviates(file+": "+g.Description+": "+c.Description, "judged in another way")
			}
		}
	})
	for name := range listed {
		t.Errorf("%s is listed as a deviation, and is none", name)
	}
	if tests < 1000 {
		t.Errorf("only %d tests were made", tests)
	}
}

// hostileSchemas must be refused when a contract is loaded.
var hostileSchemas = map[string]string{
	"a file":                     `{"type":"string","$ref":"file:///etc/passwd"}`,
	"a path":                     `{"type":"string","$ref":"other.json#/a"}`,
	"an address":                 `{"type":"string","$ref":"http://127.0.0.1:1/s.json"}`,
	"a new base":                 `{"$id":"http://example.com/","type":"string"}`,
	"itself":                     `{"$ref":"#"}`,
	"a circle":                   `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
	"10,000 levels":              strings.Repeat(`{"not":`, 10_000) + `{}` + strings.Repeat(`}`, 10_000),
	"a number bomb":              `{"type":"number","maximum":1e20000000}`,
	"a tiny number":              `{"type":"number","multipleOf":1e-20000000}`,
	"a look-ahead":               `{"type":"string","pattern":"^(?=a)"}`,
	"a back-reference":           `{"type":"string","pattern":"(a)\\1"}`,
	"a repeat that multiplies":   `{"type":"string","pattern":"((a{1,1000}){1,1000}){1,1000}"}`,
	"a pattern of great length":  `{"type":"string","pattern":"` + strings.Repeat("a", maxPattern+1) + `"}`,
	"a pattern in another place": `{"type":"object","patternProperties":{"(?!x)":true}}`,
}

func TestHostileSchemasAreRefused(t *testing.T) {
	for name, raw := range hostileSchemas {
		if s, faults := compileSchema("inferonce:///hostile", []byte(raw)); s != nil || len(faults) == 0 {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// hostileValues must be violations of any schema that lets any value in.
var hostileValues = map[string]string{
	"a number bomb":          `1e20000000`,
	"a number bomb within":   `{"a":[1,1e20000000]}`,
	"a tiny number":          `1e-20000000`,
	"10,000 levels of lists": strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	"10,000 levels of maps":  strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
	"10,000 levels unclosed": strings.Repeat("[", 10_000),
	"a member twice":         `{"a":1,"a":2}`,
	"a lone surrogate":       `"\ud800"`,
	"digits without end":     strings.Repeat("9", 1<<20),
}

func TestHostileValuesAreViolations(t *testing.T) {
	for _, raw := range []string{`{}`, `{"type":["number","array","object","string"],"minimum":0,"multipleOf":0.01}`} {
		s, faults := compileSchema("inferonce:///open", []byte(raw))
		if s == nil {
			t.Fatal(faults)
		}
		for name, value := range hostileValues {
			if s.validate([]byte(value)) == nil {
				t.Errorf("%s passes %s", name, raw)
			}
		}
	}
}

// evilPattern takes time that doubles with each letter where patterns backtrack.
const evilPattern = `{"type":"string","pattern":"^(a+)+$"}`

func TestAnEvilPatternIsJustAPattern(t *testing.T) {
	s, faults := compileSchema("inferonce:///evil", []byte(evilPattern))
	if s == nil {
		t.Fatal(faults)
	}
	as := strings.Repeat("a", 1<<16)
	if s.validate([]byte(`"`+as+`"`)) != nil || s.validate([]byte(`"`+as+`!"`)) == nil {
		t.Error("the pattern is judged in another way than RE2 does")
	}
}

func BenchmarkHostile(b *testing.B) {
	s, _ := compileSchema("inferonce:///evil", []byte(evilPattern))
	values := map[string]string{"evil pattern": `"` + strings.Repeat("a", 1<<16) + `!"`}
	for name, v := range hostileValues {
		values[name] = v
	}
	for name, v := range values {
		b.Run("value/"+name, func(b *testing.B) {
			for b.Loop() {
				s.validate([]byte(v))
			}
		})
	}
	for name, raw := range hostileSchemas {
		b.Run("schema/"+name, func(b *testing.B) {
			for b.Loop() {
				compileSchema("inferonce:///hostile", []byte(raw))
			}
		})
	}
}
