package jobstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
)

// TestRepliesNeverCross lets callers give up at any moment of a call. Whoever
// then uses the same connection must not get the answer of somebody else: it
// would be another owner's data.
func TestRepliesNeverCross(t *testing.T) {
	t.Parallel()
	p := jobstoretest.NewPlace(t, jobstore.Options{URL: lab.Redis(t).URL()})
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			owner := fmt.Sprint("owner ", worker)
			answered, err := hurry(jobstoretest.Context(t), jobstoretest.Driver{Store: p.Store, Owner: owner, Key: "k"}, uint64(worker))
			if err != nil || answered == 0 {
				t.Errorf("%s: %d answers, %v", owner, answered, err)
			}
		})
	}
	wg.Wait()
}

// hurry loads one job under deadlines that mostly are too short.
func hurry(ctx context.Context, d jobstoretest.Driver, seed uint64) (answered int, err error) {
	id := d.Store.NewID(d.Owner, d.Key)
	if r := d.Do(ctx, jobstoretest.Op{Kind: "submit", ID: id, Fingerprint: "f"}, 0); r.Word != "created" {
		return 0, fmt.Errorf("submit: %s", r.Word)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range 100 {
		limit := time.Duration(r.IntN(3000)) * time.Microsecond
		if i%20 == 0 {
			limit = time.Minute // some must come through
		}
		short, cancel := context.WithTimeout(ctx, limit)
		j, err := d.Store.Load(short, id)
		cancel()
		if err == nil && (j.ID != id || j.Owner != d.Owner) {
			return answered, fmt.Errorf("asked for %s of %s, got %s of %s", id, d.Owner, j.ID, j.Owner)
		}
		if err == nil {
			answered++
		}
	}
	return answered, nil
}
