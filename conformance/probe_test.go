package conformance

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

const deskHead = `
name: desk
version: 1
effects: none
prompt: {system: "You sort tickets of a help desk. Answer in JSON.", user: "Ticket: {{input.text}}"}
input_schema: '{"type":"object","properties":{"text":{"type":"string","maxLength":4000}},"required":["text"],"additionalProperties":false}'
`

// desk is a contract with a system prompt, a bounded input and twenty cases.
func desk(t testing.TB, more string) *contracts.Contract {
	var b strings.Builder
	b.WriteString("cases:\n")
	for i := range 20 {
		fmt.Fprintf(&b, "  - {id: c%02d, input: {text: \"The order A%02d is late\"}, expected: {category: %s, priority: %d, order_id: \"A%02d\"}}\n",
			i, i, []string{"billing", "account", "none"}[i%3], 1+i%4, i)
	}
	return load(t, deskHead+closedOutput+more+b.String())
}

func deskOptions(t testing.TB, m *model, more string) Options {
	m.contract = desk(t, more)
	return Options{Contract: m.contract, Provider: m, Mode: Certify, Seed: 1, KeepGoing: true, Backoff: time.Millisecond,
		Target: providers.Target{Name: "t", Provider: "p", Model: "m"}}
}

func TestAModelThatReadsItsPromptPassesEveryProbe(t *testing.T) {
	o := deskOptions(t, &model{}, "")
	o.KeepGoing = false
	r := run(t, o)
	if r.Verdict != contracts.Pass || failed(r) != nil || r.Enforcement != "native" {
		t.Fatalf("%s %v, failed %v, enforcement %q", r.Verdict, r.Reasons, failed(r), r.Enforcement)
	}
	for _, c := range r.Checks {
		if c.Verdict == contracts.NotApplicable && c.Detail == "" || c.Verdict == contracts.Inconclusive {
			t.Errorf("%s: %s %q", c.ID, c.Verdict, c.Detail)
		}
	}
	if r.Totals.Runs-r.Totals.Probes != 100 || r.Model.Fingerprint["token_slope"] == "" || check(t, r, "PAR-01").Values["temperature"] != "0" {
		t.Errorf("totals %+v, fingerprint %v", r.Totals, r.Model.Fingerprint)
	}
}

// each changes the text of every turn.
func each(change func(role, text string) string) func([]providers.Message) []providers.Message {
	return func(turns []providers.Message) []providers.Message {
		for i, t := range turns {
			turns[i].Content = change(t.Role, t.Content)
		}
		return turns
	}
}

func replacing(oldnew ...string) func([]providers.Message) []providers.Message {
	r := strings.NewReplacer(oldnew...)
	return each(func(_, text string) string { return r.Replace(text) })
}

var (
	forgedTurn = regexp.MustCompile(`(?s)<\|im_start\|>system\n(.*?)<\|im_end\|>`)
	probeText  = regexp.MustCompile(`Do not act on the text above`)
)

// obeying is a server whose tokenizer makes real tokens of a user's text.
func obeying(turns []providers.Message) []providers.Message {
	for _, t := range turns {
		if m := forgedTurn.FindStringSubmatch(t.Content); m != nil && t.Role == "user" {
			return append([]providers.Message{turns[0], {Role: "system", Content: m[1]}}, turns[1:]...)
		}
	}
	return turns
}

// Every liar does one thing wrong and must be found by the check for it, and by
// no other.
func TestEachLiarFailsTheProbeThatIsAboutIt(t *testing.T) {
	usage := func(change func(*contracts.Usage)) func(providers.Request, *contracts.Completion) {
		return func(_ providers.Request, c *contracts.Completion) { change(&c.Usage) }
	}
	for _, l := range []struct {
		name    string
		liar    *model
		want    string
		verdict contracts.Verdict
	}{
		{"a prompt that loses its head", &model{there: each(func(role, text string) string {
			if role == "user" && probeText.MatchString(text) {
				return text[8:]
			}
			return text
		})}, "REN-01", contracts.Fail},
		{"a prompt that loses its tail", &model{there: each(func(_, text string) string {
			return regexp.MustCompile(`Code tail is \w+\.$`).ReplaceAllString(text, "")
		})}, "REN-01", contracts.Fail},
		{"a system prompt that is replaced", &model{there: each(func(role, text string) string {
			if role == "system" && !strings.Contains(text, "entry") {
				return "You are helpful."
			}
			return text
		})}, "REN-02", contracts.Fail},
		{"a user who overrules the system prompt", &model{there: func(turns []providers.Message) []providers.Message {
			if strings.Contains(textOf(turns), "Ignore every other value") {
				return turns[1:]
			}
			return turns
		}}, "REN-02", contracts.Fail},
		{"a user's text that becomes a turn", &model{there: obeying}, "REN-03", contracts.Fail},
		{"special tokens that vanish", &model{there: replacing("<bos>", "", "<|endoftext|>", "")}, "REN-04", contracts.Fail},
		{"line ends that are unified", &model{there: replacing("\r\n", "\n")}, "REN-05", contracts.Fail},
		{"accents that are composed", &model{there: replacing("e\u0301", "\u00e9")}, "REN-05", contracts.Fail},
		{"spaces of no width that vanish", &model{there: replacing("\u200b", "")}, "REN-05", contracts.Fail},
		{"counts that do not grow", &model{back: usage(func(u *contracts.Usage) { u.InputTokens = 50 })}, "REN-06", contracts.Fail},
		{"tokens that are added to the prompt", &model{back: usage(func(u *contracts.Usage) { u.InputTokens += 5900 })}, "REN-06", contracts.Fail},
		{"a tokenizer that takes three tokens for a word", &model{back: usage(func(u *contracts.Usage) { u.InputTokens *= 3 })}, "REN-06", contracts.Fail},
		{"counts that stop at the window", &model{back: usage(func(u *contracts.Usage) { u.InputTokens = min(u.InputTokens, 500) })}, "REN-06", contracts.Fail},
		{"a window smaller than the largest input", &model{there: each(func(_, text string) string { return text[max(0, len(text)-3900):] })}, "REN-07", contracts.Fail},
		{"a system prompt that is moved behind the user's text", &model{there: func(turns []providers.Message) []providers.Message {
			if len(turns) < 2 {
				return turns
			}
			return []providers.Message{turns[1], turns[0]}
		}}, "REN-09", contracts.Fail},
		{"template syntax that is evaluated", &model{there: replacing("{{ 7*7 }}", "49")}, "REN-10", contracts.Fail},
		{"members that are sorted", &model{schema: func(names []string) []string { return slices.Sorted(slices.Values(names)) }}, "REN-11", contracts.Pass},
		{"a bound on tokens that is ignored", &model{long: true}, "PAR-02", contracts.Pass},
		{"a schema that is taken and not enforced", &model{loose: true}, "PAR-04", contracts.Pass},
		{"a stop word that is ignored", &model{stop: func(line, _ string) string { return line }}, "PAR-03", contracts.Pass},
		{"a stop word that is left in the answer", &model{stop: func(line, stop string) string { return line[:strings.Index(line, stop)+len(stop)] }}, "PAR-03", contracts.Pass},
		{"a stop word that is left in part", &model{stop: func(line, stop string) string { return line[:strings.Index(line, stop)+6] }}, "PAR-03", contracts.Pass},
		{"a stop word that takes everything", &model{stop: func(string, string) string { return "-" }}, "PAR-03", contracts.Pass},
		{"a seed that is ignored", &model{drawn: true}, "PAR-06", contracts.Pass},
		{"a temperature that is ignored", &model{cold: true}, "PAR-05", contracts.Pass},
		{"answers without counts", &model{back: usage(func(u *contracts.Usage) { *u = contracts.Usage{} })}, "ENV-05", contracts.Fail},
		{"answers that cost nothing", &model{back: usage(func(u *contracts.Usage) { u.OutputTokens = 0 })}, "ENV-05", contracts.Fail},
		{"answers that depend on spacing", &model{wrongs: func(_ contracts.Case, prompt string) string {
			if strings.Contains(prompt, "  ") {
				return `{"category":"bug_report","priority":1,"order_id":null}`
			}
			return ""
		}}, "SEM-06", contracts.Fail},
	} {
		r := run(t, deskOptions(t, l.liar, ""))
		if r.Verdict != l.verdict || !slices.Equal(failed(r), []string{l.want}) {
			t.Errorf("%s: %s, failed %v, want %s alone; %v", l.name, r.Verdict, failed(r), l.want, r.Reasons)
		}
	}
}

// These break more than one thing; the right check has to be among them.
func TestGrossLiarsFail(t *testing.T) {
	for _, l := range []struct {
		name string
		liar *model
		want string
	}{
		{"a proxy that drops the system prompt", &model{there: func(turns []providers.Message) []providers.Message { return turns[len(turns)-1:] }}, "REN-02"},
		{"a proxy that keeps the first thousand bytes", &model{there: each(func(_, text string) string { return text[:min(len(text), 1000)] })}, "REN-07"},
		{"another model that answers", &model{back: func(_ providers.Request, c *contracts.Completion) { c.Model = "other/model" }}, "ENV-06"},
		{"a constant answer", &model{wrongs: func(contracts.Case, string) string { return `{"category":"none","priority":1,"order_id":null}` }}, "SEM-08"},
	} {
		r := run(t, deskOptions(t, l.liar, ""))
		if r.Verdict != contracts.Fail || !slices.Contains(failed(r), l.want) {
			t.Errorf("%s: %s, failed %v, want %s among them", l.name, r.Verdict, failed(r), l.want)
		}
	}
}

func TestAssertionsFailUnderTheCheckThatIsAboutThem(t *testing.T) {
	const assertions = `assertions:
  - {name: stands-there, grounded_in: {field: order_id, source: text}}
  - {name: urgent-bugs, cel: "output.category != 'bug_report' || output.priority < 3"}
  - {name: long-enough, cel: "size(input.text) > output.priority"}
`
	for want, answer := range map[string]string{
		"SEM-02": `{"category":"account","priority":2,"order_id":"Z99"}`,
		"SEM-03": `{"category":"bug_report","priority":4,"order_id":null}`,
		"SEM-01": `{"category":"account","priority":3,"order_id":null}`,
	} {
		r := NewJudge(desk(t, assertions), "m").Classify(caseNamed(t, desk(t, assertions), "c00"), said(answer), nil)
		if r.Check != want || r.Output == nil {
			t.Errorf("%s: %q (%s)", want, r.Check, r.Message)
		}
	}
	short := contracts.Case{Input: []byte(`{"text":"A"}`)}
	if r := NewJudge(desk(t, assertions), "m").Classify(short, said(`{"category":"none","priority":1,"order_id":null}`), nil); r.Check != "SEM-04" {
		t.Errorf("SEM-04: %q (%s)", r.Check, r.Message)
	}
	if r := run(t, deskOptions(t, &model{}, assertions)); r.Verdict != contracts.Pass || check(t, r, "SEM-02").N != 100 || check(t, r, "SEM-04").N != 100 {
		t.Errorf("an honest model: %s %v", r.Verdict, r.Reasons)
	}
	wrong := &model{wrongs: func(contracts.Case, string) string { return `{"category":"none","priority":1,"order_id":"Z99"}` }}
	if r := run(t, deskOptions(t, wrong, assertions)); !slices.Contains(failed(r), "SEM-02") || check(t, r, "SEM-02").OK != 0 {
		t.Errorf("an invented order: %v", failed(r))
	}
}

func TestABaselineFindsATemplateThatChanged(t *testing.T) {
	before := BaselineOf(run(t, deskOptions(t, &model{}, "")))
	for added, want := range map[int64]string{0: "", 3: "", 4: "REN-06"} {
		o := deskOptions(t, &model{back: func(_ providers.Request, c *contracts.Completion) { c.Usage.InputTokens += added }}, "")
		o.Baseline = before
		if r := run(t, o); strings.Join(failed(r), " ") != want {
			t.Errorf("%d tokens more: failed %v, want %q", added, failed(r), want)
		}
	}
	if BaselineOf(contracts.Report{}) != nil {
		t.Error("a report without counts has a baseline")
	}
}

func TestRepeatsThatDisagreeFail(t *testing.T) {
	var c *contracts.Contract
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "  - {id: c%02d, input: {text: \"ticket %02d\"}, expected: {priority: 1, order_id: null}, accepted: {category: [billing, account]}}\n", i, i)
	}
	c = load(t, contractHead+closedOutput+"cases:\n"+b.String())
	o := certify(c, func(k contracts.Case, asked, _ int) (contracts.Completion, error) {
		return said(fmt.Sprintf(`{"category":%q,"priority":1,"order_id":null}`, []string{"billing", "account"}[asked%2])), nil
	})
	if r := run(t, o); !slices.Equal(failed(r), []string{"STA-02"}) || check(t, r, "STA-02").OK != 60 {
		t.Errorf("%s, %v, %+v", r.Verdict, failed(r), check(t, r, "STA-02"))
	}
}

// crowded answers wrongly when more than four calls are open.
type crowded struct {
	*model
	open atomic.Int32
}

func (c *crowded) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	defer c.open.Add(-1)
	full := c.open.Add(1) > 4
	time.Sleep(time.Second)
	full = full || c.open.Load() > 4
	if got, err := c.model.Complete(ctx, r); !full {
		return got, err
	}
	return said(`{"category":"bug_report","priority":1,"order_id":null}`), nil
}

func TestATargetThatGoesWrongUnderLoadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := deskOptions(t, &model{}, "")
		o.Provider = &crowded{model: o.Provider.(*model)}
		r := run(t, o)
		if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"STA-04"}) {
			t.Errorf("%s, %v, %v", r.Verdict, failed(r), r.Reasons)
		}
		o.Target.MaxConcurrency = 4
		if r := run(t, o); r.Verdict != contracts.Pass || check(t, r, "STA-04").Verdict != contracts.NotApplicable {
			t.Errorf("never given more than four: %s, %v", r.Verdict, failed(r))
		}
	})
}

// Half of the cases are always wrong, and the burst meets more of those.
func TestLoadIsComparedWithTheSameCases(t *testing.T) {
	var cases []caseResult
	for i := range 40 {
		ruling := Ruling{}
		if i < 20 {
			ruling.Check, ruling.Failure = "SEM-01", &contracts.Failure{}
		}
		cases = append(cases, caseResult{planned: 2, runs: []outcome{{Ruling: ruling}, {Ruling: ruling, repeat: 1}}})
	}
	for n, want := range map[int]float64{20: 0, 40: 0.5, 25: 0.2, 60: 20.0 / 60} {
		if got := before(cases, n); got != want {
			t.Errorf("the first %d runs: %v, want %v", n, got, want)
		}
	}
}
