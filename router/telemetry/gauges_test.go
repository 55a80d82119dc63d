package telemetry

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/jobstore"
)

// shelf answers reads of the counts, and keeps how many there were.
type shelf struct {
	mu    sync.Mutex
	reads int
	now   jobstore.Counts
	err   error
	wait  time.Duration // a read takes that long, or until its context ends
}

func (s *shelf) count(ctx context.Context) (jobstore.Counts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	select {
	case <-time.After(s.wait):
		return s.now, s.err
	case <-ctx.Done():
		return jobstore.Counts{}, ctx.Err()
	}
}

func countsOf(err error) func(context.Context) (jobstore.Counts, error) {
	s := &shelf{now: jobstore.Counts{Live: 3, Unknown: 2, OldestUnknown: 90 * time.Second}, err: err}
	return s.count
}

func gaugesAre(t *testing.T, b *bench, want map[string]float64) {
	t.Helper()
	if got := b.moved(t); !maps.Equal(got, want) {
		t.Errorf("gauges\n%v, want\n%v", got, want)
	}
}

func TestGaugesAreReadAtMostEveryFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{now: jobstore.Counts{Live: 3, Unknown: 2, OldestUnknown: 90 * time.Second}}
		b := newBench(Options{Counts: s.count})
		first := map[string]float64{"jobs_live{}": 3, "jobs_unknown{}": 2, "oldest_unknown_seconds{}": 90}
		gaugesAre(t, b, first)
		s.now = jobstore.Counts{Live: 1}
		time.Sleep(5*time.Second - time.Nanosecond)
		gaugesAre(t, b, first)
		time.Sleep(time.Nanosecond)
		gaugesAre(t, b, map[string]float64{"jobs_live{}": 1})
		if s.reads != 2 {
			t.Errorf("%d reads, want 2", s.reads)
		}
	})
}

func TestGaugesKeepTheirLastValueWhenTheStoreIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{now: jobstore.Counts{Live: 3}}
		b := newBench(Options{Counts: s.count})
		gaugesAre(t, b, map[string]float64{"jobs_live{}": 3})
		s.err = errors.New("no store")
		time.Sleep(5 * time.Second)
		gaugesAre(t, b, map[string]float64{"jobs_live{}": 3, "counts_errors_total{}": 1})
		// A failed read counts as one: a store in trouble is not asked more often.
		gaugesAre(t, b, map[string]float64{"jobs_live{}": 3, "counts_errors_total{}": 1})
		s.err, s.now = nil, jobstore.Counts{Live: 4}
		time.Sleep(5 * time.Second)
		gaugesAre(t, b, map[string]float64{"jobs_live{}": 4, "counts_errors_total{}": 1})
	})
}

func TestGaugesSayNothingBeforeTheFirstGoodRead(t *testing.T) {
	b := newBench(Options{Counts: countsOf(errors.New("no store"))})
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		switch f.GetName() {
		case "inferonce_jobs_live", "inferonce_jobs_unknown", "inferonce_oldest_unknown_seconds":
			t.Errorf("%s is served although it was never read", f.GetName())
		}
	}
	gaugesAre(t, b, map[string]float64{"counts_errors_total{}": 1})
}

func TestAReadOfTheCountsEndsAfterTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{wait: time.Hour}
		b := newBench(Options{Counts: s.count})
		begun := time.Now()
		gaugesAre(t, b, map[string]float64{"counts_errors_total{}": 1})
		if d := time.Since(begun); d != 2*time.Second {
			t.Errorf("the scrape took %s of the fake clock, want 2s", d)
		}
	})
}

func TestScrapesAtTheSameTimeShareOneRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that no five seconds pass
		begun, release := make(chan struct{}, 10), make(chan struct{})
		b := newBench(Options{Counts: func(context.Context) (jobstore.Counts, error) {
			begun <- struct{}{}
			<-release
			return jobstore.Counts{Live: 3}, nil
		}})
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { _, _ = b.registry.Gather() })
		}
		<-begun
		close(release)
		wg.Wait()
		if again := len(begun); again != 0 {
			t.Errorf("read %d times more, want once in all", again)
		}
	})
}
