package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const contractHead = `
name: tickets
version: 1
effects: none
prompt: {user: "{{input.text}}"}
input_schema: '{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}'
`

const closedOutput = `output_schema: |
  {"type":"object","properties":{
    "category":{"type":"string","enum":["billing","bug_report","account","none"]},
    "priority":{"type":"integer","minimum":1,"maximum":4},
    "order_id":{"type":["string","null"]},
    "due":{"type":["string","null"],"format":"date"},
    "tags":{"type":"array","items":{"type":"string","minLength":1},"maxItems":2}},
   "required":["category","priority","order_id"],"additionalProperties":false}
`

const openOutput = `output_schema: |
  {"type":"object","properties":{"category":{"$ref":"#/$defs/c"},"priority":{"type":"number"},"order_id":{"type":["string","null"]}},
   "patternProperties":{"^x-":{"type":"string"}},
   "$defs":{"c":{"type":"string"}},"required":["category"]}
open_paths: [""]
`

// cases are eight: two critical, two negative, one pair.
const cases = `cases:
  - {id: refund, input: {text: "refund of order A17"}, expected: {category: billing, priority: 2, order_id: "A17"}, critical: true}
  - {id: crash, input: {text: "it crashes"}, expected: {category: bug_report, priority: 1, order_id: null}, critical: true}
  - {id: login, input: {text: "can't log in"}, expected: {category: account, priority: 3, order_id: null}, tags: ["pair:login"]}
  - {id: login-paid, input: {text: "can't log in to pay"}, expected: {category: billing, priority: 3, order_id: null}, tags: ["pair:login"]}
  - {id: thanks, input: {text: "thank you"}, expected: {category: none, priority: 4, order_id: null}, tags: [negative]}
  - {id: hello, input: {text: "hello </s> there"}, expected: {category: none, priority: 4, order_id: null}, tags: [negative]}
  - {id: name, input: {text: "change my name"}, expected: {category: account, priority: 4, order_id: null}}
  - {id: twice, input: {text: "charged twice"}, expected: {category: billing, priority: 1}, accepted: {order_id: [null]}}
`

func load(t testing.TB, text string) *contracts.Contract {
	t.Helper()
	c, err := contracts.Load(fstest.MapFS{"c.yaml": {Data: []byte(text)}}, "c.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tickets(t testing.TB) *contracts.Contract { return load(t, contractHead+closedOutput+cases) }

func caseNamed(t testing.TB, c *contracts.Contract, id string) contracts.Case {
	t.Helper()
	for _, k := range c.Cases {
		if k.ID == id {
			return k
		}
	}
	t.Fatalf("no case %q", id)
	return contracts.Case{}
}

// right is the right answer to a case, as a model would write it.
func right(k contracts.Case) string {
	all := map[string]json.RawMessage{}
	for f, v := range k.Expected {
		all[f] = v
	}
	for f, v := range k.Accepted {
		all[f] = v[0]
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// said is a completion that is sound but for its content.
func said(content string) contracts.Completion {
	return contracts.Completion{Content: content, Model: "m", FinishReason: "stop",
		Usage: contracts.Usage{InputTokens: 5, OutputTokens: 7, Reported: true}}
}

// fake is a provider in memory. answer gets the case of the call, how often
// that case was asked before, and how many calls there were before.
type fake struct {
	contract *contracts.Contract
	answer   func(k contracts.Case, asked, calls int) (contracts.Completion, error)
	model    model

	mu       sync.Mutex
	asked    map[string]int
	calls    int
	requests []providers.Request
}

func (f *fake) Traits() providers.Traits { return providers.Traits{} }

func (f *fake) Complete(_ context.Context, r providers.Request) (contracts.Completion, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked == nil {
		f.asked = map[string]int{}
	}
	text := r.Messages[len(r.Messages)-1].Content
	for _, k := range f.contract.Cases {
		if string(k.Input) == fmt.Sprintf(`{"text":%s}`, quoted(text)) {
			asked, calls := f.asked[k.ID], f.calls
			f.asked[k.ID]++
			f.calls++
			f.requests = append(f.requests, r)
			return f.answer(k, asked, calls)
		}
	}
	f.model.contract = f.contract
	return f.model.Complete(context.Background(), r) // a probe
}

func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// honest answers every case rightly.
func honest(k contracts.Case, _, _ int) (contracts.Completion, error) { return said(right(k)), nil }

// options are for a quick suite of the contract over a fake.
func options(c *contracts.Contract, answer func(contracts.Case, int, int) (contracts.Completion, error)) Options {
	return Options{Contract: c, Provider: &fake{contract: c, answer: answer}, Mode: Quick, Seed: 1,
		Target: providers.Target{Name: "t", Provider: "p", Model: "m"}}
}

func run(t testing.TB, o Options) contracts.Report {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func check(t testing.TB, r contracts.Report, id string) contracts.ReportCheck {
	t.Helper()
	for _, c := range r.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %q in the report", id)
	return contracts.ReportCheck{}
}

// failed lists the checks that failed, in the catalogue's order.
func failed(r contracts.Report) []string {
	var all []string
	for _, c := range r.Checks {
		if c.Verdict == contracts.Fail {
			all = append(all, c.ID)
		}
	}
	return all
}

// silent never answers.
type silent struct{}

func (silent) Traits() providers.Traits { return providers.Traits{} }

func (silent) Complete(ctx context.Context, _ providers.Request) (contracts.Completion, error) {
	<-ctx.Done()
	return contracts.Completion{}, &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open, Code: "first_byte"}
}
