package conformance

import (
	"strings"
	"testing"

	"inferonce/contracts"
)

const good = `{"category":"billing","priority":2,"order_id":"A17"}`

func edit(old, with string) string { return strings.Replace(good, old, with, 1) }

// The case is "refund" of the closed contract, whose right answer is good.
var liars = []struct {
	name    string
	content string
	want    string
}{
	{"a Markdown fence around the JSON", "```json\n" + good + "\n```", "STR-01"},
	{"prose after the JSON", good + "\n\nNote: I chose billing.", "STR-01"},
	{"prose before the JSON", "Here you are: " + good, "STR-01"},
	{"a second object that says otherwise", good + "\n" + `{"category":"account","priority":1,"order_id":null}`, "STR-01"},
	{"a reasoning tag before the JSON", "<think>charged twice</think>" + good, "STR-01"},
	{"a byte order mark", "\ufeff" + good, "STR-01"},
	{"nine bytes of white space around the JSON", strings.Repeat("\n", 9) + good, "STR-01"},
	{"JSON that breaks off", good[:20], "STR-01"},
	{"single quotes", strings.ReplaceAll(good, `"`, `'`), "STR-01"},
	{"bytes that are no UTF-8", edit("A17", "A\xff17"), "STR-01"},
	{"a number bomb", edit("2", "1e20000000"), "STR-05"},
	{"a number of 41 digits", edit("2", strings.Repeat("1", 41)), "STR-05"},
	{"one member twice", edit(`"priority":2`, `"priority":2,"priority":1`), "STR-02"},
	{"one member twice, spelt with an escape", edit(`"priority":2`, `"priority":2,"\u0070riority":1`), "STR-02"},
	{"a replacement character", edit("A17", "A\ufffd"), "STR-08"},
	{"half of a surrogate pair", edit("A17", `A\ud800`), "STR-08"},
	{"an escape that was escaped twice", edit("A17", `\\u7ed3`), "STR-08"},
	{"a control character", edit("A17", `A\u0007`), "STR-08"},
	{"a reasoning tag in a string", edit("A17", "<think>A17</think>"), "STR-08"},
	{"a control token in a string", edit("A17", "A17<|im_end|>"), "STR-08"},
	{"an end token that the input does not hold", edit("A17", "A17</s>"), "STR-08"},
	{"an extra key", edit("}", `,"sentiment":"angry"}`), "STR-03"},
	{"an echo of the schema", `{"type":"object","properties":{}}`, "STR-03"},
	{"null where text is wanted", edit(`"billing"`, "null"), "STR-06"},
	{"a missing member", edit(`,"order_id":"A17"`, ""), "STR-06"},
	{"an empty text where some is wanted", edit("}", `,"tags":[""]}`), "STR-06"},
	{"a listed value in another case", edit("billing", "Billing"), "STR-07"},
	{"a neighbour field's word", edit("billing", "urgent"), "STR-07"},
	{"a number as text", edit("2", `"2"`), "STR-04"},
	{"text as a number", edit(`"A17"`, "17"), "STR-04"},
	{"a number out of range", edit("2", "5"), "STR-04"},
	{"a fraction for an integer", edit("2", "2.5"), "STR-04"},
	{"a list as text", edit("}", `,"tags":"[\"a\"]"}`), "STR-04"},
	{"more items than allowed", edit("}", `,"tags":["a","b","c"]}`), "STR-04"},
	{"a date that is none", edit("}", `,"due":"2026-02-30"}`), "STR-04"},
	{"a list instead of an object", "[" + good + "]", "STR-04"},
	{"ten thousand levels", edit("2", strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), "STR-04"},
	{"more white space than JSON", strings.ReplaceAll(good, ",", strings.Repeat(" ", 40)+","), "STR-09"},
	{"the wrong answer in the right form", edit("billing", "account"), "SEM-01"},
	{"nothing at all", "", "ENV-04"},
	{"white space alone", " \n ", "ENV-04"},
}

func TestEachLieFailsTheCheckThatIsAboutIt(t *testing.T) {
	c := tickets(t)
	j, k := NewJudge(c, "m"), caseNamed(t, c, "refund")
	for _, l := range liars {
		r := j.Classify(k, said(l.content), nil)
		if r.Check != l.want || r.Infra || r.Passed() {
			t.Errorf("%s: check %q (%s), want %q", l.name, r.Check, r.Message, l.want)
		}
	}
}

func TestOddButLegalAnswersPass(t *testing.T) {
	c := tickets(t)
	j := NewJudge(c, "m")
	for _, l := range []struct{ name, kase, content string }{
		{"the plain answer", "refund", good},
		{"members in another order", "refund", `{"order_id":"A17","priority":2,"category":"billing"}`},
		{"pretty print with line ends around", "refund", "\n{\n  \"category\": \"billing\",\n  \"priority\": 2,\n  \"order_id\": \"A17\"\n}\r\n"},
		{"eight bytes of white space around", "refund", "    " + good + "    "},
		{"1.0-style integers", "refund", edit("2", "2.0")},
		{"an exponent", "refund", edit("2", "2e0")},
		{"escapes where none are needed", "refund", edit("A17", `\u0041\u00317`)},
		{"a key spelt with escapes", "refund", strings.Replace(good, "category", `\u0063ategory`, 1)},
		{"a surrogate pair in escapes", "refund", edit("}", `,"tags":["\ud83d\ude00"]}`)},
		{"accents in escapes", "refund", edit("}", `,"tags":["caf\u00e9"]}`)},
		{"line ends in a string", "refund", edit("}", `,"tags":["a\nb\tc"]}`)},
		{"angle brackets that are no tag", "refund", edit("}", `,"tags":["a < b, c > d","<3"]}`)},
		{"an optional member that is null", "refund", edit("}", `,"due":null}`)},
		{"text that HTML strikes through", "refund", edit("}", `,"tags":["now <s>12</s> 10"]}`)},
		{"a token that the input holds too", "hello", `{"category":"none","priority":4,"order_id":null,"tags":["about </s>"]}`},
		{"the first of an accepted set", "twice", `{"category":"billing","priority":1,"order_id":null}`},
	} {
		if r := j.Classify(caseNamed(t, c, l.kase), said(l.content), nil); !r.Passed() || r.Check != "" || r.Infra {
			t.Errorf("%s: %s: %s", l.name, r.Check, r.Message)
		}
	}
}

func TestAnExtraKeyFailsUnderAnOpenSchemaToo(t *testing.T) {
	c := load(t, contractHead+openOutput+cases)
	j, k := NewJudge(c, "m"), caseNamed(t, c, "refund")
	if r := j.Classify(k, said(edit("}", `,"sentiment":"angry"}`)), nil); r.Check != "STR-03" {
		t.Errorf("%q: %s", r.Check, r.Message)
	}
	if r := j.Classify(k, said(edit("}", `,"x-trace":"1"}`)), nil); !r.Passed() {
		t.Errorf("a key that a pattern declares: %s: %s", r.Check, r.Message)
	}
}

func TestTheNearestListedValueIsNamed(t *testing.T) {
	c := tickets(t)
	j, k := NewJudge(c, "m"), caseNamed(t, c, "refund")
	for got, near := range map[string]string{"Billing": "billing", "bug report": "bug_report", "acount": "account", "zzz": ""} {
		r := j.Classify(k, said(edit("billing", got)), nil)
		if r.Check != "STR-07" || strings.Contains(r.Message, "nearest") != (near != "") || !strings.Contains(r.Message, near) {
			t.Errorf("%s: %s: %s; want %q named", got, r.Check, r.Message, near)
		}
	}
}

func TestAnInventedValueForANegativeCaseIsItsOwnCheck(t *testing.T) {
	c := tickets(t)
	j, k := NewJudge(c, "m"), caseNamed(t, c, "thanks")
	r := j.Classify(k, said(`{"category":"none","priority":4,"order_id":"12345"}`), nil)
	if r.Check != "SEM-05" || len(r.Failure.Violations) != 1 || r.Failure.Violations[0].Pointer != "/order_id" {
		t.Errorf("%q %+v", r.Check, r.Failure)
	}
}

func TestALiveAnswerIsHeldAgainstTheContractAlone(t *testing.T) {
	c := load(t, contractHead+closedOutput+"assertions: [\"output.priority < 4 || output.category == 'none'\"]\n"+cases)
	j, live := NewJudge(c, "m"), contracts.Case{Input: []byte(`{"text":"anything"}`)}
	if r := j.Classify(live, said(good), nil); !r.Passed() || string(r.Output) != good {
		t.Errorf("%s %s %s", r.Check, r.Message, r.Output)
	}
	if r := j.Classify(live, said(edit("2", "4")), nil); r.Check != "SEM-03" {
		t.Errorf("a broken assertion: %q", r.Check)
	}
}

func TestNoRulingTellsTheAnswer(t *testing.T) {
	const canary = "canary7731"
	c := tickets(t)
	j, k := NewJudge(c, "m"), caseNamed(t, c, "refund")
	for _, content := range []string{canary, edit("A17", canary), edit("billing", canary), edit("2", `"`+canary+`"`),
		"```" + canary, good + canary, edit("A17", canary+`\u0007`)} {
		r := j.Classify(k, said(content), nil)
		if r.Passed() || strings.Contains(r.Message+r.Failure.Error(), canary) {
			t.Errorf("%q: %q, %v", content, r.Message, r.Failure)
		}
	}
}
