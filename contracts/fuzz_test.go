package contracts

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// hostile are texts that broke some JSON reader or other.
var hostile = []string{
	``, ` `, `{}`, `[]`, `null`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[1e20000000]`, `[1e-20000000]`, `9007199254740993`, `[0.1000000000000000055]`,
	"\xef\xbb\xbf{}", "\"\xff\"", `"\ud800"`, `"\udc00\ud800"`, `{} {}`, `[1,]`, `{"a":`, "```json\n{}\n```", `<think>x</think>{}`, `{"category":"card","urgent":true}`,
	`-0`, `-`, `1E400`, `[01]`, `{"__proto__":{}}`, `"\u0000"`,
}

func FuzzCanonical(f *testing.F) {
	for _, s := range append(hostile, nested(64), nested(65)) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		got, err := Canonical(raw)
		if !bytes.Equal(raw, before) {
			t.Fatal("the argument was changed")
		}
		if err != nil {
			e, ok := err.(*CanonicalError)
			if !ok || got != nil || e.Reason == "" || e.Message == "" || e.Offset < 0 || e.Offset > int64(len(raw)) {
				t.Fatalf("%#v", err)
			}
			return
		}
		spaced, err := Canonical(slack(raw))
		if err != nil || !bytes.Equal(got, spaced) || !json.Valid(got) {
			t.Fatalf("%s and %s, %v", got, spaced, err)
		}
	})
}

// slack puts white space around a value.
func slack(raw []byte) []byte { return []byte("\r\n\t " + string(raw) + " \n") }

// FuzzParse: the value that is validated is the one that was scanned.
func FuzzParse(f *testing.F) {
	for _, s := range append(hostile, nested(64), nested(65), `[{"a":[],"b":{},"":[null,true,false,-0.5e1,"\u00e9\n"]}] x`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		end, refused := scan(raw, boundedNumber)
		v, parsedEnd, parseRefused := parse(raw, boundedNumber)
		if !reflect.DeepEqual(refused, parseRefused) || end != parsedEnd {
			t.Fatalf("scan: %d, %+v; parse: %d, %+v", end, refused, parsedEnd, parseRefused)
		}
		if refused != nil {
			return
		}
		want, err := decodeJSON(raw[:end])
		if err != nil || !reflect.DeepEqual(v, want) {
			t.Fatalf("parse made %#v, encoding/json %#v, %v", v, want, err)
		}
	})
}

func FuzzParseOutput(f *testing.F) {
	for _, s := range append(hostile, nested(64), nested(65)) {
		f.Add(s)
	}
	c := sample(f, "ticket-triage")
	f.Fuzz(func(t *testing.T, content string) {
		raw, failure := ParseOutput(content)
		if failure != nil {
			if raw != nil || failure.Class != BadResponse || failure.Effect != Ended || failure.Code == "" {
				t.Fatalf("%s, %+v", raw, failure)
			}
		} else if !json.Valid(raw) || !strings.Contains(content, string(raw)) || len(content)-len(raw) > maxPadding {
			t.Fatalf("%q gave %q", content, raw)
		}
		if output, broken := c.CheckOutput(content, json.RawMessage(`{"text":"x"}`)); (output == nil) == (broken == nil) {
			t.Fatalf("%s, %+v", output, broken)
		}
	})
}

func FuzzLoad(f *testing.F) {
	f.Add(base)
	f.Add("name: x\n")
	f.Add("name: [\n")
	f.Add("a: &a [*a]\n")
	f.Add("<<: {name: x}\n")
	f.Add("? [a]\n: b\n")
	f.Add("--- a\n--- b\n")
	f.Add(strings.Repeat("[", 200))
	f.Add(strings.Replace(base, `"type": "number"`, `"$ref": "#/properties/total"`, 1))
	f.Add(strings.Replace(base, "cases:", "cases_file: /etc/passwd\nold:", 1))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Load(fstest.MapFS{"x.yaml": {Data: []byte(text)}}, "x.yaml")
		if err != nil {
			if c != nil || len(Findings(err)) == 0 {
				t.Fatalf("%v, %v", c, err)
			}
			return
		}
		if c.Ref() == "" || len(c.Digest) != 71 || !json.Valid(c.OutputSchema()) {
			t.Fatalf("%+v", c)
		}
		Lint(c)
		for _, k := range c.Cases {
			if c.CheckInput(k.Input) == nil {
				if _, err := c.Render(k.Input); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// Whatever a caller asks and a model answers, the judgement ends, and an answer
// that it lets through can be read by clients.
func FuzzChat(f *testing.F) {
	c := chatContract(f, "")
	f.Add(`{`+hello+`,`+payTool+`}`, `{"name":"pay","arguments":{}}`, "pay", `{"cents":1}`)
	f.Add(`{`+hello+`,`+orderFormat+`}`, `{"id":"1"}`, "", "")
	f.Add(`{`+hello+`,"response_format":{"type":"json_schema","json_schema":{"name":"x","description":"d","schema":{"$ref":"#"}}}}`, `[]`, "", "")
	f.Fuzz(func(t *testing.T, input, content, name, arguments string) {
		if len(c.CheckInput(json.RawMessage(input))) > 0 {
			return
		}
		done := Completion{Content: content}
		if name != "" {
			done.ToolCalls = []ToolCall{{Name: name, Arguments: arguments}}
		}
		output, failure := c.Judge(done, json.RawMessage(input))
		if failure != nil {
			return
		}
		if a, err := ReadChatAnswer(output, json.RawMessage(input)); err != nil || a.Content == nil && len(a.Calls) == 0 {
			t.Errorf("%s: %+v, %v", output, a, err)
		}
	})
}
