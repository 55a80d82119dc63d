package contracts

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// base is a small sound contract. Tests change one line of it.
const base = `name: demo
version: 2
effects: none
prompt:
  system: "Answer in JSON."
  user: "Order {{input.order.id}} of {{input.account}}: {{input.text}}"
input_schema: |
  {
    "type": "object",
    "properties": {
      "account": {"type": "string"},
      "text": {"type": "string"},
      "order": {"type": "object", "properties": {"id": {"type": "integer"}, "sent": {"type": "string", "format": "date-time"}}},
      "created_at": {"type": "string"}
    },
    "required": ["account", "text"],
    "additionalProperties": false
  }
output_schema: |
  {
    "type": "object",
    "properties": {
      "status": {"enum": ["open", "closed"]},
      "total": {"type": "number"},
      "order_id": {"type": ["string", "null"]}
    },
    "required": ["status"],
    "additionalProperties": false
  }
assertions:
  - output.status != "lost"
identity: [account, order.id]
cases:
  - id: one
    input: {account: a1, text: hello}
    expected: {status: open}
`

// load loads base after replacing pairs of old and new text in it.
func load(t *testing.T, oldnew ...string) (*Contract, error) {
	t.Helper()
	text := base
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("the base has no %q", oldnew[i])
		}
		text = strings.Replace(text, oldnew[i], oldnew[i+1], 1)
	}
	return Load(fstest.MapFS{"dir/demo.yaml": {Data: []byte(text)}}, "dir/demo.yaml")
}

func mustLoad(t *testing.T, oldnew ...string) *Contract {
	t.Helper()
	c, err := load(t, oldnew...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMinSuccess(t *testing.T) {
	for name, row := range map[string]struct {
		field string
		want  float64
		fault string
	}{
		"none means the default":         {"", 0.90, ""},
		"more than the default":          {"min_success: 0.99", 0.99, ""},
		"all":                            {"min_success: 1", 1, ""},
		"the least there is":             {"min_success: 0.8", 0.80, ""},
		"less than the least":            {"min_success: 0.79", 0, "below 0.80"},
		"more than all":                  {"min_success: 90", 0, "out of range"},
		"a text":                         {`min_success: "0.9"`, 0, "write a number"},
		"nothing after the name":         {"min_success:", 0, "write a number"},
		"a number that is none":          {"min_success: .nan", 0, "not a number"},
		"a misspelt name has a proposal": {"min_succes: 0.9", 0, `did you mean "min_success"?`},
	} {
		c, err := load(t, "effects: none\n", "effects: none\n"+row.field+"\n")
		if row.fault != "" {
			if err == nil || !strings.Contains(err.Error(), row.fault) {
				t.Errorf("%s: %v; want %q", name, err, row.fault)
			}
			continue
		}
		if err != nil || c.MinSuccess != row.want {
			t.Errorf("%s: %+v, %v; want %v", name, c, err, row.want)
		}
	}
}

func TestLoad(t *testing.T) {
	c := mustLoad(t, "effects: none", "effects: none\nsampling: {intent: default, max_tokens: 12, max_temperature: 0.5}\ndescription: d")
	if c.Ref() != "demo@2" || c.Description != "d" || c.Effects != EffectsNone || c.OnUnknown.Action != UnknownHold || c.File() != "dir/demo.yaml" {
		t.Errorf("%+v", c)
	}
	if s := c.Sampling; s.Intent != IntentDefault || s.MaxTokens != 12 || s.MaxTemperature == nil || *s.MaxTemperature != 0.5 {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(c.Identity, []string{"account", "order.id"}) || len(c.Cases) != 1 || string(c.Cases[0].Input) != `{"account":"a1","text":"hello"}` {
		t.Errorf("%v, %+v", c.Identity, c.Cases)
	}
	if d := mustLoad(t).Sampling; d.Intent != IntentLowest || d.MaxTokens != 0 || d.MaxTemperature != nil {
		t.Errorf("default sampling %+v", d)
	}
}

func TestTheOutputSchemaKeepsItsBytes(t *testing.T) {
	got := string(mustLoad(t).OutputSchema())
	if !strings.HasPrefix(got, "{\n  \"type\": \"object\"") || strings.Index(got, `"status"`) > strings.Index(got, `"order_id"`) || !strings.HasSuffix(got, "\n}") {
		t.Errorf("%s", got)
	}
}

func TestLoadFaults(t *testing.T) {
	for name, row := range map[string]struct {
		old, new     string
		id           string
		line, column int
		says         string // in message and fix
	}{
		"an unknown field is told with a suggestion": {"identity:", "identidy:", FileFault, 32, 1, `did you mean "identity"?`},
		"a missing name":                            {"name: demo\n", "", FileFault, 1, 1, `lacks the field "name"`},
		"a name with a capital":                     {"name: demo", "name: Demo", FileFault, 1, 7, "a-z, 0-9 and -"},
		"a version of zero":                         {"version: 2", "version: 0", FileFault, 2, 10, "1 to"},
		"a version in quotes":                       {"version: 2", "version: '2'", FileFault, 2, 10, "write a number"},
		"no effects":                                {"effects: none\n", "", FileFault, 1, 1, `lacks the field "effects"`},
		"effects that are no word of ours":          {"effects: none", "effects: some", FileFault, 3, 10, "neither none nor external"},
		"a race where the effects are external":     {"effects: none", "effects: external\non_unknown: {race_after: 10s}", LintRepeatPolicy, 4, 13, "on_unknown: hold"},
		"a cancel where the effects are external":   {"effects: none", "effects: external\non_unknown: 'cancel_after: 60s'", LintRepeatPolicy, 4, 13, "on_unknown: hold"},
		"a policy that is no word of ours":          {"effects: none", "effects: none\non_unknown: retry", FileFault, 4, 13, "hold, cancel_after, race_after"},
		"a policy without a unit":                   {"effects: none", "effects: none\non_unknown: {race_after: 10}", FileFault, 4, 13, "60s"},
		"a policy in the past":                      {"effects: none", "effects: none\non_unknown: {race_after: -1s}", FileFault, 4, 13, "positive"},
		"a tab":                                     {"  system:", "\tsystem:", FileFault, 5, 1, ""},
		"a field twice":                             {"version: 2", "version: 2\nname: other", FileFault, 3, 1, "already defined"},
		"an alias":                                  {"version: 2", "version: &v 2", FileFault, 2, 10, "alias"},
		"a hexadecimal number":                      {"version: 2", "version: 0x2", FileFault, 2, 10, "decimal"},
		"a misspelt keyword":                        {`"required": ["status"]`, `"requierd": ["status"]`, LintMeaning, 27, 5, `did you mean "required"?`},
		"a keyword of an older draft":               {`"required": ["status"]`, `"definitions": {}`, LintMeaning, 27, 5, `use "$defs"`},
		"an unknown type":                           {`"type": "number"`, `"type": "float"`, LintSchema, 24, 17, "does not compile"},
		"a reference to a file":                     {`{"type": "number"}`, `{"$ref": "file:///etc/passwd"}`, LintSchema, 24, 17, "another document"},
		"a reference to a neighbour":                {`{"type": "number"}`, `{"$ref": "other.json"}`, LintSchema, 24, 17, "another document"},
		"a reference to the web":                    {`{"type": "number"}`, `{"$ref": "https://json-schema.org/draft/2020-12/schema"}`, LintSchema, 24, 17, "another document"},
		"a schema with a base of its own":           {`{"type": "number"}`, `{"$id": "http://x/", "type": "number"}`, LintMeaning, 24, 17, "$id"},
		"a foreign draft":                           {`"type": "object",` + "\n" + `    "properties": {` + "\n" + `      "status"`, `"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": { "status"`, LintSchema, 21, 5, "another draft"},
		"a pattern that RE2 can't run":              {`{"type": "number"}`, `{"type": "string", "pattern": "(?=a)"}`, LintSchema, 24, 35, "regex"},
		"a pattern of 257 characters":               {`{"type": "number"}`, `{"type": "string", "pattern": "` + strings.Repeat("a", 257) + `"}`, LintMeaning, 24, 35, "256"},
		"a format that nobody checks":               {`{"type": "number"}`, `{"type": "string", "format": "emial"}`, LintMeaning, 24, 35, `did you mean "email"?`},
		"a number bomb in a schema":                 {`{"type": "number"}`, `{"type": "number", "maximum": 1e20000000}`, LintSchema, 24, 46, "exponent"},
		"a member twice in a schema":                {`{"type": "number"}`, `{"type": "number", "type": "string"}`, LintSchema, 24, 35, "twice"},
		"a schema that refers to itself alone":      {`{"type": "number"}`, `{"$ref": "#/properties/total"}`, LintSchema, 20, 3, "infinite loop"},
		"an open object":                            {`{"type": "number"}`, `{"type": "object"}`, LintMeaning, 24, 7, `list "/total" in open_paths`},
		"an object without a type":                  {`{"type": "number"}`, `{}`, LintMeaning, 24, 7, `"/total"`},
		"an open item":                              {`{"type": "number"}`, `{"type": "array", "items": {"type": "object"}}`, LintMeaning, 24, 34, `"/total/*"`},
		"an array of anything":                      {`{"type": "number"}`, `{"type": "array"}`, LintMeaning, 24, 7, `"/total/*"`},
		"an open path that is closed":               {"assertions:", "open_paths: [/total]\nassertions:", LintMeaning, 20, 3, "remove it"},
		"a placeholder that the input doesn't have": {"{{input.text}}", "{{input.texts}}", LintTemplate, 6, 9, `no field "texts"`},
		"a placeholder below a text":                {"{{input.text}}", "{{input.text.x}}", LintTemplate, 6, 9, `no field "text.x"`},
		"a placeholder with a function":             {"{{input.text}}", "{{input.text | upper}}", LintTemplate, 6, 9, "write {{input.field}}"},
		"a placeholder that does not end":           {"{{input.text}}", "{{input.text", LintTemplate, 6, 9, "write {{input.field}}"},
		"a placeholder of the output":               {"{{input.text}}", "{{output.text}}", LintTemplate, 6, 9, "write {{input.field}}"},
		"an assertion that yields no boolean":       {`output.status != "lost"`, `'size("x")'`, LintAssertions, 31, 5, "yields int"},
		"an assertion of any type":                  {`output.status != "lost"`, `output.status`, LintAssertions, 31, 5, "yields dyn"},
		"an assertion with a typing error":          {`output.status != "lost"`, `outptu.status != "lost"`, LintAssertions, 31, 5, "outptu"},
		"an assertion that uses expected":           {`output.status != "lost"`, `output.status == expected.status`, LintAssertions, 31, 5, "move it into a case"},
		"an assertion of more than 2 KB":            {`output.status != "lost"`, `output.status != "` + strings.Repeat("x", 2048) + `"`, LintAssertions, 31, 5, "2048"},
		"33 assertions":                             {`output.status != "lost"`, `output.status != "lost"` + strings.Repeat("\n  - 'true'", 32), LintAssertions, 31, 3, "32"},
		"an identity that the input doesn't have":   {"[account, order.id]", "[acount]", LintIdentity, 32, 12, `no field "acount"`},
		"an identity named like a time":             {"[account, order.id]", "[created_at]", LintIdentity, 32, 12, "point in time"},
		"an identity whose format is a time":        {"[account, order.id]", "[order.sent]", LintIdentity, 32, 12, "point in time"},
		"a case without an input":                   {"    input: {account: a1, text: hello}\n", "", FileFault, 34, 5, `lacks the field "input"`},
		"a case with a misspelt field":              {"    expected:", "    expeted:", FileFault, 36, 5, `did you mean "expected"?`},
		"two cases with one id":                     {"cases:\n", "cases:\n  - {id: one, input: {}, expected: {status: open}}\n", LintCases, 35, 5, "its own id"},
		"a cases file that is not there":            {"cases:\n  - id: one\n    input: {account: a1, text: hello}\n    expected: {status: open}\n", "cases_file: no.jsonl\n", FileFault, 33, 13, "can't be read"},
		"a cases file outside the folder":           {"cases:\n  - id: one\n    input: {account: a1, text: hello}\n    expected: {status: open}\n", "cases_file: ../../x.jsonl\n", FileFault, 33, 13, "relative to the contract"},
	} {
		_, err := load(t, row.old, row.new)
		found := Findings(err)
		at := slices.IndexFunc(found, func(f Finding) bool { return strings.Contains(f.Message+"; "+f.Fix, row.says) })
		if at < 0 {
			t.Errorf("%s: %v; want %q", name, err, row.says)
			continue
		}
		f := found[at]
		if f.ID != row.id || f.File != "dir/demo.yaml" || f.Line != row.line || f.Column != row.column || f.Fix == "" {
			t.Errorf("%s: %+v; want %s at %d:%d", name, f, row.id, row.line, row.column)
		}
	}
}

func TestLoadTellsAllFaultsOfAFileAtOnce(t *testing.T) {
	_, err := load(t, "version: 2", "version: zero", "identity:", "identidy:", "{{input.text}}", "{{input.txt}}", `"required": ["status"]`, `"requierd": []`)
	var ids []string
	for _, f := range Findings(err) {
		ids = append(ids, f.ID)
	}
	if want := []string{FileFault, LintTemplate, LintMeaning, FileFault}; !slices.Equal(ids, want) {
		t.Fatalf("%v, want %v in order of lines:\n%v", ids, want, err)
	}
}

func TestOnUnknown(t *testing.T) {
	for text, want := range map[string]UnknownPolicy{
		"hold":                {Action: UnknownHold},
		"{cancel_after: 60s}": {UnknownCancelAfter, time.Minute},
		`"cancel_after: 60s"`: {UnknownCancelAfter, time.Minute},
		"{race_after: 1.5s}":  {UnknownRaceAfter, 1500 * time.Millisecond},
		`"race_after: 10s"`:   {UnknownRaceAfter, 10 * time.Second},
	} {
		if got := mustLoad(t, "effects: none", "effects: none\non_unknown: "+text).OnUnknown; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestSchemasAndCasesFromFiles(t *testing.T) {
	folder := fstest.MapFS{
		"c/demo.yaml": {Data: []byte(strings.ReplaceAll("name: demo\nversion: 1\neffects: none\nprompt: {user: '{{input.text}}'}\n"+
			"input_schema: file:s/in.json\noutput_schema: file:s/out.json\ncases_file: cases.yaml\n", "\t", ""))},
		"c/s/in.json":  {Data: []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
		"c/s/out.json": {Data: []byte("{\n\"type\": \"object\", \"properties\": {\"z\": {\"type\": \"string\"}, \"a\": {\"type\": \"string\"}},\n \"additionalProperties\": false}\n")},
		"c/cases.yaml": {Data: []byte("- {id: x, input: {text: hi}, expected: {a: b}, critical: true, tags: [t]}\n")},
	}
	c, err := Load(folder, "c/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Cases) != 1 || !c.Cases[0].Critical || c.Cases[0].Tags[0] != "t" || !strings.Contains(string(c.OutputSchema()), `"z": {"type": "string"}, "a"`) {
		t.Errorf("%+v %s", c.Cases, c.OutputSchema())
	}

	folder["c/s/out.json"].Data = []byte("{\n\"type\": \"object\",\n \"additionalPropertys\": false}\n")
	_, err = Load(folder, "c/demo.yaml")
	if f := Findings(err); len(f) == 0 || f[0].File != "c/s/out.json" || f[0].Line != 3 || f[0].Column != 2 {
		t.Errorf("%+v", f)
	}
}

func TestBadLinesOfACasesFileAreNamed(t *testing.T) {
	text := strings.Replace(base, "cases:\n  - id: one\n    input: {account: a1, text: hello}\n    expected: {status: open}\n", "cases_file: c.jsonl\n", 1)
	folder := fstest.MapFS{"demo.yaml": {Data: []byte(text)}, "c.jsonl": {Data: []byte(
		`{"id":"a","input":{"account":"1","text":"t"},"expected":{"status":"open"}}` + "\n\n" +
			`{"id":"b","id":"c"}` + "\n" + `{"id":"d"} x` + "\n" + `{"id":"e","input":{},"critcal":true}` + "\n")}}
	_, err := Load(folder, "demo.yaml")
	var lines []int
	for _, f := range Findings(err) {
		if f.File != "c.jsonl" {
			t.Errorf("%+v", f)
		}
		lines = append(lines, f.Line)
	}
	if !slices.Equal(lines, []int{3, 4, 5}) {
		t.Fatalf("lines %v: %v", lines, err)
	}
}

func TestTheDigestCoversEveryByte(t *testing.T) {
	files := func(cases, schema, comment string) fs.FS {
		return fstest.MapFS{
			"demo.yaml": {Data: []byte("name: demo\nversion: 1\neffects: none\nprompt: {user: x}\ninput_schema: file:in.json\n" +
				"output_schema: '{\"const\": 1}'\ncases_file: c.jsonl\n" + comment)},
			"in.json": {Data: []byte(schema)}, "c.jsonl": {Data: []byte(cases)}}
	}
	const kase, schema = `{"id":"a","input":{},"accepted":{"x":[1]}}`, `{"type":"object"}`
	digests := map[string]string{}
	for name, f := range map[string]fs.FS{
		"the original":                 files(kase, schema, ""),
		"a comment more":               files(kase, schema, "# x\n"),
		"a space more in the schema":   files(kase, schema+" ", ""),
		"a line break more in a case":  files(kase+"\n", schema, ""),
		"a byte moved between the two": files(" "+kase, schema, ""),
	} {
		c, err := Load(f, "demo.yaml")
		if err != nil {
			t.Fatal(name, err)
		}
		if other, same := digests[c.Digest]; same || !strings.HasPrefix(c.Digest, "sha256:") || len(c.Digest) != 71 {
			t.Errorf("%s: %s is that of %q", name, c.Digest, other)
		}
		digests[c.Digest] = name
	}
	again, err := Load(files(kase, schema, ""), "demo.yaml")
	if err != nil || digests[again.Digest] != "the original" {
		t.Errorf("the same bytes have another digest: %v", err)
	}
}

func TestCatalog(t *testing.T) {
	version := func(n string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.Replace(base, "version: 2", "version: "+n, 1))}
	}
	folder := fstest.MapFS{"a.yaml": version("2"), "b.yaml": version("10"), "c.yml": version("9"), "sub/d.yaml": version("11"), "notes.txt": {Data: []byte("x")}}
	c, err := LoadDir(folder, ".")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"demo@2", "demo@9", "demo@10"}; !slices.Equal(c.Refs(), want) || len(c.All()) != 3 {
		t.Errorf("%v, want %v", c.Refs(), want)
	}
	for ref, want := range map[string]string{"demo": "demo@10", "demo@9": "demo@9"} {
		if got, err := c.Get(ref); err != nil || got.Ref() != want {
			t.Errorf("%s: %v, %v", ref, got, err)
		}
	}
	for _, ref := range []string{"", "dem", "demo@", "demo@3", "demo@02", "Demo"} {
		_, err := c.Get(ref)
		if u, ok := errors.AsType[*UnknownContractError](err); !ok || u.Ref != ref || len(u.Known) != 3 {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestLoadDirTellsTheFaultsOfEveryFile(t *testing.T) {
	folder := fstest.MapFS{"a.yaml": {Data: []byte("name: [")}, "b.yaml": {Data: []byte("")}, "c.yaml": {Data: []byte(base)}, "d.yaml": {Data: []byte(base)}}
	_, err := LoadDir(folder, ".")
	var files []string
	for _, f := range Findings(err) {
		files = append(files, f.File)
	}
	if !slices.Equal(files, []string{"a.yaml", "b.yaml", "d.yaml"}) {
		t.Errorf("%v: %v", files, err)
	}
	if _, err := LoadDir(fstest.MapFS{"x.txt": {}}, "."); len(Findings(err)) != 1 {
		t.Errorf("a folder without contracts: %v", err)
	}
	if _, err := LoadDir(fstest.MapFS{}, "none"); len(Findings(err)) != 1 {
		t.Errorf("no folder: %v", err)
	}
}

func TestFilesThatWouldWearTheParserOutAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", 1<<20), "braces": strings.Repeat("{a: ", 1<<18), "dashes": strings.Repeat("- ", 1<<19),
		"question marks": strings.Repeat("? ", 1<<19), "indentation": strings.Repeat(" ", 1<<20) + "a: b", "too large": strings.Repeat("#", maxFile+1),
	} {
		c, err := Load(fstest.MapFS{"x.yaml": {Data: []byte(text)}}, "x.yaml")
		if c != nil || len(Findings(err)) != 1 {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}
