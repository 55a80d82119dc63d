package conformance_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
	"inferonce/providers/sim"
)

// proofs are the sample contracts with the right answers to their cases, which
// come from the data set and not from any run of ours.
var proofs = []struct {
	contract, answers string
}{
	{"ticket-triage", "banking77"},
	{"receipt-extraction", "sroie"},
	{"booking-slots", "nlupp"},
	{"comment-moderation", "moderation"},
	{"assistant-tools", "bfcl"},
}

// certify runs a sample contract against a provider that knows the answers.
func certify(t *testing.T, contract string, answers []byte) contracts.Report {
	t.Helper()
	known, err := sim.LoadAnswers(bytes.NewReader(answers))
	if err != nil {
		t.Fatal(err)
	}
	s := sim.New(sim.Options{Answers: known})
	h := httptest.NewServer(s)
	defer h.Close()
	defer s.Close()
	c := sample(t, contract)
	p, err := openaicompat.New(openaicompat.Config{BaseURL: sim.Client{Base: h.URL}.URL("a")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := conformance.Run(t.Context(), conformance.Options{Contract: c, Provider: conformance.Echoing(c, p), Mode: conformance.Certify, Seed: 1, Concurrency: 4,
		KeepGoing: true, Backoff: time.Millisecond, Target: providers.Target{Name: "sim-a", Provider: "sim", Model: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sample(t *testing.T, contract string) *contracts.Contract {
	t.Helper()
	c, err := contracts.Load(os.DirFS("../configs/contracts"), contract+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answersOf(t *testing.T, set string) []byte {
	t.Helper()
	raw, err := os.ReadFile("../configs/data/" + set + "/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestEverySampleContractIsCertifiedByTheDataOfItsCases(t *testing.T) {
	for _, p := range proofs {
		r := certify(t, p.contract, answersOf(t, p.answers))
		if r.Verdict != contracts.Pass || r.Totals.Infra != 0 || len(weighing(r)) > 0 {
			t.Errorf("%s: %s %v %v", p.contract, r.Verdict, failed(r), r.Reasons)
		}
	}
}

func TestEverySampleCanBePutToOpenAI(t *testing.T) {
	for _, p := range proofs {
		c, err := contracts.Load(os.DirFS("../configs/contracts"), p.contract+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if got := conformance.Project(c.OutputSchema(), conformance.OpenAIStrict()); len(c.Tools) == 0 && got.Refused != nil {
			t.Errorf("%s: %v", p.contract, got.Refused)
		}
	}
}

// swapped gives every text the answer of the next one that has another: a model
// whose every answer has the right form and is wrong.
func swapped(t *testing.T, raw []byte) []byte {
	t.Helper()
	type line struct {
		Text   string          `json:"text"`
		Output json.RawMessage `json:"output"`
	}
	var lines []line
	in := bufio.NewScanner(bytes.NewReader(raw))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	var out bytes.Buffer
	for i, l := range lines {
		for step := range lines {
			if other := lines[(i+1+step)%len(lines)].Output; !bytes.Equal(other, l.Output) {
				l.Output = other
				break
			}
		}
		if err := json.NewEncoder(&out).Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestAnswersThatAreWellFormedAndWrongFailEverySample(t *testing.T) {
	for _, p := range proofs {
		r := certify(t, p.contract, swapped(t, answersOf(t, p.answers)))
		if got := failed(r); r.Verdict != contracts.Fail || !slices.Contains(got, "SEM-01") {
			t.Errorf("%s: %s %v", p.contract, r.Verdict, got)
		}
	}
}

func TestOneWrongArgumentInEveryCallFailsItsOwnCheck(t *testing.T) {
	raw := bytes.ReplaceAll(answersOf(t, "bfcl"), []byte(`"celsius"`), []byte(`"fahrenheit"`))
	r := certify(t, "assistant-tools", raw)
	if got := failed(r); r.Verdict != contracts.Fail || !slices.Contains(got, "TOOL-04") || !slices.Contains(got, "SEM-01") || slices.Contains(got, "TOOL-03") {
		t.Errorf("%s %v", r.Verdict, got)
	}
}

func TestACallWhereNoToolServesFailsItsOwnCheck(t *testing.T) {
	raw := bytes.ReplaceAll(answersOf(t, "bfcl"), []byte(`{"calls": []}`), []byte(`{"calls":[{"name":"math_gcd","arguments":{"num1":1,"num2":2}}]}`))
	r := certify(t, "assistant-tools", raw)
	if got := failed(r); r.Verdict != contracts.Fail || !slices.Contains(got, "TOOL-05") {
		t.Errorf("%s %v", r.Verdict, got)
	}
}
