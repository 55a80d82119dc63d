package router

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

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
