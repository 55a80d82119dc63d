package jobstoretest

import (
	"errors"
	"testing"

	"inferonce/jobstore"
)

// fences tells the stories that the three fences are for.
func fences(t *testing.T, open func(testing.TB) *Place) {
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, open(t))
		})
	}
	t.Run("a result is written only under the version its attempt read", func(t *testing.T) { versionMoved(t, open) })
	t.Run("of a late result only the note is kept", func(t *testing.T) { noteOnly(t, open) })
}

func stories() []story {
	var (
		begins    = step{Op{Kind: "submit", First: true, Long: true}, "created"}
		abandoned = step{Op{Kind: "submit", First: true}, "created"}
		queued    = step{Op{Kind: "submit"}, "created"}
		silent    = step{Op{Kind: "settle", N: 1, Epoch: 1, Outcome: "unknown"}, "ok unknown v1"}
		race      = step{Op{Kind: "begin", N: 2, Epoch: 1, Race: true, Long: true}, "ok v1"}
		lateA     = Op{Kind: "settle", N: 1, Epoch: 1, Version: 1, Outcome: "succeeded", Result: "A"}
	)
	return append(claims(), []story{
		{"A leaves first and falls silent, B races and wins, A is discarded (R14)", []step{begins, silent, race,
			{Op{Kind: "settle", N: 2, Epoch: 1, Outcome: "succeeded", Result: "B"}, "won succeeded v2"},
			{lateA, "lost"}}, "succeeded discarded succeeded"},
		{"A's late result wins while B is under way, and B is discarded", []step{begins, silent, race, {lateA, "won succeeded v2"},
			{Op{Kind: "accept", N: 2}, "ok"},
			{Op{Kind: "settle", N: 2, Epoch: 1, Outcome: "succeeded", Result: "B"}, "lost"}}, "succeeded succeeded discarded"},
		{"the loser of a race may fail or fall silent after the end", []step{begins, silent, race, {lateA, "won succeeded v2"},
			{Op{Kind: "settle", N: 2, Epoch: 1, Outcome: "unknown"}, "ok succeeded v2"},
			{Op{Kind: "settle", N: 2, Epoch: 1, Outcome: "failed"}, "ok succeeded v2"}}, "succeeded succeeded failed"},
		{"after the end an attempt is still moved only under its own epoch", []step{begins, silent, race, {lateA, "won succeeded v2"},
			{Op{Kind: "settle", N: 2, Epoch: 2, Outcome: "failed"}, "stale"}}, "succeeded succeeded starting"},
		{"A is settled as not executed, B begins, A's result is lost and B goes on", []step{begins, silent,
			{Op{Kind: "resolve", N: 1, As: jobstore.NotExecuted}, "ok queued v2"},
			{Op{Kind: "claim", Long: true}, "ok e2"},
			{Op{Kind: "begin", N: 2, Epoch: 2, Long: true}, "ok v2"}, {lateA, "lost"},
			{Op{Kind: "settle", N: 2, Epoch: 2, Version: 2, Outcome: "succeeded", Result: "B"}, "won succeeded v3"}}, "succeeded failed succeeded"},
		{"no attempt begins beside an open one (R11)", []step{begins,
			{Op{Kind: "begin", N: 2, Epoch: 1, Long: true}, "blocked"},
			{Op{Kind: "begin", N: 2, Epoch: 1, Long: true, Race: true}, "blocked"},
			{Op{Kind: "accept", N: 1}, "ok"},
			{Op{Kind: "begin", N: 2, Epoch: 1, Long: true, Race: true}, "blocked"}, silent,
			{Op{Kind: "begin", N: 2, Epoch: 1, Long: true}, "blocked"}}, "unknown unknown"},
		{"a late answer that proves a failure reopens the job for the next attempt", []step{begins, silent,
			{Op{Kind: "settle", N: 1, Epoch: 1, Outcome: "failed"}, "ok queued v1"},
			{Op{Kind: "begin", N: 2, Epoch: 1, Long: true}, "ok v1"}}, "running failed starting"},
		{"cancelled while it runs, and the answer comes late", []step{begins, {Op{Kind: "cancel"}, "ok cancelled v2"},
			{lateA, "lost"}, {Op{Kind: "settle", N: 1, Epoch: 1, Outcome: "failed"}, "stale"},
			{Op{Kind: "cancel"}, "ok cancelled"}}, "cancelled cancelled"},
		{"cancelled while it is unknown, and the answer comes late", []step{begins, silent, {Op{Kind: "cancel"}, "ok cancelled v2"},
			{lateA, "lost"}, {Op{Kind: "resolve", N: 1, As: jobstore.Executed, Result: "r"}, "not_unknown cancelled"}}, "cancelled cancelled"},
		{"an operator who knows the result ends the job with it, and the late answer is lost", []step{begins, silent,
			{Op{Kind: "resolve", N: 1, As: jobstore.Executed, Result: "operator's"}, "won succeeded v2"}, {lateA, "lost"}}, "succeeded succeeded"},
		{"settled as executed without a result, the next attempt may begin", []step{begins, silent,
			{Op{Kind: "resolve", N: 1, As: jobstore.Executed}, "ok queued v2"}}, "queued failed"},
		{"a settlement bumps the version only when nothing else is open", []step{begins, silent, race,
			{Op{Kind: "settle", N: 2, Epoch: 1, Outcome: "unknown"}, "ok unknown v1"},
			{Op{Kind: "resolve", N: 1, As: jobstore.Cancelled}, "ok unknown v1"},
			{Op{Kind: "resolve", N: 2, Version: 9, As: jobstore.Cancelled}, "conflict v1"},
			{Op{Kind: "resolve", N: 2, Version: 1, As: jobstore.Cancelled}, "ok queued v2"}}, "queued cancelled cancelled"},
		{"a settlement of the silent one leaves the raced one alone, and it wins", []step{begins, silent, race,
			{Op{Kind: "resolve", N: 1, As: jobstore.NotExecuted, Fail: true}, "ok running v1"},
			{Op{Kind: "settle", N: 2, Epoch: 1, Outcome: "succeeded", Result: "B"}, "won succeeded v2"}}, "succeeded failed succeeded"},
		{"an operator settles for good", []step{begins, silent,
			{Op{Kind: "resolve", N: 1, As: jobstore.NotExecuted, Fail: true}, "ok failed v2"}}, "failed failed"},
		{"a second settlement finds nothing unknown", []step{begins, silent,
			{Op{Kind: "resolve", N: 1, As: jobstore.NotExecuted}, "ok queued v2"},
			{Op{Kind: "resolve", N: 1, As: jobstore.NotExecuted}, "not_unknown failed"}}, "queued failed"},
		{"only an unknown attempt is settled from outside", []step{begins,
			{Op{Kind: "resolve", N: 1, As: jobstore.Executed, Result: "r"}, "not_unknown starting"}}, "running starting"},
		{"a job with an open attempt does not fail", []step{begins, {Op{Kind: "fail", Epoch: 1}, "blocked"}, silent,
			{Op{Kind: "fail", Epoch: 1}, "blocked"}}, "unknown unknown"},
		{"a running job is not given back", []step{begins, {Op{Kind: "release", Epoch: 1}, "busy"}}, "running starting"},
		{"a queued job is not given back without an alarm", []step{queued, {Op{Kind: "claim", Long: true}, "ok e1"},
			{Op{Kind: "release", Epoch: 1, Never: true}, "busy"}, {Op{Kind: "release", Epoch: 1}, "ok"},
			{Op{Kind: "begin", N: 1, Epoch: 1, Long: true}, "stale"}}, "queued"},
		{"an orphaned attempt turns unknown, and its router's late answer still counts", []step{abandoned,
			{Op{Kind: "claim", Long: true}, "orphaned e2"},
			{Op{Kind: "begin", N: 2, Epoch: 2, Long: true}, "blocked"},
			{lateA, "won succeeded v2"}}, "succeeded succeeded"},
	}...)
}

func claims() []story {
	claim, old := Op{Kind: "claim"}, Op{Kind: "begin", N: 1, Epoch: 1, Long: true}
	return []story{
		{"the old claim moves nothing", []step{{Op{Kind: "submit"}, "created"}, {claim, "ok e1"}, {Op{Kind: "claim", Long: true}, "ok e2"},
			{old, "stale"}, {Op{Kind: "renew", Epoch: 1, Long: true}, "stale"}, {Op{Kind: "release", Epoch: 1}, "stale"},
			{Op{Kind: "fail", Epoch: 1}, "stale"}, {Op{Kind: "begin", N: 1, Epoch: 2, Long: true}, "ok v1"}}, "running starting"},
		{"a router that lost its claim cannot settle what its successor runs", []step{{Op{Kind: "submit"}, "created"}, {claim, "ok e1"},
			{Op{Kind: "claim", Long: true}, "ok e2"}, {Op{Kind: "begin", N: 1, Epoch: 2, Long: true}, "ok v1"},
			{Op{Kind: "settle", N: 1, Epoch: 1, Outcome: "succeeded", Result: "r"}, "stale"}}, "running starting"},
		{"a live lease keeps others out until it lapses", []step{{Op{Kind: "submit", First: true, Long: true}, "created"}, {claim, "held"},
			{Op{Kind: "renew", Epoch: 1}, "ok"}, {claim, "orphaned e2"}}, "unknown unknown"},
		{"an old renewal that arrives late does not shorten the lease", []step{{Op{Kind: "submit", First: true, Long: true}, "created"},
			{Op{Kind: "renew", Epoch: 1, Beat: 5, Long: true}, "ok"}, {Op{Kind: "renew", Epoch: 1, Beat: 4}, "ok"}, {claim, "held"}}, "running starting"},
		{"three claims in vain fail a job under which nothing is open", []step{{Op{Kind: "submit"}, "created"}, {claim, "ok e1"}, {claim, "ok e2"},
			{claim, "ok e3"}, {claim, "quarantined"}, {claim, "ended"}}, "failed"},
		{"three claims in vain leave an unknown job to an operator, who reopens it", []step{{Op{Kind: "submit", First: true}, "created"},
			{claim, "orphaned e2"}, {claim, "ok e3"}, {claim, "ok e4"}, {claim, "quarantined"}, {claim, "quarantined"},
			{Op{Kind: "resolve", N: 1, As: jobstore.Cancelled}, "ok queued v2"}, {claim, "ok e5"}}, "queued cancelled"},
		{"an attempt is progress, and so is its end", []step{{Op{Kind: "submit"}, "created"}, {claim, "ok e1"}, {claim, "ok e2"},
			{claim, "ok e3"}, {old3(), "ok v1"}, {claim, "orphaned e4"}, {claim, "ok e5"},
			{Op{Kind: "settle", N: 1, Epoch: 5, Outcome: "failed"}, "ok queued v1"}, {claim, "ok e6"}, {claim, "ok e7"}, {claim, "ok e8"},
			{claim, "quarantined"}}, "failed failed"},
		{"a clean release is no claim in vain", []step{{Op{Kind: "submit"}, "created"}, {claim, "ok e1"}, {claim, "ok e2"}, {claim, "ok e3"},
			{Op{Kind: "release", Epoch: 3}, "ok"}, {claim, "ok e4"}}, "queued"},
	}
}

func old3() Op { return Op{Kind: "begin", N: 1, Epoch: 3} }

// versionMoved closes the result slot behind the back of every other guard, so
// that the compare-and-swap stands alone.
func versionMoved(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	for _, slot := range []struct{ field, value string }{{"version", "2"}, {"completed_by", "7"}, {"state", "cancelled"}} {
		p := open(t)
		w := built(t, p, []Op{{Kind: "submit", First: true, Long: true}})
		job := p.Faults.Of("submit")[0].Keys()[1]
		if err := p.Raw.HSet(Context(t), job, slot.field, slot.value).Err(); err != nil {
			t.Fatal(err)
		}
		op := w.fill(Op{Kind: "settle", N: 1, Outcome: "succeeded", Result: "A"})
		if got := w.Do(Context(t), op, 1); got.said() != "lost" {
			t.Errorf("%s moved: %q, want lost", slot.field, got.said())
		}
		j, err := w.Store.Load(Context(t), w.m.ID)
		if err != nil || j.Result != nil || j.Attempts[0].State != jobstore.AttemptDiscarded {
			t.Errorf("%s moved: result %v, attempt %s, %v; want none, discarded", slot.field, j.Result, j.Attempts[0].State, err)
		}
	}
}

func noteOnly(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}, {Kind: "settle", N: 1, Outcome: "unknown"},
		{Kind: "begin", N: 2, Race: true, Long: true}, {Kind: "settle", N: 2, Outcome: "succeeded", Result: "B"}})
	ctx := Context(t)
	note := &jobstore.Late{Bytes: 17, SHA256: "digest"}
	_, err := w.Store.Settle(ctx, w.Job(w.m.ID, 2), jobstore.Outcome{Number: 1, Epoch: 1, Version: 1, Result: result("A"), Note: note})
	j, loaded := w.Store.Load(ctx, w.m.ID)
	if !errors.Is(err, jobstore.ErrLost) || loaded != nil || j.Result.Target != "B" || *j.Attempts[0].Late != *note {
		t.Errorf("%v, %v: result of %s, note %+v; want ErrLost, B's result, the note", err, loaded, j.Result.Target, j.Attempts[0].Late)
	}
}

// sendWindow refuses "not executed" for as long as a paused router could still
// send, and says how long that is. Other settlements claim nothing about it.
func sendWindow(t *testing.T, open func(testing.TB) *Place) {
	w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true, Window: true}, {Kind: "settle", N: 1, Outcome: "unknown"}})
	op := Op{Kind: "resolve", ID: w.m.ID, N: 1, As: jobstore.NotExecuted}
	_, err := w.Store.Resolve(Context(t), w.m.ID, resolution(op))
	var soon *jobstore.TooSoonError
	if !errors.As(err, &soon) || soon.Wait <= 0 || soon.Wait > far {
		t.Fatalf("got %v, want a *TooSoonError with a wait of up to %s", err, far)
	}
	w.same(t, op)
	w.must(t, w.fill(Op{Kind: "resolve", N: 1, As: jobstore.Cancelled}))
}
