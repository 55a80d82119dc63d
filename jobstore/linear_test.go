package jobstore_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"

	"github.com/anishathalye/porcupine"
)

// The size of a run. Each history is one owner's key under several clients;
// INFERONCE_LONG=1 asks for ten times as many.
const (
	histories  = 200
	clients    = 5
	opsEach    = 20
	lostRate   = 0.05 // of all script calls, by request or reply
	searchTime = 30 * time.Second
)

// TestConcurrentHistoriesAreLinearizable lets clients move one job at once, over
// connections that lose messages, and has Porcupine look for an order of the
// moves in which the model gives the same answers.
func TestConcurrentHistoriesAreLinearizable(t *testing.T) {
	n := histories
	if os.Getenv("INFERONCE_LONG") == "1" {
		n *= 10
	}
	p := jobstoretest.NewPlace(t, jobstore.Options{URL: lab.Redis(t).URL()})
	p.Faults.Random(1, lostRate)
	total, lost, unavailable := 0, 0, 0
	for seed := range n {
		history := record(t, p, seed)
		for _, op := range history {
			total++
			switch op.Output.(jobstoretest.Reply).Word {
			case jobstoretest.Lost:
				lost++
			case jobstoretest.Unavailable:
				unavailable++
			}
		}
		if got := porcupine.CheckOperationsTimeout(linearModel, history, searchTime); got != porcupine.Ok {
			slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
			for _, op := range history {
				t.Logf("%10d to %10d  client %d  %s", op.Call/1000, op.Return/1000, op.ClientId, linearModel.DescribeOperation(op.Input, op.Output))
			}
			t.Fatalf("history %d is not linearizable: %s", seed, got)
		}
	}
	calls := p.Faults.Calls()
	faults := 0
	for _, c := range calls {
		if c.Fault != jobstoretest.Fine {
			faults++
		}
	}
	t.Logf("%d operations, %d script calls, %d of them lost on the wire, %d operations that nobody knows the outcome of", total, len(calls), faults, lost)
	if 100*faults < 3*len(calls) || total < n*clients*opsEach || 100*unavailable > total {
		t.Errorf("%d of %d calls were lost, %d operations made, %d of them in vain: this shows nothing", faults, len(calls), total, unavailable)
	}
}

// linearModel is the model as Porcupine wants it. An operation of which nobody
// knows the outcome never returned: it may stand at the very end, where it
// changes nothing for anybody.
var linearModel = porcupine.Model{
	Init: func() any { return jobstoretest.Model{} },
	Step: func(state, input, output any) (bool, any) {
		next, want := state.(jobstoretest.Model).Step(input.(jobstoretest.Op))
		got := output.(jobstoretest.Reply)
		if got.Word == jobstoretest.Unavailable {
			return true, state // the store's word that nothing was done
		}
		return got.Word == jobstoretest.Lost || got == want, next
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v  ->  %+v", input, output) },
}

// record makes one history: every client submits first, and then moves the job
// with what it last heard of it, some of it out of date.
func record(t *testing.T, p *jobstoretest.Place, seed int) []porcupine.Operation {
	ctx := jobstoretest.Context(t)
	d := jobstoretest.Driver{Store: p.Store, Owner: "owner", Key: fmt.Sprint("history ", seed)}
	began := time.Now()
	var mu sync.Mutex
	var out []porcupine.Operation
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(c)))
			k := &client{Driver: d, rand: r, number: c}
			for range opsEach {
				op := k.next()
				call := time.Since(began)
				reply := k.Do(ctx, op, k.seen.N)
				end := time.Since(began)
				if reply.Word == jobstoretest.Lost {
					end = time.Hour
				}
				k.learn(ctx, op, reply)
				mu.Lock()
				out = append(out, porcupine.Operation{ClientId: c, Input: op, Output: reply, Call: int64(call), Return: int64(end)})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return separate(out)
}

// separate gives an operation without an outcome a client of its own: its
// client went on while it was still under way.
func separate(ops []porcupine.Operation) []porcupine.Operation {
	next := clients
	for i := range ops {
		if ops[i].Output.(jobstoretest.Reply).Word == jobstoretest.Lost {
			ops[i].ClientId = next
			next++
		}
	}
	return ops
}

// client is one router as the store sees it.
type client struct {
	jobstoretest.Driver
	rand   *rand.Rand
	number int
	seen   jobstoretest.Model // what it believes of the job
	beat   int64
}

var kinds = []string{"submit", "claim", "claim", "renew", "release", "begin", "begin", "begin", "accept", "settle", "settle", "settle",
	"settle", "fail", "resolve", "resolve", "resolve", "cancel", "load", "load"}

func (c *client) next() jobstoretest.Op {
	one := func(of ...string) string { return of[c.rand.IntN(len(of))] }
	yes := func() bool { return c.rand.IntN(2) == 0 }
	seldom := func(n int) bool { return c.rand.IntN(n) == 0 }
	c.beat++
	op := jobstoretest.Op{Kind: one(kinds...), ID: c.seen.ID, Fingerprint: "f", Epoch: c.seen.Epoch, Beat: c.beat,
		First: yes(), Long: seldom(4), Window: seldom(4), Race: yes(), Never: yes(), Fail: seldom(8),
		Outcome: one("succeeded", "failed", "failed", "unknown", "unknown", "unknown"), Result: one("a", "b", "c"),
		As: jobstore.As(one(string(jobstore.Executed), string(jobstore.NotExecuted), string(jobstore.NotExecuted), string(jobstore.Cancelled)))}
	if op.Kind == "cancel" && !seldom(4) || op.Kind == "fail" && !seldom(4) {
		op.Kind = "load" // or most histories end at once
	}
	if op.ID == "" {
		op.Kind = "submit"
	}
	if op.Kind == "submit" && (op.ID == "" || yes()) {
		op.ID = c.Store.NewID(c.Owner, c.Key)
	}
	if op.Kind == "submit" && seldom(8) {
		op.Fingerprint = "g"
	}
	return c.aim(op, seldom)
}

// aim picks the attempt and the version that an op is about.
func (c *client) aim(op jobstoretest.Op, seldom func(int) bool) jobstoretest.Op {
	op.N = c.seen.N
	switch {
	case op.Kind == "begin":
		op.N = c.seen.N + 1
	case seldom(3) && c.seen.N > 1:
		op.N = c.seen.N - 1
	}
	if op.Kind == "settle" && op.N >= 1 {
		op.Version = c.seen.Attempts[op.N-1].Version
	}
	if op.Kind == "resolve" {
		if op.As == jobstore.Executed && seldom(2) {
			op.Result = ""
		}
		if seldom(3) {
			op.Version = c.seen.Version
		}
	}
	return op
}

// learn takes what a reply says of the job, and reads the job as a router does
// that was refused. The reads are no part of the history.
func (c *client) learn(ctx context.Context, op jobstoretest.Op, r jobstoretest.Reply) {
	if op.Kind == "submit" && r.ID != "" {
		c.seen.ID = r.ID
	}
	if op.Kind == "submit" && r.Word == jobstoretest.Lost {
		c.seen.ID = op.ID
	}
	if c.seen.ID == "" || c.rand.IntN(3) == 0 {
		return
	}
	j, err := c.Store.Load(ctx, c.seen.ID)
	if err != nil {
		if c.rand.IntN(2) == 0 {
			c.seen.ID = "" // it was never made, perhaps: submit again
		}
		return
	}
	c.seen = jobstoretest.Model{ID: j.ID, Epoch: j.Epoch, Version: j.Version, N: len(j.Attempts)}
	for i, a := range j.Attempts {
		c.seen.Attempts[i].Version = a.Version
	}
}
