package telemetry

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"inferonce/contracts"
	"inferonce/router"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a Telemetry whose log and metrics a test can read.
type bench struct {
	*Telemetry
	log bytes.Buffer
}

func newBench(o Options) *bench {
	b := &bench{}
	o.Registry = prometheus.NewRegistry()
	o.Log = slog.New(slog.NewJSONHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
	b.Telemetry = New(o)
	return b
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// moved gives every metric of ours that is not zero, as "name{label=value,…}".
// Of a histogram it gives the sum.
func (b *bench) moved(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		short, ours := strings.CutPrefix(f.GetName(), "inferonce_")
		if !ours {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetHistogram().GetSampleSum()
			if v != 0 {
				out[fmt.Sprintf("%s{%s}", short, strings.Join(labels, ","))] = v
			}
		}
	}
	return out
}

func TestEachEventMovesItsMetricsAndNoOther(t *testing.T) {
	for name, row := range map[string]struct {
		seen router.Observation
		want map[string]float64
	}{
		"a new job is counted under its contract": {
			router.Observation{Event: router.JobSubmitted, Job: "job_1", Owner: "acme", Contract: "triage@1"},
			map[string]float64{"jobs_submitted_total{contract=triage@1}": 1}},
		"a repeat is no new job": {
			router.Observation{Event: router.JobReplayed, Contract: "triage@1"},
			map[string]float64{"jobs_replayed_total{contract=triage@1}": 1}},
		"a key with another intent is a conflict": {
			router.Observation{Event: router.KeyConflict, Contract: "triage@1"},
			map[string]float64{"key_conflicts_total{contract=triage@1}": 1}},
		"a job that may not go on is held": {
			router.Observation{Event: router.JobUnknown, Contract: "triage@1"},
			map[string]float64{"jobs_held_total{contract=triage@1}": 1}},
		"an ordinary success": {
			router.Observation{Event: router.JobEnded, Contract: "triage@1", State: "succeeded", Elapsed: 2 * time.Second},
			map[string]float64{"jobs_ended_total{code=,contract=triage@1,state=succeeded}": 1,
				"job_duration_seconds{contract=triage@1,state=succeeded}": 2}},
		"a recovered success is counted apart": {
			router.Observation{Event: router.JobEnded, Contract: "triage@1", State: "succeeded", Elapsed: 2 * time.Second, Recovered: true},
			map[string]float64{"jobs_ended_total{code=,contract=triage@1,state=succeeded}": 1,
				"job_duration_seconds{contract=triage@1,state=succeeded}": 2,
				"jobs_recovered_total{contract=triage@1}":                 1}},
		"a job that was unknown and failed": {
			router.Observation{Event: router.JobEnded, Contract: "triage@1", State: "failed", Code: "deadline_exceeded",
				Elapsed: 40 * time.Second, FromUnknown: true},
			map[string]float64{"jobs_ended_total{code=deadline_exceeded,contract=triage@1,state=failed}": 1,
				"job_duration_seconds{contract=triage@1,state=failed}":  40,
				"jobs_ended_late_total{contract=triage@1,state=failed}": 1}},
		"a job set aside": {
			router.Observation{Event: router.JobQuarantined, Job: "job_1"},
			map[string]float64{"quarantined_total{}": 1}},
		"an attempt that began": {
			router.Observation{Event: router.AttemptBegan, Attempt: 1, Target: "mini"},
			map[string]float64{"attempts_started_total{target=mini}": 1}},
		"an attempt that went well": {
			router.Observation{Event: router.AttemptSettled, Attempt: 1, Target: "mini", Elapsed: 2 * time.Second},
			map[string]float64{"attempts_total{class=,effect=,outcome=succeeded,target=mini}": 1,
				"attempt_duration_seconds{outcome=succeeded,target=mini}": 2}},
		"an attempt that failed": {
			router.Observation{Event: router.AttemptSettled, Attempt: 1, Target: "mini", Elapsed: time.Second,
				Class: contracts.RateLimited, Effect: contracts.None},
			map[string]float64{"attempts_total{class=rate_limited,effect=none,outcome=failed,target=mini}": 1,
				"attempt_duration_seconds{outcome=failed,target=mini}": 1}},
		"a timeout is its own outcome": {
			router.Observation{Event: router.AttemptUnknown, Attempt: 1, Target: "mini", Elapsed: 10 * time.Second,
				Class: contracts.Timeout, Effect: contracts.Open, Code: "first_byte"},
			map[string]float64{"attempts_total{class=timeout,effect=open,outcome=unknown,target=mini}": 1,
				"attempt_duration_seconds{outcome=unknown,target=mini}":    10,
				"unknown_total{class=timeout,code=first_byte,target=mini}": 1}},
		"an attempt whose router is gone is unknown": {
			router.Observation{Event: router.AttemptOrphaned, Attempt: 1, Target: "mini"},
			map[string]float64{"attempts_total{class=router_lost,effect=open,outcome=unknown,target=mini}": 1,
				"unknown_total{class=router_lost,code=lease_lapsed,target=mini}": 1,
				"orphaned_total{target=mini}":                                    1}},
		"an operator's settlement": {
			router.Observation{Event: router.AttemptResolved, Attempt: 1, Target: "mini", By: "ops/Kx71", Code: "not_executed"},
			map[string]float64{"resolved_total{as=not_executed,by_kind=operator}": 1}},
		"a settlement by the contract's policy": {
			router.Observation{Event: router.AttemptResolved, Attempt: 1, By: router.PolicyAuthor, Code: "cancelled"},
			map[string]float64{"resolved_total{as=cancelled,by_kind=policy}": 1}},
		"a result that came too late": {
			router.Observation{Event: router.LateDiscarded, Attempt: 1, Target: "mini", Elapsed: 30 * time.Second},
			map[string]float64{"attempts_total{class=,effect=,outcome=discarded,target=mini}": 1,
				"attempt_duration_seconds{outcome=discarded,target=mini}": 30,
				"late_discarded_total{target=mini}":                       1}},
		"a move that the store did not let happen": {
			router.Observation{Event: router.StoreTrouble, Code: "renew"},
			map[string]float64{"store_trouble_total{code=renew}": 1}},
		"a switch of eligibility": {
			router.Observation{Event: router.EligibilityMoved, Target: "llama", Contract: "triage@1", State: "disabled", By: "ops", Code: "disable"},
			map[string]float64{"eligibility_moves_total{action=disable,contract=triage@1,target=llama}": 1}},
		"a breaker that opens": {
			router.Observation{Event: router.CircuitMoved, Target: "llama", State: "open"},
			map[string]float64{"circuit_moves_total{state=open,target=llama}": 1}},
		"a key that is refused": {
			router.Observation{Event: router.KeyRests, Target: "openai/spare", Class: "auth", Effect: "none"},
			map[string]float64{"key_rests_total{class=auth,key=spare,provider=openai}": 1}},
		"a target that asks for fewer calls": {
			router.Observation{Event: router.TargetRests, Target: "llama", State: "resting"},
			map[string]float64{"target_rests_total{state=resting,target=llama}": 1}},
		"a pair that a rule took out": {
			router.Observation{Event: router.EligibilityMoved, Target: "llama", Contract: "triage@1", State: "suspended", By: "drift", Code: "suspend", Rule: "live_answers"},
			map[string]float64{"eligibility_moves_total{action=suspend,contract=triage@1,target=llama}": 1,
				"drift_total{contract=triage@1,rule=live_answers,target=llama}": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(Options{})
			b.Observe(row.seen)
			if got := b.moved(t); !maps.Equal(got, row.want) {
				t.Errorf("moved\n%v, want\n%v", got, row.want)
			}
		})
	}
}

// eventsOfTheRouter reads the constants of type Event from the source, so that
// a new one can't be forgotten here.
func eventsOfTheRouter(t *testing.T) []router.Event {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../observer.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var events []router.Event
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && fmt.Sprint(v.Type) == "Event" {
			events = append(events, router.Event(strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`)))
		}
		return true
	})
	return events
}

func TestEveryEventOfTheRouterHasAReaction(t *testing.T) {
	want, got := eventsOfTheRouter(t), slices.Collect(maps.Keys(reactions))
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("reactions to %q, want %q", got, want)
	}
}

func TestAnEventThatNobodyNamedChangesNothing(t *testing.T) {
	b := newBench(Options{})
	b.Observe(router.Observation{Event: "job vanished", Target: "mini"})
	if got := b.moved(t); len(got) != 0 || b.log.Len() != 0 {
		t.Errorf("moved %v and logged %q", got, b.log.String())
	}
}

func TestTheMetricsKeepTheConventions(t *testing.T) {
	b := newBench(Options{Counts: countsOf(nil)})
	for event := range reactions {
		b.Observe(router.Observation{Event: event, Target: "mini", Contract: "triage@1", Recovered: true, FromUnknown: true})
	}
	problems, err := testutil.GatherAndLint(b.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestTheHandlerServesOurMetricsAndThoseOfTheProcess(t *testing.T) {
	b := newBench(Options{})
	b.Observe(router.Observation{Event: router.JobSubmitted, Contract: "triage@1"})
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{`inferonce_jobs_submitted_total{contract="triage@1"} 1`, "go_goroutines ", "process_start_time_seconds "} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %q in the answer, status %d", want, w.Code)
		}
	}
}

func TestWithoutOptionsItStillCounts(t *testing.T) {
	tel := New(Options{})
	tel.Observe(router.Observation{Event: router.JobQuarantined})
	if n := testutil.ToFloat64(tel.metrics.quarantined); n != 1 {
		t.Errorf("counted %v, want 1", n)
	}
}

func TestEventsOfManyJobsAtOnceAreAllCounted(t *testing.T) {
	b := newBench(Options{})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			b.Observe(router.Observation{Event: router.AttemptBegan, Job: jobID, Attempt: i + 1, Target: "mini"})
		})
	}
	wg.Wait()
	if got := b.moved(t)["attempts_started_total{target=mini}"]; got != 20 {
		t.Errorf("counted %v, want 20", got)
	}
	if got := strings.Count(b.log.String(), "\n"); got != 20 {
		t.Errorf("%d lines, want 20", got)
	}
}

// The page for operators names every metric, message and field, so that nobody
// has to read this code at night.
func TestTheOperatorsPageNamesEverything(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(Options{Counts: countsOf(nil)})
	var want []string
	for event := range reactions {
		b.Observe(router.Observation{Event: event})
		want = append(want, string(event))
	}
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if short, ours := strings.CutPrefix(f.GetName(), "inferonce_"); ours {
			want = append(want, short)
		}
	}
	for _, a := range fields(filled(router.JobEnded, "x", io.EOF)) {
		want = append(want, a.Key)
	}
	for _, w := range want {
		if !strings.Contains(string(page), "`"+w+"`") {
			t.Errorf("docs/operations.md does not name `%s`", w)
		}
	}
}
