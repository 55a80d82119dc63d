package jobstore_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// infer is what the store sees of an untroubled inference.
func infer(ctx context.Context, s *jobstore.Store, key string) error {
	got, err := s.Submit(ctx, jobstore.Submission{Owner: "o", Key: key, Fingerprint: "f", Contract: "c@1", Intent: []byte(`{"text":"x"}`),
		Budget: time.Minute, Lease: 15 * time.Second, Holder: "r", First: &jobstore.Start{Target: "t", Provider: "p", Model: "m"}})
	if err != nil {
		return err
	}
	_, err = s.Settle(ctx, &got.Job, jobstore.Outcome{Number: 1, Epoch: 1, Version: 1, Result: &contracts.Result{Output: []byte(`{}`)}})
	return err
}

// BenchmarkInference is one submit and one settle on a real Redis: alone, and
// with 64 callers at once, whose calls travel together.
func BenchmarkInference(b *testing.B) {
	open := func(b *testing.B) *jobstore.Store {
		s, err := jobstore.Open(b.Context(), jobstore.Options{URL: lab.Redis(b).URL(), Prefix: fmt.Sprint("bench", b.N, ":"), Retention: 10 * time.Second})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		b.ReportAllocs()
		return s
	}
	b.Run("alone", func(b *testing.B) {
		s := open(b)
		for i := 0; b.Loop(); i++ {
			if err := infer(b.Context(), s, fmt.Sprint(time.Now().UnixNano(), i)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(s.Calls())/float64(b.N), "scripts/op")
	})
	b.Run("64 at once", func(b *testing.B) {
		s := open(b)
		b.SetParallelism(64 / runtime.GOMAXPROCS(0))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := infer(b.Context(), s, fmt.Sprint(time.Now().UnixNano(), pb)); err != nil {
					b.Error(err)
					return
				}
			}
		})
		b.ReportMetric(float64(s.Calls())/float64(b.N), "scripts/op")
	})
}
