package jobstoretest

import "inferonce/jobstore"

// situation is a place where a job can stand, and the moves that bring it there.
type situation struct {
	name string
	ops  []Op
}

func then(ops []Op, more ...Op) []Op { return append(append([]Op{}, ops...), more...) }

// situations are all pairs of a job's and its attempts' states that moves can
// reach, held and lapsed where that makes a difference.
func situations() []situation {
	var (
		begun     = []Op{{Kind: "submit", First: true, Long: true}}
		abandoned = []Op{{Kind: "submit", First: true}}
		queued    = []Op{{Kind: "submit"}}
		unknown   = then(begun, Op{Kind: "settle", N: 1, Outcome: "unknown"})
		raced     = then(unknown, Op{Kind: "begin", N: 2, Race: true, Long: true})
		both      = then(raced, Op{Kind: "settle", N: 2, Outcome: "unknown"})
		won       = Op{Kind: "settle", N: 1, Outcome: "succeeded", Result: "r"}
		accept2   = Op{Kind: "accept", N: 2}
	)
	return []situation{
		{"no job", nil},
		{"queued, held by nobody", queued},
		{"queued, held", then(queued, Op{Kind: "claim", Long: true})},
		{"queued, claimed in vain as often as allowed", then(queued, Op{Kind: "claim"}, Op{Kind: "claim"}, Op{Kind: "claim"})},
		{"queued after a failed attempt", then(begun, Op{Kind: "settle", N: 1, Outcome: "failed"})},
		{"starting, held", begun},
		{"starting, lapsed", abandoned},
		{"running, held", then(begun, Op{Kind: "accept", N: 1})},
		{"running, lapsed", then(abandoned, Op{Kind: "accept", N: 1})},
		{"unknown, held", unknown},
		{"unknown, orphaned and taken over", then(abandoned, Op{Kind: "claim", Long: true})},
		{"unknown, released", then(unknown, Op{Kind: "release", Never: true})},
		{"unknown, while its request could still leave", []Op{{Kind: "submit", First: true, Long: true, Window: true}, {Kind: "settle", N: 1, Outcome: "unknown"}}},
		{"unknown, claimed in vain as often as allowed", then(abandoned, Op{Kind: "claim"}, Op{Kind: "claim"}, Op{Kind: "claim"})},
		{"unknown and a second starting", raced},
		{"unknown and a second running", then(raced, accept2)},
		{"unknown and a second starting, lapsed", then(unknown, Op{Kind: "begin", N: 2, Race: true})},
		{"unknown and a second unknown", both},
		{"unknown and a second failed", then(raced, Op{Kind: "settle", N: 2, Outcome: "failed"})},
		{"failed and a second unknown", then(both, Op{Kind: "settle", N: 1, Outcome: "failed"})},
		{"cancelled and a second running", then(raced, accept2, Op{Kind: "resolve", N: 1, As: jobstore.Cancelled})},
		{"succeeded", then(begun, won)},
		{"succeeded while a second starts", then(raced, won)},
		{"succeeded while a second runs", then(raced, accept2, won)},
		{"succeeded while a second is unknown", then(both, won)},
		{"failed", then(begun, Op{Kind: "settle", N: 1, Outcome: "failed", Fail: true})},
		{"cancelled", then(raced, Op{Kind: "cancel"})},
	}
}

// tries are all moves with all arguments that make a difference, right and
// wrong ones.
func (w *work) tries() []Op {
	m := w.m
	ops := []Op{{Kind: "submit", Fingerprint: "g"}, {Kind: "submit"}, {Kind: "submit", First: true, Long: true}, {Kind: "load"},
		{Kind: "claim"}, {Kind: "claim", Long: true}, {Kind: "begin", N: m.N, Long: true}, {Kind: "begin", N: jobstore.MaxAttempts + 1}}
	for _, epoch := range []int64{0, m.Epoch + 1} {
		ops = append(ops, Op{Kind: "renew", Epoch: epoch, Long: true}, Op{Kind: "release", Epoch: epoch, Never: true},
			Op{Kind: "release", Epoch: epoch}, Op{Kind: "begin", N: m.N + 1, Epoch: epoch, Long: true},
			Op{Kind: "begin", N: m.N + 1, Epoch: epoch, Long: true, Race: true}, Op{Kind: "fail", Epoch: epoch})
	}
	for n := 0; n <= m.N+1; n++ {
		ops = append(ops, Op{Kind: "accept", N: n})
		for _, o := range []Op{{Outcome: "succeeded", Result: "r2"}, {Outcome: "failed"}, {Outcome: "unknown"},
			{Outcome: "succeeded", Result: "r2", Epoch: m.Epoch + 1}, {Outcome: "succeeded", Result: "r2", Version: m.Version + 7},
			{Outcome: "failed", Epoch: m.Epoch + 1}, {Outcome: "failed", Version: m.Version + 7},
			{Outcome: "succeeded", Result: "r"}, {Outcome: "failed", Fail: true}} {
			o.Kind, o.N = "settle", n
			ops = append(ops, o)
		}
		for _, o := range []Op{{As: jobstore.Executed, Result: "r"}, {As: jobstore.Executed}, {As: jobstore.NotExecuted}, {As: jobstore.Cancelled},
			{As: jobstore.NotExecuted, Fail: true}, {As: jobstore.Cancelled, Fail: true}, {As: jobstore.Cancelled, Version: m.Version + 7}} {
			o.Kind, o.N = "resolve", n
			ops = append(ops, o)
		}
	}
	return append(ops, Op{Kind: "cancel"})
}
