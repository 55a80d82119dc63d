package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
)

// many is a contract of n cases that alternate between three categories; the
// first two are critical.
func many(t testing.TB, n int) *contracts.Contract {
	var b strings.Builder
	b.WriteString("cases:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: c%02d, input: {text: \"ticket %02d\"}, expected: {category: %s, priority: 1, order_id: null}, critical: %v}\n",
			i, i, []string{"billing", "account", "none"}[i%3], i < 2)
	}
	return load(t, contractHead+closedOutput+b.String())
}

// wrong is an answer in the right form that no case of many wants.
const wrong = `{"category":"bug_report","priority":1,"order_id":null}`

// lapse answers with content instead where the case and the count say so.
func lapse(content string, when func(id string, asked int) bool) answer {
	return func(k contracts.Case, asked, calls int) (contracts.Completion, error) {
		if when(k.ID, asked) {
			return said(content), nil
		}
		return honest(k, asked, calls)
	}
}

func certify(c *contracts.Contract, a answer) Options {
	o := options(c, a)
	o.Mode = Certify
	return o
}

func TestQuickForgivesOneOfThreeWhereNothingIsCritical(t *testing.T) {
	c := many(t, 8)
	for _, l := range []struct {
		name string
		when func(id string, asked int) bool
		want contracts.Verdict
	}{
		{"one wrong answer to each ordinary case", func(id string, asked int) bool { return id > "c01" && asked == 1 }, contracts.Pass},
		{"two wrong answers to one ordinary case", func(id string, asked int) bool { return id == "c05" && asked > 0 }, contracts.Fail},
		{"one wrong answer to a critical case", func(id string, asked int) bool { return id == "c00" && asked == 2 }, contracts.Fail},
	} {
		r := run(t, options(c, lapse(wrong, l.when)))
		if r.Verdict != l.want || r.Totals.Runs != 24 || check(t, r, "SEM-01").Verdict != l.want {
			t.Errorf("%s: %s after %d calls, %v", l.name, r.Verdict, r.Totals.Runs, r.Reasons)
		}
	}
}

func TestQuickForgivesNoBrokenForm(t *testing.T) {
	r := run(t, options(many(t, 8), lapse("{}", func(id string, asked int) bool { return id == "c07" && asked == 2 })))
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"STR-06"}) {
		t.Errorf("%s, %v", r.Verdict, failed(r))
	}
}

func TestCertifyAsksForNinetySixOfAHundred(t *testing.T) {
	c := many(t, 20)
	for wrongAnswers, want := range map[int]contracts.Verdict{0: contracts.Pass, 4: contracts.Pass, 5: contracts.Fail} {
		ids := []string{"c02", "c03", "c04", "c05", "c06"}[:wrongAnswers]
		r := run(t, certify(c, lapse(wrong, func(id string, asked int) bool { return slices.Contains(ids, id) && asked == 0 })))
		sem := check(t, r, "SEM-01")
		if r.Verdict != want || sem.N != 100 || sem.OK != 100-wrongAnswers || sem.Bound != LowerBound(sem.OK, 100) {
			t.Errorf("%d wrong: %s, %+v", wrongAnswers, r.Verdict, sem)
		}
	}
}

func TestCertifyForgivesNoCriticalCaseAndNoCaseThatAlwaysFails(t *testing.T) {
	c := many(t, 40)
	for name, when := range map[string]func(id string, asked int) bool{
		"one critical": func(id string, asked int) bool { return id == "c01" && asked == 4 },
		"one case":     func(id string, _ int) bool { return id == "c30" },
	} {
		r := run(t, certify(c, lapse(wrong, when)))
		sem := check(t, r, "SEM-01")
		if r.Verdict != contracts.Fail || sem.Bound < 0.9 || !slices.Equal(failed(r), []string{"SEM-01"}) {
			t.Errorf("%s: %s, %v, %+v", name, r.Verdict, r.Reasons, sem)
		}
	}
}

// lenient is many with a min_success under which whole cases may be wrong.
func lenient(t testing.TB, n int, share string) *contracts.Contract {
	var b strings.Builder
	fmt.Fprintf(&b, "min_success: %s\ncases:\n", share)
	for i := range n {
		fmt.Fprintf(&b, "  - {id: c%03d, input: {text: \"ticket %03d\"}, expected: {category: %s, priority: 1, order_id: null}, critical: %v}\n",
			i, i, []string{"billing", "account", "none"}[i%3], i < 2)
	}
	return load(t, contractHead+closedOutput+b.String())
}

// The bounds are those of Clopper and Pearson: 51 of 60 cases give 0.753, 54
// give 0.812, and five times as many runs 0.812 and 0.867.
func TestAContractThatLetsCasesGoWrongIsJudgedByItsCases(t *testing.T) {
	after := func(first string) func(string, int) bool { return func(id string, _ int) bool { return id >= first } }
	for _, l := range []struct {
		name, mode, share string
		when              func(id string, asked int) bool
		want              contracts.Verdict
		says              string
	}{
		{"six of sixty always wrong, 0.80 asked", Certify, "0.80", after("c054"), contracts.Pass, "bound over cases 0.812"},
		{"nine of sixty always wrong: repeats do not make the bound better", Certify, "0.80", after("c051"), contracts.Fail, "51 of 60 cases are right: the bound is 0.753"},
		{"a case that is wrong in two of its five runs is right", Certify, "0.80", func(id string, n int) bool { return id >= "c054" && n < 2 }, contracts.Pass, "54 of 60 cases are right in every repeat, 60 in most"},
		{"every case wrong in two of its five runs: the runs count too", Certify, "0.80", func(id string, n int) bool { return id > "c001" && n < 2 }, contracts.Fail, "the bound is 0.5"},
		{"a critical case wrong once", Certify, "0.80", func(id string, n int) bool { return id == "c001" && n == 3 }, contracts.Fail, "critical case c001"},
		{"six always wrong where the default is written out", Certify, "0.90", after("c054"), contracts.Fail, "fails in all its runs"},
		{"one wrong run in a hundred where 0.99 is asked", Certify, "0.99", func(id string, n int) bool { return id >= "c057" && n == 0 }, contracts.Fail, "below 0.99"},
		{"quick, exactly four of five right", Quick, "0.80", after("c048"), contracts.Pass, "48 of 60"},
		{"quick, one case less", Quick, "0.80", after("c047"), contracts.Fail, "47 of 60 cases are right, less than 0.80"},
	} {
		o := options(lenient(t, 60, l.share), lapse(wrong, l.when))
		o.Mode = l.mode
		r := run(t, o)
		sem := check(t, r, "SEM-01")
		if r.Verdict != l.want || sem.Verdict != l.want || !strings.Contains(sem.Detail, l.says) {
			t.Errorf("%s: %s, %+v; want %s, %q", l.name, r.Verdict, sem, l.want, l.says)
		}
	}
}

func TestCertifyRunsASecondBlockAfterOneBrokenForm(t *testing.T) {
	c := many(t, 20)
	for _, l := range []struct {
		name   string
		broken func(id string, asked int) bool
		want   contracts.Verdict
		calls  int
	}{
		{"none", func(string, int) bool { return false }, contracts.Pass, 100},
		{"one in two hundred", func(id string, asked int) bool { return id == "c03" && asked == 2 }, contracts.Pass, 200},
		{"one in a critical case", func(id string, asked int) bool { return id == "c00" && asked == 2 }, contracts.Pass, 200},
		{"two in the first block", func(id string, asked int) bool { return id == "c03" && asked < 2 }, contracts.Fail, 0},
		{"one in each block", func(id string, asked int) bool { return id == "c03" && (asked == 2 || asked == 7) }, contracts.Fail, 0},
	} {
		r := run(t, certify(c, lapse("nonsense", l.broken)))
		if r.Verdict != l.want || l.calls != 0 && r.Totals.Runs != l.calls {
			t.Errorf("%s: %s after %d calls, %v", l.name, r.Verdict, r.Totals.Runs, r.Reasons)
		}
	}
}

func TestCertifyForgivesOneBrokenFormOfAllKindsTogether(t *testing.T) {
	c := many(t, 20)
	r := run(t, certify(c, func(k contracts.Case, asked, calls int) (contracts.Completion, error) {
		switch {
		case k.ID == "c03" && asked == 0:
			return said("nonsense"), nil
		case k.ID == "c04" && asked == 7:
			return said("{}"), nil
		}
		return honest(k, asked, calls)
	}))
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"STR-01", "STR-06"}) {
		t.Errorf("%s, %v", r.Verdict, failed(r))
	}
}

func TestARequestThatIsRefusedHasNoTolerance(t *testing.T) {
	f := contracts.Failure{Class: contracts.InvalidRequest, Status: 400}
	r := run(t, certify(many(t, 20), failing(f, func(_, calls int) bool { return calls == 50 })))
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"PAR-01"}) {
		t.Errorf("%s, %v", r.Verdict, failed(r))
	}
}

func TestAFilteredCaseHasNoRightAnswerAndBreaksNoForm(t *testing.T) {
	f := contracts.Failure{Class: contracts.ContentFiltered, Effect: contracts.Ended, Status: 200}
	r := run(t, options(many(t, 8), func(k contracts.Case, asked, calls int) (contracts.Completion, error) {
		if k.ID == "c05" {
			return contracts.Completion{}, &f
		}
		return honest(k, asked, calls)
	}))
	if r.Verdict != contracts.Fail || !slices.Equal(failed(r), []string{"ENV-08", "SEM-01"}) || check(t, r, "SEM-01").N != 24 {
		t.Errorf("%s, %v, %+v", r.Verdict, failed(r), check(t, r, "SEM-01"))
	}
}

// A blocked call counts for nothing, so a suite with too many of them says
// nothing about rates. A broken form is proof, whatever else was blocked.
func TestOverallWeighsProofBeforeDoubtBeforeRates(t *testing.T) {
	fail := func(id string, class Class) contracts.ReportCheck {
		return contracts.ReportCheck{ID: id, Class: string(class), Verdict: contracts.Fail}
	}
	for _, l := range []struct {
		name     string
		checks   []contracts.ReportCheck
		critical bool
		doubts   []string
		want     contracts.Verdict
	}{
		{"nothing failed", nil, false, nil, contracts.Pass},
		{"nothing failed, some doubt", nil, false, []string{"x"}, contracts.Inconclusive},
		{"a rate", []contracts.ReportCheck{fail("SEM-01", Statistical)}, false, nil, contracts.Fail},
		{"a rate, some doubt", []contracts.ReportCheck{fail("SEM-01", Statistical)}, false, []string{"x"}, contracts.Inconclusive},
		{"a critical case, some doubt", []contracts.ReportCheck{fail("SEM-01", Statistical)}, true, []string{"x"}, contracts.Fail},
		{"a hard check, some doubt", []contracts.ReportCheck{fail("STR-01", Hard)}, false, []string{"x"}, contracts.Fail},
		{"a capability", []contracts.ReportCheck{fail("ENV-08", Capability)}, false, nil, contracts.Pass},
	} {
		if got, reasons := overall(l.checks, l.critical, l.doubts); got != l.want || (got == contracts.Pass) != (reasons == nil) {
			t.Errorf("%s: %s %v, want %s", l.name, got, reasons, l.want)
		}
	}
}
