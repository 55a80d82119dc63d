package conformance

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"testing/synctest"

	"inferonce/contracts"
)

const secret = "canary-answer-4471"

// steady answers each case the same way each time, one of them wrongly.
func steady(k contracts.Case, _, _ int) (contracts.Completion, error) {
	if k.ID == "twice" {
		return contracts.Completion{}, &contracts.Failure{Class: contracts.Truncated, Effect: contracts.Ended, Code: "cut"}
	}
	return honest(k, 0, 0)
}

// leaky answers one case with the secret in the right form, and fails another
// call with the secret in the provider's own words.
func leaky(k contracts.Case, asked, calls int) (contracts.Completion, error) {
	switch {
	case k.ID == "name":
		return said(`{"category":"account","priority":4,"order_id":"` + secret + `"}`), nil
	case k.ID == "twice" && asked == 0:
		return contracts.Completion{}, &contracts.Failure{Class: contracts.Truncated, Effect: contracts.Ended, Code: "cut", Detail: secret}
	}
	return honest(k, asked, calls)
}

func leakyReport(t *testing.T, store bool) contracts.Report {
	o := options(tickets(t), leaky)
	o.KeepGoing, o.StoreContent = true, store
	return run(t, o)
}

// texts are the report in every format.
func texts(t *testing.T, r contracts.Report) map[string]string {
	t.Helper()
	raw, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var summary, junit bytes.Buffer
	if err := Summary(&summary, r); err != nil {
		t.Fatal(err)
	}
	if err := JUnit(&junit, r); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"json": string(raw), "summary": summary.String(), "junit": junit.String()}
}

func TestAnswersAreInAReportOnlyIfTheyAreAskedFor(t *testing.T) {
	for name, text := range texts(t, leakyReport(t, false)) {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds the answer", name)
		}
		if !strings.Contains(text, "/order_id") || !strings.Contains(text, "must be null") {
			t.Errorf("%s does not say where and what was wanted", name)
		}
	}
	for name, text := range texts(t, leakyReport(t, true)) {
		if !strings.Contains(text, secret) {
			t.Errorf("%s lacks the answer", name)
		}
	}
}

func TestAReportSurvivesItsEncoding(t *testing.T) {
	r := leakyReport(t, false)
	raw, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var back contracts.Report
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&back); err != nil {
		t.Fatal(err)
	}
	again, err := Encode(back)
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("%v\n%s\nbecame\n%s", err, raw, again)
	}
	if back.Verdict != contracts.Fail || len(back.Checks) != len(Catalog()) || len(back.Cases) != 8 {
		t.Errorf("%s, %d checks, %d cases", back.Verdict, len(back.Checks), len(back.Cases))
	}
}

// Only the id may differ between two suites that met the same answers at the
// same time in the same order.
func TestTheSameAnswersGiveTheSameReport(t *testing.T) {
	encoded := func() (raw []byte) {
		synctest.Test(t, func(t *testing.T) {
			o := options(tickets(t), steady)
			o.KeepGoing, o.Concurrency = true, 4
			r := run(t, o)
			r.ID = ""
			var err error
			if raw, err = Encode(r); err != nil {
				t.Fatal(err)
			}
		})
		return raw
	}
	if a, b := encoded(), encoded(); !bytes.Equal(a, b) {
		t.Errorf("%s\nand\n%s", a, b)
	}
}

func TestEmptyListsAreListsInJSON(t *testing.T) {
	raw, err := Encode(run(t, options(load(t, contractHead+closedOutput), honest)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"served": []`, `"cases": []`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is not in %s", want, raw)
		}
	}
}

func TestTheSummaryHasALineForEachCheckAndTheVerdictLast(t *testing.T) {
	text := texts(t, leakyReport(t, false))["summary"]
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if lines[len(lines)-1] != "verdict: fail" {
		t.Errorf("last line %q", lines[len(lines)-1])
	}
	for _, c := range Catalog() {
		n := 0
		for _, l := range lines {
			if len(l) > 12 && strings.HasPrefix(l[6:], c.ID+" ") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s stands in %d lines of\n%s", c.ID, n, text)
		}
	}
	for _, want := range []string{"FAIL  SEM-01 S", "20/23", "case name: 3 of 3 runs fail; first SEM-01", "FAIL  ENV-07 H    23/24"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestAModelCanNotSteerTheTerminal(t *testing.T) {
	o := options(tickets(t), func(contracts.Case, int, int) (contracts.Completion, error) {
		return said("\x1b[2Jverdict: pass\nverdict: pass\u202e"), nil
	})
	o.StoreContent = true
	text := texts(t, run(t, o))["summary"]
	if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\nverdict: pass") || !strings.Contains(text, `\x1b[2J`) {
		t.Errorf("%q", text)
	}
}

func TestJUnitCountsWhatItHolds(t *testing.T) {
	var doc struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	r := leakyReport(t, true)
	if err := xml.Unmarshal([]byte(texts(t, r)["junit"]), &doc); err != nil {
		t.Fatal(err)
	}
	s := doc.Suites[0]
	var failures, errs, skipped int
	for _, c := range s.Cases {
		failures += b2i(c.Failure != nil)
		errs += b2i(c.Error != nil)
		skipped += b2i(c.Skipped != nil)
	}
	// Failing: ENV-07 and SEM-01, two cases, the verdict.
	if s.Tests != len(Catalog())+8+1 || len(s.Cases) != s.Tests || s.Failures != 5 || failures != 5 || s.Errors != errs || s.Skipped != skipped {
		t.Errorf("%d tests of %d, %d/%d failures, %d/%d errors, %d/%d skipped", len(s.Cases), s.Tests, failures, s.Failures, errs, s.Errors, skipped, s.Skipped)
	}
	if want := "p/m@tickets:" + strings.TrimPrefix(r.Contract.Digest, "sha256:")[:12]; s.Name != want {
		t.Errorf("name %q, want %q", s.Name, want)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestJUnitIsNotGreenWithoutAProof(t *testing.T) {
	text := texts(t, run(t, options(load(t, contractHead+closedOutput), honest)))["junit"]
	if !strings.Contains(text, "<error") || strings.Contains(text, `errors="0"`) {
		t.Errorf("%s", text)
	}
}

func TestJUnitIsGreenWhereARuleForgives(t *testing.T) {
	r := run(t, options(many(t, 8), lapse(wrong, func(id string, asked int) bool { return id == "c05" && asked == 0 })))
	text := texts(t, r)["junit"]
	if r.Verdict != contracts.Pass || strings.Contains(text, "<failure") || !strings.Contains(text, "1 of 3 runs fail") {
		t.Errorf("%s: %s", r.Verdict, text)
	}
}
