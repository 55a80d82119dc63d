package jobstore_test

import (
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
)

// TestTheStoreIsReachedThroughSentinel opens it by the sentinels' name for the
// primary and takes a job through its life.
func TestTheStoreIsReachedThroughSentinel(t *testing.T) {
	t.Parallel()
	sentinel := jobstoretest.StartSentinel(t, jobstoretest.StartRedis(t))
	ctx := jobstoretest.Context(t)
	s, err := jobstore.Open(ctx, jobstore.Options{Addrs: []string{sentinel}, Master: jobstoretest.SentinelMaster})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Submit(ctx, jobstore.Submission{Owner: "o", Key: "k", Fingerprint: "f", Intent: []byte("{}"), Budget: time.Minute,
		Lease: time.Minute, Holder: "r", First: &jobstore.Start{Target: "a", SendWithin: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	settled, err := s.Settle(ctx, &got.Job, jobstore.Outcome{Number: 1, Epoch: 1, Version: 1, Result: &contracts.Result{Target: "a"}})
	if err != nil || !settled.Won {
		t.Fatalf("won %v, %v", settled.Won, err)
	}
	j, err := s.Load(ctx, got.ID)
	if err != nil || j.State != jobstore.JobSucceeded || j.CompletedBy != 1 {
		t.Errorf("the job is %s by %d, %v", j.State, j.CompletedBy, err)
	}
}
