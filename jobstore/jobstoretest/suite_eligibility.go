package jobstoretest

import (
	"errors"
	"sync"
	"testing"

	"inferonce/jobstore"
)

// eligibility is data: versioned, changed by compare-and-swap, each change in
// the audit log, and none twice (R25).
func eligibility(t *testing.T, open func(testing.TB) *Place) {
	p := open(t)
	ctx := Context(t)
	rec := jobstore.Eligibility{Target: "mini", Contract: "triage@1", Digest: "d1", State: jobstore.Eligible, Reason: "passed", By: "ci"}
	entry := jobstore.AuditEntry{By: "ci", Action: "report", Target: "mini", Digest: "d1", To: jobstore.Eligible, Reason: "passed"}

	p.Faults.Next("eligibility", DropReply)
	if v, err := p.Store.SetEligibility(ctx, rec, entry, false); v != 1 || err != nil {
		t.Fatalf("first record, its reply lost once: version %d, %v; want 1", v, err)
	}
	var conflict *jobstore.ConflictError
	if _, err := p.Store.SetEligibility(ctx, rec, entry, false); !errors.As(err, &conflict) || conflict.Version != 1 {
		t.Fatalf("the same change again: %v, want a conflict with version 1", err)
	}
	off := rec
	off.Version, off.State = 1, jobstore.Disabled
	if v, err := p.Store.SetEligibility(ctx, off, jobstore.AuditEntry{By: "operator", From: jobstore.Eligible, To: jobstore.Disabled}, false); v != 2 || err != nil {
		t.Fatalf("switched off: version %d, %v; want 2", v, err)
	}
	got, err := p.Store.EligibilityOf(ctx, "mini", "d1")
	if err != nil || got.Version != 2 || got.State != jobstore.Disabled || got.Contract != "triage@1" {
		t.Errorf("read back %+v, %v", got, err)
	}
	if none, err := p.Store.EligibilityOf(ctx, "mini", "another digest"); err != nil || none.Version != 0 {
		t.Errorf("a contract changed by one byte: %+v, %v; want no record", none, err)
	}
	log, _, err := p.Store.Audit(ctx, "", 10)
	if err != nil || len(log) != 2 || log[0].By != "operator" || log[1].By != "ci" || log[0].ID == "" {
		t.Fatalf("audit %+v, %v; want two entries, newest first", log, err)
	}
	if rest, _, err := p.Store.Audit(ctx, log[0].ID, 10); err != nil || len(rest) != 1 || rest[0].ID != log[1].ID {
		t.Errorf("audit before the newest: %+v, %v; want the first entry", rest, err)
	}
	if _, _, err := p.Store.Audit(ctx, "no id", 10); !errors.Is(err, jobstore.ErrCursor) {
		t.Errorf("audit before nothing: %v, want ErrCursor", err)
	}
	atOnce(t, p)
}

// atOnce lets 50 change the same version: one may.
func atOnce(t *testing.T, p *Place) {
	ctx := Context(t)
	var wg sync.WaitGroup
	versions := make([]int64, 50)
	for i := range versions {
		wg.Go(func() {
			versions[i], _ = p.Store.SetEligibility(ctx, jobstore.Eligibility{Target: "llama", Digest: "d"}, jobstore.AuditEntry{}, false)
		})
	}
	wg.Wait()
	won := 0
	for _, v := range versions {
		won += int(v)
	}
	all, err := p.Store.AllEligibility(ctx)
	if won != 1 || err != nil || len(all) != 2 {
		t.Errorf("%d of 50 changes of one version were made, %d records, %v; want 1 and 2", won, len(all), err)
	}
}
