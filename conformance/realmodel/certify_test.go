//go:build realmodel

package realmodel

import (
	"slices"
	"strings"
	"testing"

	"inferonce/conformance"
	"inferonce/contracts"
)

// form are the checks of an answer's form that no model breaks under a grammar.
var form = []string{"STR-01", "STR-02", "STR-03", "STR-04", "STR-05", "STR-06", "STR-07"}

func certify(t *testing.T, s *server, c *contracts.Contract) contracts.Report {
	t.Helper()
	r, err := conformance.Run(t.Context(), conformance.Options{Target: s.target(), Provider: s.provider(t, s.key), Contract: c,
		Mode: conformance.Certify, Concurrency: 4, KeepGoing: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sem := check(t, r, "SEM-01")
	t.Logf("%s for %s: %s; right in %d of %d runs, bound %.3f; %s", s.model, c.Ref(), r.Verdict, sem.OK, sem.N, sem.Bound, sem.Detail)
	if want := 5 * len(c.Cases); r.Totals.Runs != want || r.Totals.Infra != 0 || r.Stopped != "" {
		t.Fatalf("%+v, %s; want %d runs and none blocked", r.Totals, r.Stopped, want)
	}
	if r.Totals.Usage.InputTokens == 0 || r.Totals.Usage.OutputTokens == 0 {
		t.Errorf("no tokens were counted: %+v", r.Totals.Usage)
	}
	return r
}

func check(t *testing.T, r contracts.Report, id string) contracts.ReportCheck {
	t.Helper()
	i := slices.IndexFunc(r.Checks, func(c contracts.ReportCheck) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("the report has no %s", id)
	}
	return r.Checks[i]
}

func failed(r contracts.Report) []string {
	var ids []string
	for _, c := range r.Checks {
		if c.Verdict == contracts.Fail {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func wantForm(t *testing.T, r contracts.Report) {
	t.Helper()
	for _, id := range form {
		if c := check(t, r, id); c.Verdict != contracts.Pass || c.N != r.Totals.Runs || c.OK != c.N {
			t.Errorf("%s: %+v; want it to hold in every run", id, c)
		}
	}
}

func TestTheContractOfTheTrainedModelLintsClean(t *testing.T) {
	for _, f := range contracts.Lint(bulk(t)) {
		t.Error(f.Error())
	}
}

func TestTheTrainedModelIsCertified(t *testing.T) {
	t.Parallel()
	c := bulk(t)
	r := certify(t, start(t, "triage"), c)
	wantForm(t, r)
	if sem := check(t, r, "SEM-01"); r.Verdict != contracts.Pass || len(failed(r)) > 0 || sem.Bound < c.MinSuccess {
		t.Errorf("%s, %v, failed %v; want a pass", r.Verdict, r.Reasons, failed(r))
	}
	if !slices.Equal(r.Model.Served, []string{"triage"}) {
		t.Errorf("served by %v", r.Model.Served)
	}
}

// The trained model is right often, and wrong about two of the messages that
// must never be got wrong. For the contract that says so it is no fallback.
func TestTheTrainedModelIsRefusedWhereItMissesACriticalCase(t *testing.T) {
	t.Parallel()
	r := certify(t, start(t, "triage"), strict(t))
	wantForm(t, r)
	sem := check(t, r, "SEM-01")
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"SEM-01"}) || !strings.Contains(sem.Detail, "critical case") {
		t.Errorf("%s, failed %v, %s", r.Verdict, failed(r), sem.Detail)
	}
}

func TestOnlyMeaningTellsAModelThatDriftedOrKnowsNothing(t *testing.T) {
	for _, model := range []string{"drifted", "random"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			r := certify(t, start(t, model), bulk(t))
			wantForm(t, r)
			if ids := failed(r); r.Verdict != contracts.Fail || !slices.Contains(ids, "SEM-01") && !slices.Contains(ids, "SEM-08") {
				t.Errorf("%s, failed %v; want SEM-01 or SEM-08 among them", r.Verdict, ids)
			}
			for _, id := range failed(r) {
				if !strings.HasPrefix(id, "SEM-") {
					t.Errorf("%s failed too: %s", id, check(t, r, id).Detail)
				}
			}
		})
	}
}
