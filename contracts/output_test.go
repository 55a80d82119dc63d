package contracts

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

func TestParseOutput(t *testing.T) {
	for name, row := range map[string]struct{ content, want, code string }{
		"one object":                       {`{"a":1}`, `{"a":1}`, ""},
		"one scalar":                       {`"x"`, `"x"`, ""},
		"pretty printed":                   {"{\n  \"a\": 1\n}", "{\n  \"a\": 1\n}", ""},
		"escaped letters stay escaped":     {`{"t":"\u00e9"}`, `{"t":"\u00e9"}`, ""},
		"an integer beyond 2^53 is data":   {`9007199254740993`, `9007199254740993`, ""},
		"8 bytes of white space around it": {"\n\n\n\n{}\n\n\n\n", `{}`, ""},
		"9 bytes of white space around it": {"\n\n\n\n{}\n\n\n\n\n", "", CodePadding},
		"nothing":                          {"", "", ReasonEmpty},
		"white space alone":                {strings.Repeat("\n", 4000), "", ReasonEmpty},
		"a fence":                          {"```json\n{}\n```", "", CodeFence},
		"a fence after a line break":       {"\n```\n{}\n```", "", CodeFence},
		"a fence that comes after":         {"{}\n```", "", ReasonTrailing},
		"prose before":                     {"Here is it: {}", "", CodeNotJSON},
		"prose after":                      {"{}\n\nNote: I chose card.", "", ReasonTrailing},
		"thoughts before":                  {"<think>card?</think>{}", "", CodeNotJSON},
		"a web page":                       {"<html></html>", "", CodeNotJSON},
		"two values":                       {"{}\n{}", "", ReasonTrailing},
		"a cut object":                     {`{"category":"bil`, "", CodeCut},
		"a broken object":                  {`{"a" 1}`, "", ReasonSyntax},
		"a member twice":                   {`{"a":1,"a":2}`, "", ReasonDuplicateKey},
		"a member twice, spelt otherwise":  {`{"a":1,"\u0061":2}`, "", ReasonDuplicateKey},
		"a number bomb":                    {`{"a":1e20000000}`, "", ReasonNumber},
		"a number of 41 characters":        {strings.Repeat("1", 41), "", ReasonNumber},
		"a number of 40 characters":        {strings.Repeat("1", 40), strings.Repeat("1", 40), ""},
		"an exponent of 309":               {`1e-309`, "", ReasonNumber},
		"an exponent of 308":               {`1e-308`, `1e-308`, ""},
		"64 levels":                        {nested(64), nested(64), ""},
		"65 levels":                        {nested(65), "", ReasonDepth},
		"10,000 levels":                    {nested(10_000), "", ReasonDepth},
		"bad UTF-8":                        {"\"\xff\"", "", ReasonUTF8},
		"half a surrogate pair":            {`"\udc00"`, "", ReasonUTF8},
		"a byte order mark":                {"\xef\xbb\xbf{}", "", ReasonBOM},
	} {
		got, f := ParseOutput(row.content)
		if row.code == "" {
			if f != nil || string(got) != row.want {
				t.Errorf("%s: %s, %v", name, got, f)
			}
			continue
		}
		if got != nil || f == nil || f.Class != BadResponse || f.Effect != Ended || f.Code != row.code {
			t.Errorf("%s: %s, %+v; want %s", name, got, f, row.code)
		}
	}
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestCheckOutputAgainstTheSample(t *testing.T) {
	c := sample(t, "ticket-triage")
	input := json.RawMessage(`{"text":"I lost my card"}`)
	for name, row := range map[string]struct {
		content string
		class   Class
		want    []Violation
	}{
		"the right shape":             {`{"urgent":true,"category":"card"}`, "", nil},
		"an invented member":          {`{"category":"card","urgent":true,"mood":"sad"}`, ContractViolation, []Violation{{"/mood", "additionalProperties", "is not declared in the schema"}}},
		"an invented member with a /": {`{"category":"card","urgent":true,"a/b~":1}`, ContractViolation, []Violation{{"/a~1b~0", "additionalProperties", "is not declared in the schema"}}},
		"a missing member":            {`{"category":"card"}`, ContractViolation, []Violation{{"", "required", `lacks the member "urgent"`}}},
		"a label in another case":     {`{"category":"Card","urgent":true}`, ContractViolation, []Violation{{"/category", "enum", `must be one of ["add_money","bank_transfer","card","exchange","identity","payment","withdrawal"]`}}},
		"a boolean as text":           {`{"category":"card","urgent":"true"}`, ContractViolation, []Violation{{"/urgent", "type", `must be of type "boolean", not string`}}},
		"null":                        {`{"category":"card","urgent":null}`, ContractViolation, []Violation{{"/urgent", "type", `must be of type "boolean", not null`}}},
		"another type altogether":     {`[]`, ContractViolation, []Violation{{"", "type", `must be of type "object", not array`}}},
		"a number bomb":               {`{"category":1e20000000,"urgent":true}`, BadResponse, nil},
		"no JSON":                     {`card`, BadResponse, nil},
	} {
		got, f := c.CheckOutput(row.content, input)
		if row.class == "" {
			if f != nil || string(got) != row.content {
				t.Errorf("%s: %s, %v", name, got, f)
			}
			continue
		}
		if got != nil || f == nil || f.Class != row.class || f.Effect != Ended {
			t.Errorf("%s: %s, %+v; want %s", name, got, f, row.class)
			continue
		}
		if row.want != nil && !equalViolations(f.Violations, row.want) {
			t.Errorf("%s: %+v; want %+v", name, f.Violations, row.want)
		}
	}
}

func equalViolations(got, want []Violation) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != want[i] {
			return false
		}
	}
	return true
}

func TestACheckerThatBreaksDownIsAFailure(t *testing.T) {
	c := sample(t, "ticket-triage")
	broken := *c
	broken.output = nil // stands for any panic below CheckOutput
	got, f := broken.CheckOutput(`{"category":"card","urgent":true}`, json.RawMessage(`{"text":"x"}`))
	if got != nil || f == nil || f.Class != ContractViolation || f.Effect != Ended {
		t.Fatalf("%s, %+v", got, f)
	}
}

func TestManyViolationsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"category":"card","urgent":true`)
	for i := range 500 {
		b.WriteString(`,"x` + string(jsonInt(int64(i))) + `":1`)
	}
	b.WriteString(`,"` + strings.Repeat("k", 5000) + `":1}`)
	_, f := sample(t, "ticket-triage").CheckOutput(b.String(), json.RawMessage(`{"text":"x"}`))
	if f == nil || len(f.Violations) != maxViolations {
		t.Fatalf("%+v", f)
	}
	for _, v := range f.Violations {
		if len(v.Pointer) > maxPointer+len("…") {
			t.Errorf("a pointer of %d bytes", len(v.Pointer))
		}
	}
}

func TestAContractServesManyAtOnce(t *testing.T) {
	c := sample(t, "ticket-triage")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for _, k := range c.Cases {
				if broken := c.CheckInput(k.Input); broken != nil {
					t.Error(broken)
				}
				golden, ok := c.golden(k)
				if _, f := c.CheckOutput(string(golden), k.Input); !ok || f != nil {
					t.Error(f)
				}
				if _, f := c.CheckOutput(`{"x":1}`, k.Input); f == nil {
					t.Error("an answer outside the contract passed")
				}
				if _, err := c.Render(k.Input); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
