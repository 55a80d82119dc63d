package router

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"inferonce/contracts"
)

// A recording says what a target answered once, not what it answers today.
func TestAReplayedReportNeitherGrantsNorRevokes(t *testing.T) { inWorld(t, refusesReplays) }

func refusesReplays(w *world) {
	w.prove()
	c := w.config.Contracts.All()[0]
	before, err := w.store.EligibilityOf(context.Background(), "b", c.Digest)
	if err != nil || before.Version == 0 {
		w.t.Fatalf("%+v, %v", before, err)
	}
	for _, v := range []contracts.Verdict{contracts.Pass, contracts.Fail} {
		var r contracts.Report
		if err := json.Unmarshal(report(c, "b", v), &r); err != nil {
			w.t.Fatal(err)
		}
		r.Replayed = true
		raw, err := json.Marshal(r)
		if err != nil {
			w.t.Fatal(err)
		}
		_, err = w.router.AcceptReport(context.Background(), raw, "ci")
		if refused, ok := errors.AsType[*ReportError](err); !ok || refused.Code != "report_replayed" {
			w.t.Errorf("a replayed %s: %v", v, err)
		}
	}
	after, err := w.store.EligibilityOf(context.Background(), "b", c.Digest)
	if err != nil || after.Version != before.Version || after.State != before.State {
		w.t.Errorf("%+v became %+v (%v)", before, after, err)
	}
}

// Quick runs cost little and show little: they confirm, they revoke, and they
// grant nothing.
func TestAQuickRunGrantsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		c := w.contract("ticket-triage")
		quick := func(r *contracts.Report) { r.Mode = "quick" }
		send := func(v contracts.Verdict, with ...func(*contracts.Report)) error {
			time.Sleep(time.Minute)
			_, err := w.router.AcceptReport(context.Background(), report(c, "b", v, append(with, func(r *contracts.Report) { r.Started = time.Now() })...), "ci")
			return err
		}
		var refused *ReportError
		if err := send(contracts.Pass, quick); !errors.As(err, &refused) || refused.Code != "report_mode" || w.stands("b").Eligible {
			t.Errorf("a quick pass first: %v, %+v", err, w.stands("b"))
		}
		if err := send(contracts.Pass); err != nil || !w.stands("b").Eligible {
			t.Fatalf("certify: %v, %+v", err, w.stands("b"))
		}
		before := w.stands("b")
		if err := send(contracts.Pass, quick); err != nil || w.stands("b").Record.Version != before.Record.Version {
			t.Errorf("a quick pass of a pair that is eligible: %v; it moved the record from version %d to %d", err, before.Record.Version, w.stands("b").Record.Version)
		}
		if err := send(contracts.Fail, quick); err != nil || w.stands("b").Eligible {
			t.Errorf("a quick fail: %v, %+v", err, w.stands("b"))
		}
	})
}
