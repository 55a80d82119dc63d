package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// byContract classifies by the contract's own check alone.
func byContract(c *contracts.Contract, _ string, input json.RawMessage, done contracts.Completion, err error) (string, bool) {
	if err != nil {
		return "", false
	}
	if _, f := c.CheckOutput(done.Content, input); f != nil {
		return "STR-04", true
	}
	return "", true
}

// inDrift is a world whose router looks for drift, and where both targets passed.
func inDrift(t *testing.T, story func(w *world)) {
	inWorld(t, func(w *world) {
		w.alone()
		w.config.Classify = byContract
		w.router = w.start("router-drift", w.open())
		w.prove()
		story(w)
	})
}

// alone stops the world's own router. Those that follow seldom look around, so
// that hours pass quickly.
func (w *world) alone() {
	last := len(w.stop) - 1
	w.stop[last]()
	w.stop = w.stop[:last]
	w.config.Poll = 10 * time.Minute
}

func (w *world) contract(ref string) *contracts.Contract {
	w.t.Helper()
	c, err := w.config.Contracts.Get(ref)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// stands is a pair's state as the router judges it now.
func (w *world) stands(target string) Standing {
	w.t.Helper()
	all, err := w.router.Eligibility(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range all {
		if s.Target == target && strings.HasPrefix(s.Contract, "ticket-triage@") {
			return s
		}
	}
	w.t.Fatalf("no standing of %s", target)
	return Standing{}
}

func (w *world) settled() {
	time.Sleep(2 * watchEvery) // fake time: what was seen is noted
	synctest.Wait()
}

func (w *world) log() []jobstore.AuditEntry {
	w.t.Helper()
	log, head, err := w.router.Audit(context.Background(), "", 200)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := jobstore.CheckChain(log, head); err != nil {
		w.t.Errorf("the chain does not hold: %v", err)
	}
	return log
}

// traffic is n jobs, one after the other.
func (w *world) traffic(prefix string, n int) (out []jobstore.Job) {
	for i := range n {
		out = append(out, w.infer(w.router, "ticket-triage", fmt.Sprint(prefix, i), time.Minute))
	}
	return out
}

var broken = says(`{"category":"pizza","urgent":true}`)

// tooLong is a failure that is the request's own matter with its target.
var tooLong = contracts.Failure{Class: contracts.ContextLength, Effect: contracts.None, Status: 400}

func TestDriftUnderTraffic(t *testing.T) {
	for _, story := range []struct {
		name string
		tell func(w *world)
	}{
		{"a fallback that begins to break its contract is suspended, and jobs go on with what is left", func(w *world) {
			w.a.answer = fails(tooLong) // says nothing of the target: its breaker stays closed
			for _, j := range w.traffic("good", 10) {
				w.expect(j, "succeeded by 2: a failed, b succeeded")
			}
			w.b.answer = broken
			w.traffic("bad", 5)
			w.settled()
			if s := w.stands("b"); s.State != jobstore.Suspended || s.Eligible {
				w.t.Fatalf("%+v", s)
			}
			e := w.log()[0]
			if e.Action != "suspend" || e.By != "drift" || e.Target != "b" || e.From != jobstore.Eligible || e.To != jobstore.Suspended ||
				e.Evidence == nil || e.Evidence.Row < 5 || e.Evidence.Checks["STR-04"] != e.Evidence.Failed || e.Evidence.Calls != e.Evidence.Failed+10 {
				w.t.Errorf("audit %+v with %+v", e, e.Evidence)
			}
			w.a.answer = fails(contracts.Failure{Class: contracts.Auth, Effect: contracts.None})
			j := w.infer(w.router, "ticket-triage", "after", time.Minute)
			if len(j.Error.Excluded) != 1 || j.Error.Excluded[0].Code != "suspended" {
				w.t.Errorf("excluded %+v", j.Error)
			}
			w.a.answer = good
			w.expect(w.infer(w.router, "ticket-triage", "left", time.Minute), "succeeded by 1: a succeeded")
		}},
		{"a suspended primary comes after a fallback that may take over", func(w *world) {
			w.a.answer = broken
			for _, j := range w.traffic("bad", 5) {
				w.expect(j, "succeeded by 2: a failed, b succeeded")
			}
			w.settled()
			w.expect(w.infer(w.router, "ticket-triage", "k1", time.Minute), "succeeded by 1: b succeeded")
			w.b.answer = fails(refusal)
			w.expect(w.infer(w.router, "ticket-triage", "k2", time.Minute), "failed job_failed: b failed, a failed, b failed")
			other := w.start("router-other", w.open())
			w.settled()
			w.b.answer = good
			w.expect(w.infer(other, "ticket-triage", "k3", time.Minute), "succeeded by 1: b succeeded")
		}},
		{"a suspended primary is tried first if no fallback may take over", func(w *world) {
			w.a.answer = broken
			w.traffic("bad", 5)
			w.settled()
			w.switchOff("b")
			w.a.answer = good
			w.expect(w.infer(w.router, "ticket-triage", "k", time.Minute), "succeeded by 1: a succeeded")
		}},
		{"outages are no drift", func(w *world) {
			w.a.answer = fails(refusal)
			w.traffic("out", 20)
			w.settled()
			if s := w.stands("a"); s.State != jobstore.Pending {
				w.t.Errorf("%+v", s)
			}
		}},
		{"single failures among many good answers are no drift", func(w *world) {
			for i := range 4 {
				w.a.answer = broken
				w.traffic(fmt.Sprint("bad", i), 1)
				w.a.answer = good
				w.traffic(fmt.Sprint("good", i), 30)
			}
			w.settled()
			if s := w.stands("a"); s.State != jobstore.Pending {
				w.t.Errorf("%+v", s)
			}
		}},
		{"a suspended pair comes back by a pass, and not within the hour", func(w *world) {
			w.a.answer = broken
			w.traffic("bad", 5)
			w.settled()
			pass := func() error {
				_, err := w.router.AcceptReport(context.Background(), report(w.contract("ticket-triage"), "a", contracts.Pass, began(now())), "ci")
				return err
			}
			time.Sleep(30 * time.Minute)
			var refused *ReportError
			if err := pass(); !errors.As(err, &refused) || refused.Code != "report_too_soon" {
				w.t.Errorf("after half an hour: %v", err)
			}
			time.Sleep(30 * time.Minute)
			if err := pass(); err != nil {
				w.t.Errorf("after an hour: %v", err)
			}
			w.a.answer = good
			w.settled()
			w.expect(w.infer(w.router, "ticket-triage", "back", time.Minute), "succeeded by 1: a succeeded")
			w.settled()
			if s := w.stands("a"); s.State != jobstore.Eligible {
				w.t.Errorf("what it did before still counts: %+v", s)
			}
		}},
		{"a quick run that fails after a suspension leaves only a certify run", func(w *world) {
			w.a.answer = broken
			w.traffic("bad", 5)
			w.settled()
			time.Sleep(2 * time.Hour)
			send := func(v contracts.Verdict, with ...func(*contracts.Report)) error {
				_, err := w.router.AcceptReport(context.Background(), report(w.contract("ticket-triage"), "a", v, append(with, began(now()))...), "ci")
				return err
			}
			if err := send(contracts.Fail); err != nil || w.stands("a").State != jobstore.Revoked {
				w.t.Errorf("%v, %+v", err, w.stands("a"))
			}
			time.Sleep(time.Minute)
			var refused *ReportError
			if err := send(contracts.Pass, func(r *contracts.Report) { r.Mode = "quick" }); !errors.As(err, &refused) || refused.Code != "report_mode" {
				w.t.Errorf("quick: %v", err)
			}
			if err := send(contracts.Pass, func(r *contracts.Report) { r.Mode = "certify" }); err != nil || w.stands("a").State != jobstore.Eligible {
				w.t.Errorf("certify: %v, %+v", err, w.stands("a"))
			}
		}},
		{"a model that the proof does not know suspends at once", func(w *world) {
			c := w.contract("ticket-triage")
			named := func(r *contracts.Report) { r.Model.Served = []string{"m"} }
			time.Sleep(time.Second)
			if _, err := w.router.AcceptReport(context.Background(), report(c, "a", contracts.Pass, named), "ci"); err != nil {
				w.t.Fatal(err)
			}
			w.traffic("same", 3)
			w.settled()
			if s := w.stands("a"); s.State != jobstore.Eligible {
				w.t.Fatalf("%+v", s)
			}
			another := okay
			another.Model = "somebody-else"
			w.a.answer = func(context.Context, providers.Request) (contracts.Completion, error) { return another, nil }
			w.traffic("other", 1)
			w.settled()
			s := w.stands("a")
			if s.State != jobstore.Suspended {
				w.t.Fatalf("%+v", s)
			}
			if e := w.log()[0]; e.Evidence.Checks["ENV-06"] != 1 || len(e.Evidence.Served) != 64 || strings.Contains(fmt.Sprint(e, s), "somebody-else") {
				w.t.Errorf("audit %+v", e)
			}
		}},
		{"notes are made beside the jobs, many answers at once", func(w *world) {
			before, calls := w.router.Store.Notes(), w.router.Store.Calls()
			w.traffic("k", 100)
			w.settled()
			if n := w.router.Store.Calls() - calls; n != 200 {
				w.t.Errorf("%d script calls for 100 untroubled jobs, want 200", n)
			}
			if n := w.router.Store.Notes() - before; n < 1 || n > 6 {
				w.t.Errorf("%d notes for 100 answers of a moment; want one for 20 or for a second", n)
			}
		}},
		{"a pair that is switched off stays off, and is suspended underneath", func(w *world) {
			w.switchOff("a")
			w.a.answer = broken
			w.traffic("bad", 5)
			w.settled()
			s := w.stands("a")
			if s.State != jobstore.Disabled || s.Record.Under != jobstore.Suspended || s.Record.By != "ops" {
				w.t.Errorf("%+v, record %+v", s, s.Record)
			}
		}},
	} {
		t.Run(story.name, func(t *testing.T) { inDrift(t, story.tell) })
	}
}

func began(at time.Time) func(*contracts.Report) {
	return func(r *contracts.Report) { r.Started = at }
}

func (w *world) switchOff(target string) {
	w.t.Helper()
	s := Switch{Target: target, Contract: "ticket-triage", By: "ops", Reason: "to be sure"}
	if rec := w.stands(target).Record; rec != nil {
		s.IfVersion = rec.Version
	}
	if _, err := w.router.SetEligibility(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

func TestAnOverrideEndsByItself(t *testing.T) {
	inDrift(t, func(w *world) {
		ctx := context.Background()
		w.a.answer = broken
		w.traffic("bad", 5)
		w.settled()
		on := Switch{Target: "a", Contract: "ticket-triage", By: "ops", Reason: "the others are worse", Enable: true, IfVersion: w.stands("a").Record.Version}
		var unproved *NotProvedError
		if _, err := w.router.SetEligibility(ctx, on); !errors.As(err, &unproved) || !strings.Contains(err.Error(), "suspended by drift") {
			t.Errorf("enabled without an override: %v", err)
		}
		for _, d := range []time.Duration{-time.Second, 0, maxOverride + time.Second} {
			bad := on
			bad.OverrideUntil = now().Add(d)
			var refused *OverrideError
			if _, err := w.router.SetEligibility(ctx, bad); !errors.As(err, &refused) {
				t.Errorf("for %s: %v", d, err)
			}
		}
		on.OverrideUntil = now().Add(time.Hour)
		rec, err := w.router.SetEligibility(ctx, on)
		if err != nil || w.stands("a").State != jobstore.Eligible {
			t.Fatalf("%v, %+v", err, w.stands("a"))
		}
		if again, err := w.router.SetEligibility(ctx, on); err != nil || again.Version != rec.Version {
			t.Errorf("twice: version %d, %v; want %d", again.Version, err, rec.Version)
		}
		w.settled()
		w.a.answer = good
		w.expect(w.infer(w.router, "ticket-triage", "over", time.Minute), "succeeded by 1: a succeeded")
		time.Sleep(time.Hour)
		if s := w.stands("a"); s.State != jobstore.Suspended {
			t.Errorf("after its end: %+v", s)
		}
		if e := w.log()[0]; e.Action != "override" || e.By != "ops" || !strings.Contains(e.Reason, "until ") {
			t.Errorf("audit %+v", e)
		}
	})
}

func TestTheSwitch(t *testing.T) {
	inDrift(t, func(w *world) {
		ctx := context.Background()
		w.switchOff("b")
		n := len(w.log())
		w.switchOff("b")
		if len(w.log()) != n {
			t.Error("switching off twice is two changes")
		}
		if _, err := w.router.AcceptReport(ctx, report(w.contract("ticket-triage"), "b", contracts.Fail), "ci"); err != nil {
			t.Fatal(err)
		}
		on := Switch{Target: "b", Contract: "ticket-triage", By: "ops", Reason: "again", Enable: true, IfVersion: w.stands("b").Record.Version}
		var unproved *NotProvedError
		if _, err := w.router.SetEligibility(ctx, on); !errors.As(err, &unproved) {
			t.Errorf("a run failed while it was off, and it came back: %v", err)
		}
		on.IfVersion--
		var conflict *jobstore.ConflictError
		if _, err := w.router.SetEligibility(ctx, on); !errors.As(err, &conflict) {
			t.Errorf("a switch on an older version: %v", err)
		}
	})
}

func TestReportsThatAreRefusedChangeNothing(t *testing.T) {
	inDrift(t, func(w *world) {
		c, ctx := w.contract("ticket-triage"), context.Background()
		before, n := w.stands("b"), len(w.log())
		time.Sleep(time.Minute)
		for _, row := range []struct {
			name string
			edit func(r *contracts.Report)
			code string
		}{
			{"of another state of the contract", func(r *contracts.Report) { r.Contract.Digest = "sha256:other" }, "report_digest"},
			{"of a future suite", func(r *contracts.Report) { r.SuiteVersion = "99" }, "report_suite"},
			{"of a future shape", func(r *contracts.Report) { r.SchemaVersion++ }, "report_schema"},
			{"from the future", func(r *contracts.Report) { r.Finished = now().Add(time.Hour) }, "report_future"},
			{"older than the one on record", func(r *contracts.Report) { r.Finished = now().Add(-time.Hour) }, "report_older"},
			{"with the id of the one on record", func(r *contracts.Report) { r.ID = before.Record.Proof.Report }, "report_tampered"},
			{"edited by hand", func(r *contracts.Report) { r.Checks[0].OK = 7 }, "report_tampered"},
			{"about nothing", func(r *contracts.Report) { r.Totals.Runs = 0 }, "report_empty"},
			{"inconclusive", func(r *contracts.Report) { r.Verdict = contracts.Inconclusive }, "report_inconclusive"},
			{"about another model", func(r *contracts.Report) { r.Model.Asked = "x" }, "report_model"},
		} {
			_, err := w.router.AcceptReport(ctx, report(c, "b", contracts.Fail, row.edit), "ci")
			var refused *ReportError
			if !errors.As(err, &refused) || refused.Code != row.code {
				t.Errorf("%s: %v, want %s", row.name, err, row.code)
			}
		}
		raw := report(c, "b", contracts.Pass)
		for range 2 {
			if _, err := w.router.AcceptReport(ctx, raw, "ci"); err != nil {
				t.Error(err)
			}
		}
		if after := w.stands("b"); after.Record.Version != before.Record.Version+1 || len(w.log()) != n+1 {
			t.Errorf("version %d and %d entries; want one change, of the report that was sent twice", after.Record.Version, len(w.log()))
		}
	})
}
