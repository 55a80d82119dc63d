package conformance

import (
	"maps"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func quickOptions(t *testing.T, m *model) Options {
	o := deskOptions(t, m, "")
	o.Mode = Quick
	return o
}

// answersOf are the hashes of a report by case.
func answersOf(r contracts.Report) map[string]string {
	all := maps.Clone(r.Model.Fingerprint)
	maps.DeleteFunc(all, func(name, _ string) bool { return !strings.HasPrefix(name, "answer_") })
	return all
}

func TestEveryRunHashesItsAnswersToTenFixedPrompts(t *testing.T) {
	certified := run(t, deskOptions(t, &model{}, ""))
	quick := run(t, quickOptions(t, &model{}))
	if n := len(answersOf(certified)); n != 10 || !maps.Equal(answersOf(certified), answersOf(quick)) {
		t.Errorf("%v by certify, %v by quick; want the same ten", answersOf(certified), answersOf(quick))
	}
	if quick.Totals.Runs != 60 || quick.Totals.Probes != 0 || quick.Model.Fingerprint["token_slope"] != "" {
		t.Errorf("quick costs more than its cases: %+v, %v", quick.Totals, quick.Model.Fingerprint)
	}
	raw, err := Encode(certified)
	if err != nil || strings.Contains(string(raw), `\"category\":`) {
		t.Errorf("%v: the report holds an answer", err)
	}
	m := &model{wrongs: func(k contracts.Case, _ string) string {
		if k.ID == "c03" {
			return `{"category":"none","priority":1,"order_id":"Z99"}`
		}
		return ""
	}}
	var changed []string
	other := run(t, quickOptions(t, m))
	for name, hash := range answersOf(other) {
		if hash != answersOf(quick)[name] {
			changed = append(changed, name)
		}
	}
	if len(changed) != 1 || changed[0] != "answer_c03" {
		t.Errorf("changed %v", changed)
	}
}

func TestAnAnswerThatVariesIsNoFingerprint(t *testing.T) {
	calls := 0
	m := &model{back: func(_ providers.Request, c *contracts.Completion) {
		if strings.Contains(c.Content, `"A02"`) {
			if calls++; calls == 2 {
				c.Content = strings.Replace(c.Content, `"A02"`, `"A07"`, 1)
			}
		}
	}}
	if got := answersOf(run(t, quickOptions(t, m))); len(got) != 9 || got["answer_c02"] != "" {
		t.Errorf("%v", got)
	}
}

func TestAQuickRunThatRecognisesCountsOnceAndWhereThatIsElsewhereFiveTimes(t *testing.T) {
	base := BaselineOf(run(t, deskOptions(t, &model{}, "")))
	for _, row := range []struct {
		name   string
		probes int // whose prompts count ten tokens more, of all
		calls  int
		moved  int // of the counts
	}{
		{"as before", 0, 4, 0},
		{"one odd count", 4, 20, 1},
		{"another template", 20, 20, 5},
	} {
		asked := 0
		m := &model{back: func(r providers.Request, c *contracts.Completion) {
			if r.SchemaName == probeName {
				if asked++; asked <= row.probes {
					c.Usage.InputTokens += 10
				}
			}
		}}
		o := quickOptions(t, m)
		o.Recognise, o.Baseline = true, base
		r := run(t, o)
		moved := 0
		for _, suffix := range []string{"", "_2", "_3", "_4", "_5"} {
			values := map[string]string{"token_intercept": r.Model.Fingerprint["token_intercept"+suffix], "token_slope": r.Model.Fingerprint["token_slope"+suffix]}
			if c := BaselineOf(contracts.Report{Model: contracts.ReportModel{Fingerprint: values}}); c != nil && c.Moved(*base) {
				moved++
			}
		}
		if r.Totals.Probes != row.calls || moved != row.moved || r.Verdict != contracts.Pass || len(answersOf(r)) != 10 {
			t.Errorf("%s: %s, %d calls beside the cases, %d counts moved; want %d and %d", row.name, r.Verdict, r.Totals.Probes, moved, row.calls, row.moved)
		}
	}
}

func TestAReportNamesWhoAnswered(t *testing.T) {
	n := 0
	m := &model{back: func(_ providers.Request, c *contracts.Completion) {
		n++
		c.SystemFingerprint = []string{"fp_b", "fp_a", ""}[n%3]
	}}
	o := quickOptions(t, m)
	o.BaseHost, o.Target.Profile = "http://gpu:8080", "sha256:p"
	r := run(t, o)
	if got := strings.Join(r.Model.SystemFingerprints, " "); got != "fp_a fp_b" || r.BaseHost != "http://gpu:8080" || r.ProfileDigest != "sha256:p" || r.Gone {
		t.Errorf("%q, %+v", got, r)
	}
}

func TestAModelThatIsGoneIsSaidSo(t *testing.T) {
	for detail, want := range map[string]bool{"The model `m` does not exist": true, "404 page not found": false} {
		c := tickets(t)
		o := options(c, failing(contracts.Failure{Class: contracts.NotFound, Status: 404, Detail: detail}, always))
		if r := run(t, o); r.Verdict != contracts.Inconclusive || r.Gone != want {
			t.Errorf("%q: %s, gone %t", detail, r.Verdict, r.Gone)
		}
	}
}
