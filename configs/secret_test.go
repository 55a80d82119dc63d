package configs

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/goccy/go-yaml"
)

const canary = "sk-canary-7f3a"

type outer struct {
	Public Secret
	inner  struct{ hidden Secret }
	list   []Secret
	m      map[string]Secret
	p      *Secret
	url    RedisURL
}

// everyWayOut prints v in every way that a program commonly does.
func everyWayOut(t *testing.T, v any) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s", "%p"} {
		out[verb] = fmt.Sprintf(verb, v)
	}
	out["errorf"] = fmt.Errorf("wrap: %v", v).Error()
	j, err := json.Marshal(v)
	out["json"] = string(j) + fmt.Sprint(err)
	y, err := yaml.Marshal(v)
	out["yaml"] = string(y) + fmt.Sprint(err)
	x, err := xml.Marshal(v)
	out["xml"] = string(x) + fmt.Sprint(err)
	var text, js, tmpl bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("m", "v", v)
	slog.New(slog.NewJSONHandler(&js, nil)).Info("m", "v", v)
	if err := template.Must(template.New("").Parse("{{.}}")).Execute(&tmpl, v); err != nil {
		t.Fatal(err)
	}
	out["slog text"], out["slog json"], out["template"] = text.String(), js.String(), tmpl.String()
	return out
}

func TestNoSecretIsPrintedByAnyWay(t *testing.T) {
	s, u := NewSecret(canary), NewRedisURL("redis://user:"+canary+"@h:1/0?x="+canary)
	nested := outer{Public: s, list: []Secret{s}, m: map[string]Secret{"k": s}, p: &s, url: u}
	nested.inner.hidden = s
	cfg, err := Parse("c.yaml", []byte(change(t, `"redis://127.0.0.1:6379"`, `"redis://:${OPENAI_API_KEY}@h:1"`)), func(string) (string, bool) { return canary, true })
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{
		"secret": s, "pointer": &s, "url": u, "struct": nested, "pointer to struct": &nested,
		"list": []Secret{s}, "map": map[string]Secret{"k": s}, "config": cfg, "config by value": *cfg,
	} {
		for way, got := range everyWayOut(t, v) {
			if leaks(got) {
				t.Errorf("%s through %s: %s", name, way, got)
			}
		}
	}
}

// leaks also knows the canary in hex, as %x and %X would write it.
func leaks(got string) bool {
	hex := fmt.Sprintf("%x", canary)
	return strings.Contains(got, canary) || strings.Contains(strings.ToLower(got), hex)
}

func TestASecretPrintsAsRedacted(t *testing.T) {
	for way, got := range everyWayOut(t, NewSecret(canary)) {
		// fmt handles %p before it asks the value.
		if way != "%p" && !strings.Contains(got, "[redacted]") {
			t.Errorf("%s: %s", way, got)
		}
	}
	if NewSecret(canary).Reveal() != canary {
		t.Error("Reveal doesn't return the secret")
	}
	if got := fmt.Sprint(NewRedisURL("rediss://u:" + canary + "@h:1/2")); got != "rediss://u:[redacted]@h:1/2" {
		t.Errorf("address: %s", got)
	}
}

func TestNoErrorShowsASecret(t *testing.T) {
	env := func(string) (string, bool) { return canary, true }
	for name, text := range map[string]string{
		"literal key":              change(t, `"${OPENAI_API_KEY}"`, canary),
		"misspelt setting":         change(t, `api_key: "${OPENAI_API_KEY}"`, "api_kye: "+canary),
		"same line as another":     change(t, `{kind: openai, api_key: "${OPENAI_API_KEY}"}`, "{api_key: "+canary+", knd: openai}"),
		"broken quote":             change(t, `"${OPENAI_API_KEY}"`, `"`+canary),
		"broken block":             change(t, `api_key: "${OPENAI_API_KEY}"}`, "\n    api_key: |"+canary+"\n}"),
		"text after a quote":       "api_key: \"" + canary + "\" zzz",
		"reserved character":       "api_key: @" + canary,
		"directive":                "%YAML " + canary + "\n---\na: b",
		"key in place of its hash": change(t, someHash, canary),
		"literal password":         change(t, "redis://127", "redis://:"+canary+"@127"),
		"unparsable address":       change(t, "redis://127.0.0.1:6379", "redis://:"+canary+"@127.0.0.1:x%zz"),
		"password in a base URL":   change(t, "http://127.0.0.1:8080/v1", "http://u:"+canary+"@127.0.0.1/v1"),
		"variable as a kind":       change(t, "local: {kind: openai", `local: {kind: "${X}"`),
		"variable as a duration":   change(t, "connect: 2s", `connect: "${X}"`),
		"variable as a target":     change(t, "primary: mini", `primary: "${X}"`),
		"variable as a scope":      change(t, "[infer]", `["${X}"]`),
		"variable as an address":   change(t, "http://127.0.0.1:8080/v1", "${X}"),
		"variable as the store":    change(t, "redis://127.0.0.1:6379", "${X}"),
	} {
		_, err := Parse("c.yaml", []byte(text), env)
		if err == nil {
			t.Errorf("%s: no problem found", name)
			continue
		}
		if j, _ := json.Marshal(err); leaks(err.Error()) || leaks(string(j)) {
			t.Errorf("%s: %s", name, err)
		}
	}
}

func TestWhereASecretMayComeFrom(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"one": "sk-1\n", "windows": "sk-2\r\n", "two": "sk\n\n", "empty": "\n", "spaces": "a b"}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "large"), strings.Repeat("x", maxSecret+1))
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"K": "sk-env", "EMPTY": "", "FILE": "file:one", "NAME": "one", "LINES": "a\nb"}[name]
		return v, ok
	}
	rows := []struct{ name, value, want, problem string }{
		{"a variable", "${K}", "sk-env", ""},
		{"a variable with text around it", "pre-${K}-post", "pre-sk-env-post", ""},
		{"a variable that holds file: is taken as it is", "${FILE}", "file:one", ""},
		{"a file loses one newline", "file:one", "sk-1", ""},
		{"a file from Windows", "file:windows", "sk-2", ""},
		{"a file named by a variable", "file:${NAME}", "sk-1", ""},
		{"a file at an absolute path", "file:" + filepath.Join(dir, "one"), "sk-1", ""},
		{"a file loses no second newline", "file:two", "", "the secret holds a space, a line break or a control character"},
		{"an empty file", "file:empty", "", "the secret is empty"},
		{"a file with a space", "file:spaces", "", "the secret holds a space, a line break or a control character"},
		{"a large file", "file:large", "", "the secret's file is too large"},
		{"no such file", "file:none", "", "the secret's file does not exist"},
		{"a directory", "file:.", "", "the secret's file is not a regular file"},
		{"a device", "file:" + os.DevNull, "", "the secret's file is not a regular file"},
		{"an unset variable", "${NONE}", "", "the environment variable NONE is not set"},
		{"an empty variable", "${EMPTY}", "", "the secret is empty"},
		{"a variable of two lines", "${LINES}", "", "the secret holds a space, a line break or a control character"},
		{"a literal", "sk-literal", "", "a secret must not stand in the file"},
		{"a literal with escaped dollars", "$${K}", "", "a secret must not stand in the file"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			text := change(t, `"${OPENAI_API_KEY}"`, `"`+r.value+`"`)
			cfg, err := Parse(filepath.Join(dir, "c.yaml"), []byte(text), env)
			if r.problem == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := cfg.Providers["openai"].APIKey.Reveal(); got != r.want {
					t.Errorf("got %q, want %q", got, r.want)
				}
				return
			}
			e, _ := err.(*Error)
			if e == nil || len(e.Problems) != 1 {
				t.Fatalf("got %v", err)
			}
			p := e.Problems[0]
			if p.Line != 4 || p.Column != 35 || p.Path != "providers.openai.api_key" || p.Message != r.problem {
				t.Errorf("got %+v", p)
			}
		})
	}
}
