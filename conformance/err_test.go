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

// deaf is a provider whose model does not know what its prompt says.
type deaf struct{ providers.Provider }

func (d deaf) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	r.SchemaName = "answer" // so that the simulator takes no question for one about its prompt
	return d.Provider.Complete(ctx, r)
}

// What can't be shown fails, for the first thing that was not, unless the contract
// says why no model of its kind could show it.
func TestRenderingIsProvedUnlessTheContractSaysThatItCanNot(t *testing.T) {
	b := start(t)
	b.options.Mode = conformance.Certify
	if r := b.run(t); r.Verdict != contracts.Pass || verdictOf(r, "REN-01") != contracts.Pass || verdictOf(r, "REN-07") != contracts.Pass {
		t.Errorf("a model that reads: %s, REN-01 %s, %v", r.Verdict, verdictOf(r, "REN-01"), r.Reasons)
	}
	b.options.Provider = deaf{b.options.Provider}
	if r := b.run(t); r.Verdict != contracts.Fail || !slices.Equal(weighing(r), []string{"REN-01"}) {
		t.Errorf("one that does not: %s, failed %v", r.Verdict, weighing(r))
	}
	b.options.Contract = declared(t)
	if r := b.run(t); r.Verdict != contracts.Pass || verdictOf(r, "REN-01") != contracts.NotApplicable {
		t.Errorf("declared: %s, REN-01 %s, %v", r.Verdict, verdictOf(r, "REN-01"), r.Reasons)
	}
}
