package jobstore_test

import (
	"fmt"
	"testing"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"

	"pgregory.net/rapid"
)

// TestAnySequenceOfMovesDoesWhatTheModelSays makes random moves on a store and
// on the model side by side: same replies, same record after each.
func TestAnySequenceOfMovesDoesWhatTheModelSays(t *testing.T) {
	t.Parallel()
	for name, options := range lab.On() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := jobstoretest.NewPlace(t, options(t))
			ctx := jobstoretest.Context(t)
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				n++
				d := jobstoretest.Driver{Store: p.Store, Owner: "o", Key: fmt.Sprint("k", n)}
				var m jobstoretest.Model
				beat := int64(0)
				for range rapid.IntRange(5, 30).Draw(rt, "steps") {
					op := drawOp(rt, d, m)
					beat++
					op.Beat = beat
					next, want := m.Step(op)
					got := d.Do(ctx, op, rapid.IntRange(0, m.N).Draw(rt, "known"))
					if got != want {
						rt.Fatalf("%+v\n on %s\n got  %+v\n want %+v", op, m, got, want)
					}
					m = next
					if m.ID == "" {
						continue
					}
					j, err := p.Store.Load(ctx, m.ID)
					if err != nil || jobstoretest.Seen(j) != m.String() {
						rt.Fatalf("%+v\n got  %s, %v\n want %s", op, jobstoretest.Seen(j), err, m)
					}
				}
			})
		})
	}
}

// drawOp draws any op, most of them near what the job's state allows.
func drawOp(t *rapid.T, d jobstoretest.Driver, m jobstoretest.Model) jobstoretest.Op {
	kinds := []string{"submit", "claim", "renew", "release", "begin", "begin", "accept", "settle", "settle", "settle", "fail", "resolve", "resolve", "cancel"}
	yes := rapid.Bool()
	op := jobstoretest.Op{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), ID: m.ID,
		Fingerprint: rapid.SampledFrom([]string{"f", "f", "f", "g"}).Draw(t, "fingerprint"),
		First:       yes.Draw(t, "first"), Epoch: m.Epoch - int64(rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "old epoch")),
		Long: yes.Draw(t, "long"), Window: yes.Draw(t, "window"), Race: yes.Draw(t, "race"), Never: yes.Draw(t, "never"),
		Fail: yes.Draw(t, "fail"), Outcome: rapid.SampledFrom([]string{"succeeded", "failed", "unknown", "unknown"}).Draw(t, "outcome"),
		As:     rapid.SampledFrom([]jobstore.As{jobstore.Executed, jobstore.NotExecuted, jobstore.Cancelled}).Draw(t, "as"),
		Result: rapid.SampledFrom([]string{"", "r1", "r2"}).Draw(t, "result"),
		N:      rapid.IntRange(max(0, m.N-1), m.N+1).Draw(t, "n")}
	switch op.Kind {
	case "submit":
		if m.ID == "" || rapid.IntRange(0, 2).Draw(t, "again") > 0 {
			op.ID = d.Store.NewID(d.Owner, d.Key)
		}
	case "begin":
		op.N = m.N + 1 - rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "not the next")
	case "settle":
		op.Version = m.Version
		if op.N >= 1 && op.N <= m.N {
			op.Version = m.Attempts[op.N-1].Version
		}
		op.Version += int64(rapid.SampledFrom([]int{0, 0, 0, 0, 1}).Draw(t, "wrong version"))
	case "resolve":
		op.Version = rapid.SampledFrom([]int64{0, 0, m.Version, m.Version - 1}).Draw(t, "seen version")
	}
	return op
}
