package conformance_test

import (
	"net"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"inferonce/conformance"
	"inferonce/conformance/conformancetest"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
	"inferonce/providers/sim"
)

// bench is the sample contract against a simulated provider on a loopback
// address, with the answers that come with the samples.
type bench struct {
	*sim.Server
	options conformance.Options
}

func start(t *testing.T) *bench {
	t.Helper()
	f, err := os.Open("../configs/data/banking77/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	answers, err := sim.LoadAnswers(f)
	if err != nil {
		t.Fatal(err)
	}
	s := sim.New(sim.Options{Answers: answers, Key: "k"})
	h := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); h.Close() })
	return &bench{s, optionsAt(t, sim.Client{Base: h.URL}.URL("a"))}
}

func optionsAt(t *testing.T, base string) conformance.Options {
	t.Helper()
	c, err := contracts.Load(os.DirFS("../configs/contracts"), "ticket-triage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := openaicompat.New(openaicompat.Config{BaseURL: base, APIKey: func() string { return "k" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return conformance.Options{Contract: c, Provider: p, Mode: conformance.Quick, Seed: 1, Concurrency: 4, Backoff: time.Millisecond,
		Target: providers.Target{Name: "sim-a", Provider: "sim", Model: "m"}}
}

func (b *bench) run(t *testing.T) contracts.Report {
	t.Helper()
	r, err := conformance.Run(t.Context(), b.options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func failed(r contracts.Report) []string {
	var all []string
	for _, c := range r.Checks {
		if c.Verdict == contracts.Fail {
			all = append(all, c.ID)
		}
	}
	return all
}

func TestTheSampleContractPassesQuickOnce(t *testing.T) {
	b := start(t)
	r := conformancetest.Run(t, b.options)
	if r.Totals.Runs != 3*len(b.options.Contract.Cases) || len(b.Ledger(sim.Query{})) != r.Totals.Runs {
		t.Errorf("%d calls reported, %d executed, %d cases", r.Totals.Runs, len(b.Ledger(sim.Query{})), len(b.options.Contract.Cases))
	}
}

func TestTheSampleContractPassesCertify(t *testing.T) {
	b := start(t)
	b.options.Mode = conformance.Certify
	if r := b.run(t); r.Verdict != contracts.Pass || r.Totals.Runs-r.Totals.Probes != 5*len(b.options.Contract.Cases) || r.Totals.Probes == 0 {
		t.Errorf("%s after %d calls: %v", r.Verdict, r.Totals.Runs, r.Reasons)
	}
}

func TestAFaultyProviderFailsTheCheckThatIsAboutIt(t *testing.T) {
	fenced := "```json\n{\"category\":\"card\",\"urgent\":true}\n```"
	for _, l := range []struct {
		name  string
		fault sim.Fault
		want  string
	}{
		{"a schema that is not enforced", sim.Fault{WrongSchema: true}, "STR-07"},
		{"a key that nobody declared", sim.Fault{ExtraKey: true}, "STR-03"},
		{"answers in the right form that are wrong", sim.Fault{WrongAnswer: true}, "SEM-01"},
		{"a number bomb", sim.Fault{NumberBomb: true}, "STR-05"},
		{"deep nesting", sim.Fault{Deep: true}, "STR-04"},
		{"bytes that are no text", sim.Fault{Garbage: true}, "ENV-01"},
		{"an answer that is cut", sim.Fault{Truncate: sim.CutLength}, "ENV-07"},
		{"an error inside a success", sim.Fault{ErrorIn200: true}, "ENV-02"},
		{"no choices", sim.Fault{EmptyChoices: true}, "ENV-01"},
		{"a request that is refused", sim.Fault{Status: 400}, "PAR-01"},
		{"a Markdown fence", sim.Fault{Content: &fenced}, "STR-01"},
		{"no content", sim.Fault{Content: new(string)}, "ENV-04"},
	} {
		b := start(t)
		if err := b.SetSettings("a", sim.Settings{Always: &l.fault}); err != nil {
			t.Fatal(err)
		}
		r := b.run(t)
		if r.Verdict != contracts.Fail || !slices.Contains(failed(r), l.want) {
			t.Errorf("%s: %s, failed %v, want %s", l.name, r.Verdict, failed(r), l.want)
		}
	}
}

func TestOneWrongAnswerToACriticalCaseFails(t *testing.T) {
	b := start(t)
	b.options.Cases, b.options.Concurrency = []string{"banking77-test-0446"}, 1
	if err := b.SetFaults("a", sim.Fault{}, sim.Fault{WrongAnswer: true}); err != nil {
		t.Fatal(err)
	}
	if r := b.run(t); r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"SEM-01"}) {
		t.Errorf("%s, %v", r.Verdict, failed(r))
	}
}

func TestAnOutageIsNoProofEitherWay(t *testing.T) {
	for name, l := range map[string]struct {
		fault sim.Fault
		cause string
	}{
		"refused by rate": {sim.Fault{Status: 429}, "rate_limited, status 429"},
		"overloaded":      {sim.Fault{Status: 503}, "overloaded, status 503"},
		"a bad key":       {sim.Fault{Status: 401}, "auth, status 401"},
		"a reset":         {sim.Fault{Reset: sim.AfterBody}, "connection: "},
	} {
		b := start(t)
		if err := b.SetSettings("a", sim.Settings{Always: &l.fault}); err != nil {
			t.Fatal(err)
		}
		r := b.run(t)
		if r.Verdict != contracts.Inconclusive || !strings.Contains(strings.Join(r.Reasons, "; "), l.cause) || failed(r) != nil {
			t.Errorf("%s: %s, %v", name, r.Verdict, r.Reasons)
		}
	}
}

func TestAProviderThatCanNotBeReachedIsNamedAsSuch(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String() + "/v1"
	l.Close()
	o := optionsAt(t, base)
	o.Concurrency = 1 // so that no call is taken back when the suite gives up
	r, err := conformance.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != contracts.Inconclusive || !strings.Contains(strings.Join(r.Reasons, "; "), "connection: refused") || r.Totals.Runs != r.Totals.Infra {
		t.Errorf("%s, %v, %+v", r.Verdict, r.Reasons, r.Totals)
	}
}
