package conformance_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
	"inferonce/providers/sim"
)

func replay(r conformance.RecordedAnswer) (contracts.Completion, error) {
	h := http.Header{}
	for k, v := range r.Header {
		h.Set(k, v)
	}
	return openaicompat.Replay(r.Status, h, []byte(r.Body))
}

// answering is a provider whose every call ends in one way.
type answering struct{ err *contracts.Failure }

func (answering) Traits() providers.Traits { return providers.Traits{} }

func (a answering) Complete(context.Context, providers.Request) (contracts.Completion, error) {
	if a.err == nil {
		return contracts.Completion{Content: "{}", Model: "m", FinishReason: "stop"}, nil
	}
	return contracts.Completion{}, a.err
}

func failure(class contracts.Class, effect contracts.Effect) *contracts.Failure {
	return &contracts.Failure{Class: class, Effect: effect}
}

func certified(t *testing.T, change func(*conformance.Options)) contracts.Report {
	t.Helper()
	b := start(t)
	b.options.Mode, b.options.KeepGoing = conformance.Certify, true
	change(&b.options)
	return b.run(t)
}

// weighing leaves out what is only recorded: the simulator ignores the bound on
// tokens and the temperature.
func weighing(r contracts.Report) []string {
	var all []string
	for _, c := range r.Checks {
		if weighs := c.Class == string(conformance.Hard) || c.Class == string(conformance.Statistical); weighs && c.Verdict == contracts.Fail {
			all = append(all, c.ID)
		}
	}
	return all
}

// verdictOf is the verdict on one check.
func verdictOf(r contracts.Report, id string) contracts.Verdict {
	i := slices.IndexFunc(r.Checks, func(c contracts.ReportCheck) bool { return c.ID == id })
	return r.Checks[i].Verdict
}

func TestARequestThatHasToFailIsToldForWhatItIs(t *testing.T) {
	right := map[conformance.Kind]*contracts.Failure{
		conformance.WrongKey: failure(contracts.Auth, contracts.None), conformance.WrongModel: failure(contracts.NotFound, contracts.None),
		conformance.OverLong: failure(contracts.ContextLength, contracts.None), conformance.BadParameter: failure(contracts.InvalidRequest, contracts.None),
	}
	ids := map[conformance.Kind]string{conformance.WrongKey: "ERR-01", conformance.WrongModel: "ERR-02", conformance.OverLong: "ERR-03", conformance.BadParameter: "ERR-04"}
	honest := certified(t, func(o *conformance.Options) {
		o.Variant = func(k conformance.Kind) providers.Provider { return answering{right[k]} }
	})
	if len(weighing(honest)) > 0 || honest.Verdict != contracts.Pass || verdictOf(honest, "ERR-03") != contracts.Pass {
		t.Fatalf("an honest target: %s, %v %v", honest.Verdict, weighing(honest), honest.Reasons)
	}
	for kind, id := range ids {
		for name, l := range map[string]struct {
			answer *contracts.Failure
			want   contracts.Verdict
		}{
			"a success":                 {nil, contracts.Fail},
			"another class":             {failure(contracts.BadResponse, contracts.Ended), contracts.Fail},
			"the class, perhaps run":    {failure(right[kind].Class, contracts.Open), contracts.Fail},
			"a way that is blocked":     {failure(contracts.Overloaded, contracts.None), contracts.Inconclusive},
			"no client for the request": {failure("none", ""), contracts.NotApplicable},
		} {
			r := certified(t, func(o *conformance.Options) {
				o.Variant = func(k conformance.Kind) providers.Provider {
					switch {
					case k != kind:
						return answering{right[k]}
					case l.want == contracts.NotApplicable:
						return nil
					}
					return answering{l.answer}
				}
			})
			if got := verdictOf(r, id); got != l.want || l.want == contracts.Fail && !slices.Equal(weighing(r), []string{id}) {
				t.Errorf("%s, %s: %s, failed %v; want %s", id, name, got, weighing(r), l.want)
			}
			if l.want == contracts.Inconclusive && (r.Verdict != contracts.Inconclusive || !strings.Contains(strings.Join(r.Reasons, " "), id)) {
				t.Errorf("%s, %s: the whole is %s, %v", id, name, r.Verdict, r.Reasons)
			}
		}
	}
}

// The adapter reads every recording for what it is; readers that misread one kind
// of answer fail the check about it, and no other.
func TestRecordedFailuresAreReadThroughTheAdapter(t *testing.T) {
	is := func(class contracts.Class) func(conformance.RecordedAnswer) bool {
		return func(r conformance.RecordedAnswer) bool {
			_, err := replay(r)
			return err.(*contracts.Failure).Class == class
		}
	}
	for _, l := range []struct {
		name   string
		spoil  func(conformance.RecordedAnswer) bool
		answer error
		want   []string
	}{
		{"an honest reader", func(conformance.RecordedAnswer) bool { return false }, nil, nil},
		{"refusals by rate taken for errors of the request", is(contracts.RateLimited), failure(contracts.InvalidRequest, contracts.None), []string{"ERR-05"}},
		{"no money taken for a refusal by rate", is(contracts.QuotaExhausted), failure(contracts.RateLimited, contracts.None), []string{"ERR-06"}},
		{"overload taken for garbage", is(contracts.Overloaded), failure(contracts.BadResponse, contracts.Ended), []string{"ERR-08"}},
		{"garbage taken for a success", is(contracts.BadResponse), nil, []string{"ERR-09"}},
		{"a filter taken for garbage", is(contracts.ContentFiltered), failure(contracts.BadResponse, contracts.Ended), []string{"ERR-10"}},
	} {
		r := certified(t, func(o *conformance.Options) {
			o.ReadRecorded = func(rec conformance.RecordedAnswer) (contracts.Completion, error) {
				if l.spoil(rec) {
					return contracts.Completion{}, l.answer
				}
				return replay(rec)
			}
		})
		if !slices.Equal(weighing(r), l.want) {
			t.Errorf("%s: failed %v, want %v; %v", l.name, weighing(r), l.want, r.Reasons)
		}
	}
	crash := certified(t, func(o *conformance.Options) {
		o.ReadRecorded = func(conformance.RecordedAnswer) (contracts.Completion, error) { panic("garbage") }
	})
	if !slices.Equal(weighing(crash), []string{"ERR-05", "ERR-06", "ERR-08", "ERR-09", "ERR-10"}) {
		t.Errorf("a reader that crashes: %v", weighing(crash))
	}
	if r := certified(t, func(*conformance.Options) {}); verdictOf(r, "ERR-05") != contracts.NotApplicable {
		t.Error("without a reader ERR-05 is said to be proved")
	}
}

// The payloads are the smallest ones of deviations that users of providers
// reported, as whole bodies of chat completions.
func TestReportedDeviationsYieldTheirCheck(t *testing.T) {
	b := start(t)
	k := b.options.Contract.Cases[0]
	answer := string(k.Expected["category"])
	urgent := string(k.Expected["urgent"])
	good := `{"category":` + answer + `,"urgent":` + urgent + `}`
	body := func(content string) string { return envelope(`"content":`+quoteJSON(content), `"stop"`, "m") }
	type row struct {
		name   string
		status int
		body   string
		want   string // "" passes, "infra" says nothing
	}
	for _, l := range []row{
		{"1 an invented member", 200, body(good[:len(good)-1] + `,"sentiment":"angry"}`), "STR-03"},
		{"2 a fence", 200, body("```json\n" + good + "\n```"), "STR-01"},
		{"3 prose behind", 200, body(good + "\n\nNote: I chose it."), "STR-01"},
		{"4 a second object", 200, body(good + "\n" + good), "STR-01"},
		{"5 reasoning in the content", 200, body("<think>twice…</think>" + good), "STR-01"},
		{"5 reasoning inside a string", 200, body(`{"category":"<think>x</think>card","urgent":false}`), "STR-08"},
		{"6 the answer in the reasoning field", 200, envelope(`"content":null,"reasoning_content":`+quoteJSON(good), `"stop"`, "m"), "ENV-04"},
		{"7 a boolean as text", 200, body(`{"category":` + answer + `,"urgent":"` + urgent + `"}`), "STR-04"},
		{"8 text as a number", 200, body(`{"category":7,"urgent":` + urgent + `}`), "STR-04"},
		{"11 null where a value was wanted", 200, body(`{"category":null,"urgent":` + urgent + `}`), "STR-06"},
		{"11 a missing member", 200, body(`{"category":` + answer + `}`), "STR-06"},
		{"12 another case of a listed value", 200, body(`{"category":"Card","urgent":` + urgent + `}`), "STR-07"},
		{"13 a keyword that is refused", 400, `{"error":{"message":"Unknown name \"const\""}}`, "PAR-01"},
		{"15 JSON mode that wants a word", 400, `{"error":{"message":"'messages' must contain the word 'json'"}}`, "PAR-01"},
		{"16 an answer that the server refuses", 400, `{"error":{"code":"json_validate_failed","message":"x","failed_generation":"{}"}}`, "ENV-02"},
		{"17 a model without JSON mode", 400, `{"error":{"message":"the model does not support Json Output"}}`, "PAR-01"},
		{"18 white space up to the bound", 200, envelope(`"content":`+quoteJSON(`{"category":"card",`+strings.Repeat("\n", 99)), `"length"`, "m"), "ENV-07"},
		{"18 white space inside", 200, body(strings.ReplaceAll(good, ",", strings.Repeat("\n", 60)+",")), "STR-09"},
		{"19 an answer that is cut", 200, body(good[:16]), "STR-01"},
		{"20 a budget that thinking ate", 200, envelope(`"content":""`, `"length"`, "m"), "ENV-07"},
		{"22 roles that must alternate", 400, `{"error":{"message":"Conversation roles must alternate"}}`, "PAR-01"},
		{"23 a role that is refused without a body", 422, "", "PAR-01"},
		{"29 a temperature that is refused", 400, `{"error":{"message":"invalid temperature: only 1 is allowed"}}`, "PAR-01"},
		{"30 a bound on tokens that is refused", 400, `{"error":{"param":"max_tokens","code":"unsupported_parameter","message":"x"}}`, "PAR-01"},
		{"35 an unknown finish reason", 200, envelope(`"content":`+quoteJSON(good), `"eos"`, "m"), "ENV-03"},
		{"35 an error as finish reason", 200, envelope(`"content":"{\"ev"`, `"error"`, "m"), "ENV-03"},
		{"35 tool calls that nobody offered", 200, envelope(`"content":`+quoteJSON(good), `"tool_calls"`, "m"), "ENV-03"},
		{"42 a filter without content", 200, envelope(`"refusal":null`, `"content_filter"`, "m"), "ENV-08"},
		{"42 a filter as a refusal", 400, `{"error":{"message":"filtered","code":"content_filter"}}`, "ENV-08"},
		{"45 an error inside a success", 200, `{"error":{"code":500,"message":"x"}}`, "ENV-02"},
		{"46 no money", 429, `{"error":{"code":"insufficient_quota","message":"x"}}`, "infra"},
		{"47 another model", 200, envelope(`"content":`+quoteJSON(good), `"stop"`, "other/model"), "ENV-06"},
		{"48 an escape that was escaped twice", 200, body(`{"category":"\\u7ed3","urgent":false}`), "STR-08"},
		{"48 a replacement character", 200, body("{\"category\":\"\ufffd\",\"urgent\":false}"), "STR-08"},
		{"the right answer", 200, body(good), ""},
		{"the right answer, members exchanged", 200, body(`{"urgent":` + urgent + `,"category":` + answer + `}`), ""},
		{"the right answer, pretty", 200, body(strings.ReplaceAll(good, ",", ",\n  ")), ""},
	} {
		got, err := openaicompat.Replay(l.status, http.Header{}, []byte(l.body))
		r := conformance.NewJudge(b.options.Contract, "m").Classify(k, got, err)
		if l.want == "infra" && !r.Infra || l.want != "infra" && (r.Infra || r.Check != l.want || r.Passed() != (l.want == "")) {
			t.Errorf("%s: check %q, infra %v (%s), want %q", l.name, r.Check, r.Infra, r.Message, l.want)
		}
	}
}

func envelope(message, finish, model string) string {
	return `{"id":"x","model":"` + model + `","choices":[{"index":0,"finish_reason":` + finish + `,"message":{"role":"assistant",` + message +
		`}}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`
}

// A simulator can't repeat a code, so a contract that wants its prompt proved
// fails there, for the first thing that was not shown.
func TestRenderingIsProvedUnlessTheContractSaysThatItCanNot(t *testing.T) {
	b := start(t)
	b.options.Mode = conformance.Certify
	if r := b.run(t); r.Verdict != contracts.Pass || verdictOf(r, "REN-01") != contracts.NotApplicable {
		t.Errorf("declared: %s, REN-01 %s", r.Verdict, verdictOf(r, "REN-01"))
	}
	b.options.Contract = undeclared(t)
	if r := b.run(t); r.Verdict != contracts.Fail || !slices.Equal(weighing(r), []string{"REN-01"}) || len(b.Ledger(sim.Query{})) == 0 {
		t.Errorf("not declared: %s, failed %v", r.Verdict, weighing(r))
	}
}
