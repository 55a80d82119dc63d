package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"inferonce/conformance/failover"
	"inferonce/providers/sim"
)

// kills is how often a router is killed. Random kills are a weak detector; the
// stories of 'inferonce verify' kill at chosen moments.
const kills = 200

// TestTwoHundredKillsLoseNothingAndRunNothingTwice kills one of two routers at
// random moments under load (R5, R6, R10). Every job that was acknowledged is
// there at the end, and under hold the provider's ledger has at most one
// execution of each.
func TestTwoHundredKillsLoseNothingAndRunNothingTwice(t *testing.T) {
	needRedis(t)
	l := startRouter(t, verifyOptions{})
	ctx := context.Background()
	if err := l.start(ctx, &l.second); err != nil {
		t.Fatal(err)
	}
	slow := sim.Duration(30 * time.Millisecond)
	if err := l.sim.SetSettings("sim-a", sim.Settings{Latency: slow}); err != nil {
		t.Fatal(err)
	}
	crowd := newCrowd(l)
	crowd.start(8)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range kills {
		victim := []*routerProcess{&l.first, &l.second}[i%2]
		<-time.After(time.Duration(random.IntN(40)) * time.Millisecond)
		if err := victim.kill(); err != nil {
			t.Fatal(err)
		}
		if err := l.start(ctx, victim); err != nil {
			t.Fatal(err)
		}
	}
	acknowledged := crowd.stop()
	t.Logf("%d kills, %d jobs acknowledged", kills, len(acknowledged))
	if len(acknowledged) < kills {
		t.Errorf("only %d jobs were acknowledged: the load was too small to mean anything", len(acknowledged))
	}
	checkJobs(t, ctx, l, acknowledged)
}

// checkJobs waits until every job has ended or is unknown, and holds the
// records against the provider's ledger.
func checkJobs(t *testing.T, ctx context.Context, l *launched, ids []string) {
	t.Helper()
	ran := map[string][]sim.Execution{}
	deadline := time.Now().Add(time.Minute)
	states := map[string]int{}
	for _, id := range ids {
		var j failover.Job
		for {
			if err := crowdClient(l).exchange(ctx, "GET", "/v1/jobs/"+id, nil, nil, &j); err != nil {
				t.Errorf("job %s was acknowledged and is lost: %v", id, err)
				break
			}
			if !j.Live() || j.State == "unknown" || time.Now().After(deadline) {
				break
			}
			pause(ctx, 50*time.Millisecond)
		}
		states[j.State]++
		ran[id] = l.sim.Ledger(sim.Query{Job: id})
		for _, b := range failover.Breaches(j, ran[id], false) {
			t.Errorf("job %s: %s", id, b)
		}
		executed := 0
		for _, e := range ran[id] {
			if e.Executed {
				executed++
			}
		}
		if executed > 1 || j.State == "succeeded" && executed != 1 {
			t.Errorf("job %s is %s with %d executions", id, j.State, executed)
		}
	}
	if states["running"]+states["queued"] > 0 {
		t.Errorf("jobs never came to rest: %v", states)
	}
	t.Logf("states at the end: %v", states)
}

// crowd is a number of apps that send an intent until it is acknowledged, with
// the same key each time, to whichever router answers.
type crowd struct {
	l    *launched
	halt chan struct{}
	wg   sync.WaitGroup
	mu   sync.Mutex
	jobs []string
}

func newCrowd(l *launched) *crowd { return &crowd{l: l, halt: make(chan struct{})} }

func crowdClient(l *launched) *client {
	return &client{base: "http://" + l.first.addr, key: l.key, http: &http.Client{CheckRedirect: stay}}
}

func (c *crowd) start(n int) {
	for app := range n {
		c.wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-c.halt:
					return
				default:
					c.send(fmt.Sprintf("app-%d-%d", app, i))
				}
			}
		})
	}
}

func (c *crowd) send(key string) {
	body := map[string]any{"contract": "ticket-triage", "input": map[string]string{"text": "where is my card, " + key}}
	for try := 0; ; try++ {
		api, how := crowdClient(c.l), "wait=1"
		if try%2 == 1 {
			api.base = "http://" + c.l.second.addr
		}
		if try > 0 {
			how = "respond-async" // its job may be held by a dead router: being acknowledged is enough
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		var j failover.Job
		err := api.exchange(ctx, "POST", "/v1/infer", map[string]string{"Idempotency-Key": key, "Prefer": how}, body, &j)
		cancel()
		if err == nil {
			c.mu.Lock()
			c.jobs = append(c.jobs, j.ID)
			c.mu.Unlock()
			return
		}
		select {
		case <-c.halt:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (c *crowd) stop() []string {
	close(c.halt)
	c.wg.Wait()
	return c.jobs
}
