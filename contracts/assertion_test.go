package contracts

import (
	"encoding/json"
	"strings"
	"testing"
)

// one loads base with one case assertion and no other expectation.
func one(t *testing.T, assertion string) (*Contract, Case) {
	t.Helper()
	c := mustLoad(t, "    expected: {status: open}\n", "    expected: {status: open, total: 3}\n    assertions:\n      - "+assertion+"\n")
	return c, Case{Input: json.RawMessage(`{"account":"Ann","text":"Order  A-7 is LATE"}`), Expected: map[string]json.RawMessage{}, Assertions: c.Cases[0].Assertions}
}

func TestAssertions(t *testing.T) {
	for name, row := range map[string]struct{ assertion, output, rule string }{
		"a number compares with an int":            {"output.n == 3", `{"n":3}`, ""},
		"a number compares with an int, spelt 3.0": {"output.n == 3", `{"n":3.0}`, ""},
		"a number compares with a double":          {"output.n == 3.5", `{"n":3.5}`, ""},
		"a wrong number fails":                     {"output.n == 3", `{"n":4}`, "assertion_1"},
		"2^53+1 is not 2^53":                       {"output.n == 9007199254740992", `{"n":9007199254740993}`, "assertion_1"},
		"an int is less than a double":             {"output.n < 3.5", `{"n":3}`, ""},
		"null is null":                             {"output.n == null", `{"n":null}`, ""},
		"the input is there":                       {`input.account == "Ann"`, `{}`, ""},
		"a name becomes the rule":                  {`{name: is-open, cel: 'output.status == "open"'}`, `{"status":"closed"}`, "is-open"},
		"a missing field is an error, not a pass":  {`output.gone != "x"`, `{}`, ruleAssertionError},
		"another type is an error, not a pass":     {`output.n + 1 == 2`, `{"n":"1"}`, ruleAssertionError},
		"too many steps are an error":              {`output.l.all(a, output.l.all(b, output.l.all(c, true)))`, `{"l":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]}`, ruleAssertionError},
		"long text costs":                          {`norm(output.s) == ""`, `{"s":"` + strings.Repeat("x", 200_000) + `"}`, ruleAssertionError},
		"sum adds ints and doubles":                {"sum(output.l) == 6.5", `{"l":[1,2.5,3]}`, ""},
		"sum of nothing is zero":                   {"sum(output.l) == 0.0", `{"l":[]}`, ""},
		"sum over text is an error":                {"sum(output.l) == 0.0", `{"l":["1"]}`, ruleAssertionError},
		"near within its tolerance":                {"near(output.n, 10, 0.5)", `{"n":10.5}`, ""},
		"near beyond its tolerance":                {"near(output.n, 10, 0.5)", `{"n":10.6}`, "assertion_1"},
		"near of text is an error":                 {"near(output.n, 10, 0.5)", `{"n":"10"}`, ruleAssertionError},
		"norm folds case and space":                {`norm(output.s) == "a b"`, `{"s":"  A\n\tb "}`, ""},
		"contains_norm finds a part":               {`contains_norm(input.text, "order a-7")`, `{}`, ""},
		"contains_norm of nothing never holds":     {`contains_norm(input.text, " ")`, `{}`, "assertion_1"},
		"equals holds":                             {"equals: {field: status, value: open}", `{"status":"open"}`, ""},
		"equals fails":                             {"equals: {field: status, value: open}", `{"status":"closed"}`, "assertion_1"},
		"equals on a list":                         {"equals: {field: l, value: [1, {a: null}]}", `{"l":[1,{"a":null}]}`, ""},
		"equals with quotes in it":                 {`equals: {field: s, value: "a\"b\\c\n😀"}`, `{"s":"a\"b\\c\n😀"}`, ""},
		"one_of holds":                             {"one_of: {field: n, values: [1, 2]}", `{"n":2}`, ""},
		"one_of fails":                             {"one_of: {field: n, values: [1, 2]}", `{"n":3}`, "assertion_1"},
		"near as a short form":                     {"near: {field: a.b, value: -12.5, tolerance: 0.01}", `{"a":{"b":-12.505}}`, ""},
		"grounded text":                            {"grounded_in: {field: id, source: text}", `{"id":"a-7"}`, ""},
		"text that is not in the input":            {"grounded_in: {field: id, source: text}", `{"id":"B-8"}`, "assertion_1"},
		"null needs no ground":                     {"grounded_in: {field: id, source: text}", `{"id":null}`, ""},
		"null where the condition holds":           {`null_when: {field: id, when: 'input.text.contains("LATE")'}`, `{"id":null}`, ""},
		"a value where the condition holds":        {`null_when: {field: id, when: 'input.text.contains("LATE")'}`, `{"id":"x"}`, "assertion_1"},
		"a value where the condition doesn't hold": {`null_when: {field: id, when: 'input.text.contains("never")'}`, `{"id":"x"}`, ""},
	} {
		if strings.HasPrefix(row.assertion, "output") || strings.HasPrefix(row.assertion, "input") || strings.Contains(strings.SplitN(row.assertion, ":", 2)[0], "(") {
			row.assertion = "'" + row.assertion + "'"
		}
		c, k := one(t, row.assertion)
		got := c.CheckCase(k, json.RawMessage(row.output))
		if row.rule == "" && got != nil || row.rule != "" && (len(got) != 1 || got[0].Rule != row.rule) {
			t.Errorf("%s: %+v; want %q", name, got, row.rule)
		}
	}
}

func TestShortFormsPointAtTheirField(t *testing.T) {
	c, k := one(t, "equals: {field: a.b, value: 1}")
	if got := c.CheckCase(k, json.RawMessage(`{"a":{"b":2}}`)); len(got) != 1 || got[0].Pointer != "/a/b" {
		t.Fatalf("%+v", got)
	}
}

func TestCaseAssertionsSeeWhatIsExpected(t *testing.T) {
	c, k := one(t, "'output.n == expected.n'")
	k.Expected = map[string]json.RawMessage{"n": json.RawMessage(`7`)}
	if got := c.CheckCase(k, json.RawMessage(`{"n":7}`)); got != nil {
		t.Errorf("%+v", got)
	}
	if got := c.CheckCase(k, json.RawMessage(`{"n":8}`)); len(got) != 2 {
		t.Errorf("%+v; want the value and the assertion", got)
	}
}

func TestLiveAssertions(t *testing.T) {
	c := mustLoad(t, `output.status != "lost"`, `{name: never-closed, cel: 'output.status != "closed"'}`)
	input := json.RawMessage(`{"account":"a","text":"t"}`)
	if _, f := c.CheckOutput(`{"status":"open"}`, input); f != nil {
		t.Error(f)
	}
	_, f := c.CheckOutput(`{"status":"closed"}`, input)
	if f == nil || f.Class != ContractViolation || f.Effect != Ended || f.Code != CodeAssertion || f.Violations[0].Rule != "never-closed" {
		t.Errorf("%+v", f)
	}
}

func TestNoBrokenAssertionTellsTheAnswer(t *testing.T) {
	for _, source := range []string{"'int(output.s) == 1'", "'output.s == 1'", "'output.m[output.s] == 1'", "'timestamp(output.s) < timestamp(output.s)'"} {
		c, k := one(t, source)
		got := c.CheckCase(k, json.RawMessage(`{"s":"hunter2","m":{}}`))
		if len(got) != 1 || strings.Contains(got[0].Message, "hunter2") {
			t.Errorf("%s: %+v", source, got)
		}
	}
}

func TestBadShortForms(t *testing.T) {
	for name, assertion := range map[string]string{
		"no field": "equals: {value: 1}", "no value": "equals: {field: n}", "an unknown part": "equals: {field: n, value: 1, tolerance: 2}",
		"values that are no list": "one_of: {field: n, values: 1}", "a tolerance that is text": "near: {field: n, value: 1, tolerance: x}",
		"a condition that is no condition": "null_when: {field: n, when: '1'}", "a condition that breaks out": `null_when: {field: n, when: "true) || (true"}`,
		"an unknown form": "equal: {field: n, value: 1}", "nothing": "{}", "a name alone": "name: x", "an empty text": "''",
	} {
		_, err := load(t, "    expected: {status: open}\n", "    expected: {status: open}\n    assertions:\n      - "+assertion+"\n")
		if len(Findings(err)) == 0 {
			t.Errorf("%s: loads", name)
		}
	}
}

func TestCheckCase(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	c := mustLoad(t)
	for name, row := range map[string]struct {
		k      Case
		output string
		want   []Violation
	}{
		"the expected value":           {Case{Expected: map[string]json.RawMessage{"a": raw(`"x"`)}}, `{"a":"x","b":1}`, nil},
		"another value":                {Case{Expected: map[string]json.RawMessage{"a": raw(`"x"`)}}, `{"a":"y"}`, []Violation{{"/a", RuleExpected, `must be "x"`}}},
		"a value in another case":      {Case{Expected: map[string]json.RawMessage{"a": raw(`"x"`)}}, `{"a":"X"}`, []Violation{{"/a", RuleExpected, `must be "x"`}}},
		"null for missing":             {Case{Expected: map[string]json.RawMessage{"a": raw(`null`)}}, `{}`, []Violation{{"/a", RuleExpected, `must be null`}}},
		"a number spelt otherwise":     {Case{Expected: map[string]json.RawMessage{"a": raw(`1`)}}, `{"a":1.0e0}`, nil},
		"a neighbouring large integer": {Case{Expected: map[string]json.RawMessage{"a": raw(`9007199254740992`)}}, `{"a":9007199254740993}`, []Violation{{"/a", RuleExpected, "must be 9007199254740992"}}},
		"a number as text":             {Case{Expected: map[string]json.RawMessage{"a": raw(`1`)}}, `{"a":"1"}`, []Violation{{"/a", RuleExpected, "must be 1"}}},
		"a nested field":               {Case{Expected: map[string]json.RawMessage{"a.b": raw(`[1,{"c":2}]`)}}, `{"a":{"b":[1,{"c":2}]}}`, nil},
		"a list in another order":      {Case{Expected: map[string]json.RawMessage{"a": raw(`[1,2]`)}}, `{"a":[2,1]}`, []Violation{{"/a", RuleExpected, "must be [1,2]"}}},
		"an object for text":           {Case{Expected: map[string]json.RawMessage{"a": raw(`"x"`)}}, `{"a":{}}`, []Violation{{"/a", RuleExpected, `must be "x"`}}},
		"one of the accepted":          {Case{Accepted: map[string][]json.RawMessage{"a": {raw(`"x"`), raw(`"y"`)}}}, `{"a":"y"}`, nil},
		"none of the accepted":         {Case{Accepted: map[string][]json.RawMessage{"a": {raw(`"x"`), raw(`"y"`)}}}, `{"a":"z"}`, []Violation{{"/a", RuleAccepted, `must be one of "x", "y"`}}},
	} {
		if got := c.CheckCase(row.k, raw(row.output)); !equalViolations(got, row.want) {
			t.Errorf("%s: %+v; want %+v", name, got, row.want)
		}
	}
}
