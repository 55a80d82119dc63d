package jobstore_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// infer is what the store sees of an untroubled inference.
func infer(ctx context.Context, s *jobstore.Store, key string) error {
	hash := strings.Repeat("5", 64)
	got, err := s.Submit(ctx, jobstore.Submission{Owner: "acme", Key: key, Fingerprint: "v1:" + hash,
		Contract: "ticket-triage@1", Digest: "sha256:" + hash, Route: "ticket-triage",
		Intent: []byte(`{"contract":"ticket-triage","input":{"text":"My card was stolen, block it!"}}`),
		Budget: time.Minute, Lease: 15 * time.Second, Holder: "router-1", First: &jobstore.Start{Target: "main", Provider: "openai", Model: "gpt"}})
	if err != nil {
		return err
	}
	_, err = s.Settle(ctx, &got.Job, jobstore.Outcome{Number: 1, Epoch: 1, Version: 1, Note: &jobstore.Late{Bytes: 35, SHA256: hash},
		Result: &contracts.Result{Output: []byte(`{"category":"card","urgent":true}`), Target: "main", Provider: "openai", Model: "gpt", FinishReason: "stop"}})
	return err
}

// BenchmarkInference is one submit and one settle on a real Redis: alone, and
// with 64 callers at once, whose calls travel together.
func BenchmarkInference(b *testing.B) {
	redis := lab.Redis(b)
	open := func(b *testing.B) *jobstore.Store {
		s, err := jobstore.Open(b.Context(), jobstore.Options{URL: redis.URL(), Prefix: fmt.Sprint("bench", b.N, ":"), Retention: 10 * time.Second})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		b.ReportAllocs()
		return s
	}
	report := func(b *testing.B, s *jobstore.Store, before time.Duration) {
		b.ReportMetric(float64(s.Calls())/float64(b.N), "scripts/op")
		b.ReportMetric(float64((redis.CPU(b)-before).Microseconds())/float64(b.N), "redis-cpu-µs/op")
	}
	b.Run("alone", func(b *testing.B) {
		s, before := open(b), redis.CPU(b)
		for i := 0; b.Loop(); i++ {
			if err := infer(b.Context(), s, fmt.Sprint(time.Now().UnixNano(), i)); err != nil {
				b.Fatal(err)
			}
		}
		report(b, s, before)
	})
	b.Run("64 at once", func(b *testing.B) {
		s, before := open(b), redis.CPU(b)
		b.SetParallelism(64 / runtime.GOMAXPROCS(0))
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := infer(b.Context(), s, fmt.Sprint(time.Now().UnixNano(), pb)); err != nil {
					b.Error(err)
					return
				}
			}
		})
		report(b, s, before)
	})
}
