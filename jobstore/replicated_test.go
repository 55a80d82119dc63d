package jobstore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
)

func submission(key string) jobstore.Submission {
	return jobstore.Submission{Owner: "o", Key: key, Fingerprint: "f", Intent: []byte("{}"), Budget: time.Hour, Lease: time.Hour,
		Holder: "r", First: &jobstore.Start{Target: "a", SendWithin: time.Hour}}
}

// openAt opens a store that can be moved to another server.
func openAt(t *testing.T, r *jobstoretest.Redis, level jobstore.Durability) (*jobstore.Store, *jobstoretest.Address) {
	t.Helper()
	at := &jobstoretest.Address{}
	at.Move(r)
	s, err := jobstore.Open(jobstoretest.Context(t), jobstore.Options{Dialer: at.Dial, Durability: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, at
}

// At level replicated nothing may be sent before a replica has the record; the
// same call tells when it has.
func TestNothingIsSentBeforeAReplicaHasTheRecord(t *testing.T) {
	t.Parallel()
	primary := jobstoretest.StartRedis(t)
	replica := jobstoretest.StartReplica(t, primary)
	s, _ := openAt(t, primary, jobstore.Replicated)
	ctx := jobstoretest.Context(t)
	in, err := s.Load(ctx, jobs(t, s, "in step", 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	replica.Pause(t)
	id := s.NewID("o", "late")
	if got, err := s.Resubmit(ctx, id, submission("late")); !errors.Is(err, jobstore.ErrNotReplicated) || !errors.Is(err, jobstore.ErrIndeterminate) {
		t.Errorf("with a replica that does not answer: %+v, %v", got, err)
	}
	out := jobstore.Outcome{Number: 1, Epoch: 1, Version: 1, Failure: jobstore.Resolution{Settlement: jobstore.Settlement{As: jobstore.NotExecuted}}.Failure()}
	if got, err := s.Settle(ctx, &in, out); err != nil || got.State != jobstore.JobQueued {
		t.Fatalf("an outcome is written all the same: %+v, %v", got, err)
	}
	if _, err := s.Begin(ctx, in.ID, 1, 2, false, time.Hour, *submission("").First); !errors.Is(err, jobstore.ErrNotReplicated) {
		t.Errorf("begin: %v", err)
	}
	replica.Resume(t)
	jobstoretest.Until(t, "the replica confirms", func() bool {
		got, err := s.Resubmit(ctx, id, submission("late"))
		return err == nil && got.Created && got.ID == id
	})
}

// A replica that lacked acknowledged records and was promoted is found out, and
// nothing is sent until an operator says so.
func TestAStalePromotionIsFoundOut(t *testing.T) {
	t.Parallel()
	primary := jobstoretest.StartRedis(t)
	replica := jobstoretest.StartReplica(t, primary)
	s, at := openAt(t, primary, jobstore.Single)
	other, otherAt := openAt(t, primary, jobstore.Single)
	ctx := jobstoretest.Context(t)
	jobs(t, s, "before", 3)
	replica.Promote(t) // somebody took the primary for dead, and it was only cut off
	var lost []string
	for i := range 20 { // one after the other, so that the sequence counts each
		lost = append(lost, jobs(t, s, fmt.Sprint("lost ", i), 1)...)
	}
	jobs(t, other, "other", 1)
	primary.Kill()
	at.Move(replica)
	otherAt.Move(replica)
	var err error
	jobstoretest.Until(t, "the new primary answers", func() bool {
		_, err = s.Submit(ctx, submission("after"))
		return errors.Is(err, jobstore.ErrRolledBack)
	})
	if _, err := s.Load(ctx, lost[19]); !errors.Is(err, jobstore.ErrNotFound) {
		t.Fatalf("the job that the promotion lost: %v", err)
	}
	if _, err := s.Submit(ctx, submission("later")); !errors.Is(err, jobstore.ErrRolledBack) || errors.Is(err, jobstore.ErrIndeterminate) {
		t.Errorf("while nobody has decided: %v, want a refusal that did nothing", err)
	}
	if _, err := s.Begin(ctx, lost[0], 1, 2, false, time.Hour, *submission("").First); !errors.Is(err, jobstore.ErrRolledBack) {
		t.Errorf("begin: %v", err)
	}
	found, err := s.Rollbacks(ctx)
	if err != nil || len(found) != 1 || found[0].Seen < 20 || found[0].Now >= found[0].Seen {
		t.Fatalf("what operators see: %+v, %v", found, err)
	}
	for range 2 { // the second does nothing
		if _, err := other.AcceptRollback(ctx, "ops", "the standby lagged"); err != nil {
			t.Fatal(err)
		}
	}
	if log, err := s.RollbacksAccepted(ctx); err != nil || len(log) != 1 || log[0].By != "ops" || log[0].Reason != "the standby lagged" || len(log[0].What) != 1 {
		t.Errorf("what is remembered of it: %+v, %v", log, err)
	}
	for _, store := range []*jobstore.Store{s, other} {
		if _, err := store.Submit(ctx, submission("decided")); err != nil {
			t.Errorf("after the decision: %v", err)
		}
	}
	if found, err := s.Rollbacks(ctx); err != nil || len(found) != 0 {
		t.Errorf("still open: %+v, %v", found, err)
	}
}

// A failover to a replica in step loses nothing, and nobody cries wolf.
func TestAFailoverInStepIsNoRollback(t *testing.T) {
	t.Parallel()
	primary := jobstoretest.StartRedis(t)
	first := jobstoretest.StartReplica(t, primary)
	s, at := openAt(t, primary, jobstore.Replicated)
	ctx := jobstoretest.Context(t)
	ids := jobs(t, s, "k", 50)
	primary.Kill()
	first.Promote(t)
	jobstoretest.StartReplica(t, first)
	at.Move(first)
	jobstoretest.Until(t, "the new primary takes work", func() bool {
		_, err := s.Submit(ctx, submission("after"))
		if errors.Is(err, jobstore.ErrRolledBack) {
			t.Fatal(err)
		}
		return err == nil
	})
	for _, id := range ids {
		if _, err := s.Load(ctx, id); err != nil {
			t.Errorf("job %s, which was acknowledged: %v", id, err)
		}
	}
}

// In a cluster each call is confirmed by its own primary's replica.
func TestReplicatedOnACluster(t *testing.T) {
	t.Parallel()
	c := jobstoretest.StartReplicatedCluster(t)
	ctx := jobstoretest.Context(t)
	s, err := jobstore.Open(ctx, jobstore.Options{Addrs: c.Addrs(), Cluster: true, Durability: jobstore.Replicated})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, id := range jobs(t, s, "k", 60) {
		if _, err := s.Load(ctx, id); err != nil {
			t.Error(err)
		}
	}
}

// jobs submits n jobs at once and repeats each until it is acknowledged: a replica
// on a busy machine may take longer than a call waits for it.
func jobs(t *testing.T, s *jobstore.Store, key string, n int) []string {
	t.Helper()
	ctx := jobstoretest.Context(t)
	ids, errs := make([]string, n), make(chan error, n)
	for i := range n {
		go func() {
			name := fmt.Sprint(key, " ", i)
			ids[i] = s.NewID("o", name)
			_, err := s.Resubmit(ctx, ids[i], submission(name))
			for errors.Is(err, jobstore.ErrNotReplicated) && ctx.Err() == nil {
				_, err = s.Resubmit(ctx, ids[i], submission(name))
			}
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	return ids
}
