package conformance

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// perToken prices at two millionths of a dollar for a token in, and ten for one out.
func perToken(u contracts.Usage) (int64, bool) { return 2*u.InputTokens + 10*u.OutputTokens, true }

// Every answer of the fake has 5 tokens in and 7 out, and so costs 80.
func TestAReportSaysWhatItCost(t *testing.T) {
	o := options(tickets(t), honest)
	o.Price = perToken
	told := int64(0)
	o.Progress = func(p Progress) { told = p.MicroUSD }
	r := run(t, o)
	if r.Totals.MicroUSD == nil || *r.Totals.MicroUSD != 24*80 || told != 24*80 {
		t.Fatalf("%+v, told %d", r.Totals, told)
	}
	one := r.Cases[0].Runs[0]
	if one.Usage == nil || one.Usage.InputTokens != 5 || one.Usage.OutputTokens != 7 || one.MicroUSD == nil || *one.MicroUSD != 80 {
		t.Errorf("%+v", one)
	}
	raw, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := contracts.ReadReport(raw); err != nil {
		t.Error(err)
	}
	var page, sheet strings.Builder
	if err := HTML(&page, r, nil); err != nil || !strings.Contains(page.String(), "<dt>Cost</dt><dd>$0.00192</dd>") {
		t.Errorf("the page lacks the cost: %v", err)
	}
	if err := Markdown(&sheet, r); err != nil || !strings.Contains(sheet.String(), "120 tokens in, 168 out, $0.00192;") {
		t.Errorf("%v, %s", err, sheet.String())
	}
	if text := texts(t, r)["junit"]; !strings.Contains(text, `<property name="cost_usd" value="0.001920">`) {
		t.Error(text)
	}
	if text := texts(t, r)["summary"]; !strings.Contains(text, "120 tokens in, 168 out, $0.00192") {
		t.Error(text)
	}
}

func TestWithoutAPriceNothingIsSaidOfCost(t *testing.T) {
	for name, price := range map[string]func(contracts.Usage) (int64, bool){
		"no price":                      nil,
		"a price that does not fit all": func(u contracts.Usage) (int64, bool) { return 0, false },
	} {
		o := options(tickets(t), honest)
		o.Price = price
		r := run(t, o)
		if r.Verdict != contracts.Pass || r.Totals.MicroUSD != nil || r.Cases[0].Runs[0].MicroUSD != nil || r.Cases[0].Runs[0].Usage == nil {
			t.Errorf("%s: %s, %+v", name, r.Verdict, r.Totals)
		}
		var page strings.Builder
		if err := HTML(&page, r, nil); err != nil || strings.Contains(page.String(), "Cost") {
			t.Errorf("%s: the page speaks of cost (%v)", name, err)
		}
	}
}

func TestABoundOnCostEndsTheSuiteInconclusively(t *testing.T) {
	for most, calls := range map[int64]int{1: 1, 80: 1, 159: 1, 160: 2, 24*80 - 1: 23} {
		o := options(tickets(t), honest)
		o.Price, o.MaxCost = perToken, most
		r := run(t, o)
		if r.Verdict != contracts.Inconclusive || r.Totals.Runs != calls || failed(r) != nil || !strings.Contains(strings.Join(r.Reasons, "; "), "the bound of "+Dollars(most)) {
			t.Errorf("%d: %s after %d calls, want %d; %v", most, r.Verdict, r.Totals.Runs, calls, r.Reasons)
		}
	}
	o := options(tickets(t), honest)
	if o.Price, o.MaxCost = perToken, 24*80; run(t, o).Verdict != contracts.Pass {
		t.Error("as much as is needed is not enough")
	}
}

// dear answers after a second, so that calls are open at the same time.
type dear struct {
	providers.Provider
	calls atomic.Int64
}

func (d *dear) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	d.calls.Add(1)
	time.Sleep(time.Second)
	return d.Provider.Complete(ctx, r)
}

// The first call has to be over before anybody knows what one costs.
func TestCallsAtOnceStayWithinABoundOnCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(tickets(t), honest)
		slow := &dear{Provider: o.Provider}
		o.Provider, o.Price, o.MaxCost, o.Concurrency = slow, perToken, 10*80, 8
		r := run(t, o)
		if n := slow.calls.Load(); r.Verdict != contracts.Inconclusive || n > 10 || *r.Totals.MicroUSD > 10*80 || n < 3 {
			t.Errorf("%s after %d calls, %d spent", r.Verdict, n, *r.Totals.MicroUSD)
		}
	})
}

func TestABoundOnCostNeedsPricesThatFit(t *testing.T) {
	o := options(tickets(t), honest)
	o.MaxCost = 100
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "needs a price") {
		t.Errorf("without a price: %v", err)
	}
	o.Price = perToken
	o.Provider = &fake{contract: o.Contract, answer: func(k contracts.Case, a, n int) (contracts.Completion, error) {
		got, err := honest(k, a, n)
		got.Usage.Reported = false
		return got, err
	}}
	if r := run(t, o); r.Verdict != contracts.Inconclusive || r.Totals.Runs != 1 || !strings.Contains(strings.Join(r.Reasons, "; "), "without counts") {
		t.Errorf("without counts: %s after %d calls, %v", r.Verdict, r.Totals.Runs, r.Reasons)
	}
}

func TestDollars(t *testing.T) {
	for micro, want := range map[int64]string{0: "$0.00", 1: "$0.000001", 12_500: "$0.0125", 1_500_000: "$1.50", 20_000_000: "$20.00"} {
		if got := Dollars(micro); got != want {
			t.Errorf("%d: %s, want %s", micro, got, want)
		}
	}
}
