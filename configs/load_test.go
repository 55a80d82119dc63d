package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// valid is a small file without a problem; the tables change one text in it.
const valid = `listen: 127.0.0.1:8787
store: {redis: "redis://127.0.0.1:6379", durability: single}
providers:
  openai: {kind: openai, api_key: "${OPENAI_API_KEY}"}
  local: {kind: openai, base_url: "http://127.0.0.1:8080/v1"}
targets:
  mini: {provider: openai, model: m1}
  llama: {provider: local, model: m2}
routes:
  triage:
    contract: ticket-triage
    primary: mini
    fallbacks: [llama]
    connect: 2s
    attempts: 3
keys:
  - owner: acme
    hash: sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    scopes: [infer]
`

func testEnv(name string) (string, bool) {
	v, ok := map[string]string{"OPENAI_API_KEY": "sk-canary-from-env", "EMPTY": "", "SINGLE": "single", "DOLLAR": "a$b${X}"}[name]
	return v, ok
}

// change returns valid with one text replaced.
func change(t *testing.T, from, to string) string {
	t.Helper()
	if strings.Count(valid, from) != 1 {
		t.Fatalf("%q stands %d times in the valid file", from, strings.Count(valid, from))
	}
	return strings.Replace(valid, from, to, 1)
}

// problemsOf returns the problems of a file, one "line:column path: message; fix" each.
func problemsOf(t *testing.T, text string) []string {
	t.Helper()
	_, err := Parse("c.yaml", []byte(text), testEnv)
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T, want *Error", err)
	}
	var got []string
	for _, p := range e.Problems {
		if p.File != "c.yaml" || p.Message == "" || p.Fix == "" {
			t.Errorf("problem without file, message or fix: %+v", p)
		}
		got = append(got, fmt.Sprintf("%d:%d %s: %s; %s", p.Line, p.Column, p.Path, p.Message, p.Fix))
	}
	return got
}

func TestAValidFileLoads(t *testing.T) {
	if got := problemsOf(t, valid); got != nil {
		t.Fatal(strings.Join(got, "\n"))
	}
}

func TestProblemsOfOneSetting(t *testing.T) {
	rows := []struct{ name, from, to, want string }{
		{"a misspelt setting is pointed at by its name", "    connect: 2s", "    conect: 2s",
			`14:5 routes.triage.conect: unknown setting; did you mean "connect"?`},
		{"a misspelt setting at the top", "listen:", "lissten:",
			`1:1 lissten: unknown setting; did you mean "listen"?`},
		{"a misspelt setting in braces", "durability: single", "durabilty: single",
			`2:42 store.durabilty: unknown setting; did you mean "durability"?`},
		{"a misspelt required setting is one problem, not two", "    primary: mini", "    primry: mini",
			`12:5 routes.triage.primry: unknown setting; did you mean "primary"?`},
		{"an unknown setting like no other lists the known ones", "listen: 127.0.0.1:8787", "verbosity: 3",
			`1:1 verbosity: unknown setting; known here: canary, contracts, drift, keys, limits, listen, log, providers, routes, store, targets`},
		{"a setting given twice", "    attempts: 3", "    connect: 3s",
			`15:5 routes.triage.connect: given twice, first on line 14; keep one of the two`},
		{"two targets of one name", "  llama: {provider: local, model: m2}", "  llama: {provider: local, model: m2}\n  llama: {provider: local, model: m3}",
			`9:3 targets.llama: given twice, first on line 8; keep one of the two`},
		{"a duration without a unit", "connect: 2s", "connect: 2",
			`14:14 routes.triage.connect: expected a duration with a unit, got a number; write a number with its unit, such as 500ms, 30s, 10m or 24h`},
		{"a duration in unknown units", "connect: 2s", "connect: 2 seconds",
			`14:14 routes.triage.connect: not a duration; write a number with its unit, such as 500ms, 30s, 10m or 24h`},
		{"a duration of zero", "connect: 2s", "connect: 0s",
			`14:14 routes.triage.connect: must be longer than zero; write a number with its unit, such as 500ms, 30s, 10m or 24h`},
		{"a negative duration", "connect: 2s", "connect: -2s",
			`14:14 routes.triage.connect: must be longer than zero; write a number with its unit, such as 500ms, 30s, 10m or 24h`},
		{"a number where a list belongs", "[llama]", "1",
			`13:16 routes.triage.fallbacks: expected a list, got a number; write it in brackets, as in [a, b]`},
		{"text where a number belongs", "attempts: 3", "attempts: three",
			`15:15 routes.triage.attempts: expected a whole number, got text; write digits without quotes or units`},
		{"a broken number where a whole one belongs", "attempts: 3", "attempts: 1.5",
			`15:15 routes.triage.attempts: expected a whole number, got a number; write digits without quotes or units`},
		{"a number beyond every integer", "attempts: 3", "attempts: 18446744073709551615",
			`15:15 routes.triage.attempts: out of range; give a smaller whole number`},
		{"a number where text belongs", "model: m1", "model: 4",
			`7:35 targets.mini.model: expected text, got a number; put it in quotes`},
		{"text where true or false belongs", "base_url: \"http", "allow_http: yes, base_url: \"http",
			`5:37 providers.local.allow_http: expected true or false, got text; write true or false without quotes`},
		{"a setting without a value", "contract: ticket-triage", "contract:",
			`11:14 routes.triage.contract: has no value; give it one, or take the line out`},
		{"an alias", "contract: ticket-triage", "contract: *x",
			`11:15 routes.triage.contract: an alias cannot be used here; write the value out`},
		{"a type tag", "contract: ticket-triage", "contract: !!str x",
			`11:15 routes.triage.contract: a type tag cannot be used here; write the value out`},
		{"a list where settings belong", "{provider: local, model: m2}", "[local]",
			`8:10 targets.llama: expected settings, got a list; write them below it: provider, model, temperature, max_concurrency, price, pinned, breaker`},
		{"a number as a name", "  mini: {", "  1: {provider: openai, model: m3}\n  mini: {",
			`7:3 targets: expected a name before the colon; write it as plain text; put quotes round a number`},
		{"a name that no address can hold", "  llama: {provider", "  \"a/b\": {provider: local, model: m3}\n  llama: {provider",
			`8:3 targets.a/b: not a usable name; use up to 64 letters, digits, dots, hyphens and underscores`},
		{"the path quotes a name with a dot", "  llama: {provider", "  gpt-4.1: {provider: local, mdoel: m3}\n  llama: {provider",
			`8:30 targets["gpt-4.1"].mdoel: unknown setting; did you mean "model"?`},
	}
	runRows(t, rows)
}

func runRows(t *testing.T, rows []struct{ name, from, to, want string }) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := problemsOf(t, change(t, r.from, r.to))
			if len(got) != 1 || got[0] != r.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), r.want)
			}
		})
	}
}

func TestProblemsOfAWholeFile(t *testing.T) {
	rows := []struct{ name, text, want string }{
		{"an empty file", "", "1:1 : the file is empty; start from example.yaml"},
		{"a file of comments", "# nothing\n", "1:1 : the file is empty; start from example.yaml"},
		{"a list", "- a\n", "1:1 : expected settings such as listen: 127.0.0.1:8787, got a list; start from example.yaml"},
		{"a word", "hello\n", "1:1 : expected settings such as listen: 127.0.0.1:8787, got text; start from example.yaml"},
		{"two documents", valid + "---\nlisten: x\n", "21:1 : a second document begins here; keep one document in the file"},
		{"an unfinished quote", "listen: \"a\nlog: {}\n", "1:9 : invalid YAML: could not find end character of double-quoted text; correct the YAML here or on the line before"},
		{"a tab as indentation", "log:\n\tlevel: info\n", "2:1 : invalid YAML: found character '\t' that cannot start any token; correct the YAML here or on the line before"},
		{"an unquoted variable in braces", "log: {level: ${L}}\n", `1:15 : invalid YAML: ',' or '}' must be specified; put quotes round a variable, as in "${NAME}"`},
		{"bytes that aren't UTF-8", "listen: a\nlog: \xff\n", "2:6 : not a character of a text file; save the file as UTF-8 without control characters"},
		{"a NUL", "listen: é\x00\n", "1:10 : not a character of a text file; save the file as UTF-8 without control characters"},
		{"brackets without end", strings.Repeat("[", 20_000), "1:33 : nested more than 32 levels deep; no setting needs that; look for a bracket that isn't closed"},
		{"lists in lists on one line", strings.Repeat("- ", 20_000), "1:65 : nested more than 32 levels deep; no setting needs that; look for a bracket that isn't closed"},
		{"settings without end", strings.Repeat("a: b\n", 20_000), "10001:1 : the file goes on too long; keep contracts and data in files of their own"},
		{"a file beyond all reason", strings.Repeat("#", maxFile+1), "0:0 : the file is larger than 262144 bytes; keep contracts and data in files of their own"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := problemsOf(t, r.text)
			if len(got) != 1 || got[0] != r.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), r.want)
			}
		})
	}
}

func TestAllProblemsAreReportedTogetherInTheOrderOfTheFile(t *testing.T) {
	text := "lisen: x\nlog: {level: loud}\n"
	want := `1:1 keys: is missing; nobody could call; make one with inferonce keys new
1:1 lisen: unknown setting; did you mean "listen"?
1:1 providers: is missing; name at least one, such as openai: {kind: openai, api_key: "${OPENAI_API_KEY}"}
1:1 routes: is missing; name at least one, such as ticket-triage: {contract: ticket-triage, primary: TARGET}
1:1 store.redis: is missing; say where the jobs are kept, such as redis: redis://127.0.0.1:6379
1:1 targets: is missing; name at least one, such as mini: {provider: openai, model: MODEL}
2:14 log.level: unknown word; known here: debug, error, info, warn`
	if got := strings.Join(problemsOf(t, text), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWindowsLineEndsAndAByteOrderMarkChangeNoPosition(t *testing.T) {
	broken := change(t, "    connect: 2s", "    conect: 2s")
	want := problemsOf(t, broken)
	got := problemsOf(t, "\uFEFF"+strings.ReplaceAll(broken, "\n", "\r\n"))
	if len(want) != 1 || len(got) != 1 || got[0] != want[0] {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorPrintsALineAndACaret(t *testing.T) {
	_, err := Parse("c.yaml", []byte(change(t, "connect: 2s", "connect: 15s")), testEnv)
	want := `c.yaml:14:14: routes.triage.connect: connect (15s) is longer than first_byte (10s by default); set connect to at most 10s, or first_byte to at least 15s
   14 |     connect: 15s
      |              ^^^`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestLoadSaysWhyAFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	rows := []struct{ name, path, want string }{
		{"no such file", filepath.Join(dir, "none.yaml"), "the configuration does not exist; name a readable file, or start from example.yaml"},
		{"a directory", dir, "the configuration is not a regular file; name a readable file, or start from example.yaml"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			_, err := Load(r.path, testEnv)
			if err == nil || err.Error() != r.path+": "+r.want {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPathsAreRelativeToTheFile(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "key"), "sk-from-file\n")
	path := filepath.Join(dir, "c.yaml")
	write(t, path, change(t, `"${OPENAI_API_KEY}"`, "file:key")+"contracts: mine\n")
	cfg, err := Load(path, testEnv)
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Contracts; got != filepath.Join(dir, "mine") {
		t.Errorf("contracts %q", got)
	}
	if got := cfg.Providers["openai"].APIKey.Reveal(); got != "sk-from-file" {
		t.Errorf("key %q", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
