package main

import (
	"context"
	"io"
	"os/exec"
	"testing"
	"time"

	"inferonce/conformance/failover"
)

// startRouter starts what 'inferonce verify' starts: routers as processes, a
// store, and the simulated providers.
func startRouter(t *testing.T, o verifyOptions) *launched {
	t.Helper()
	program, err := exec.LookPath("inferonce") // this test's own binary
	if err != nil {
		t.Fatal(err)
	}
	o.program = program
	l, err := launch(context.Background(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.stop)
	return l
}

// TestFailoverStories tells every story to a complete router (R28, R29), on a
// real Redis and on the embedded store. None may be left out.
func TestFailoverStories(t *testing.T) {
	for _, store := range []struct {
		name    string
		options verifyOptions
	}{{"redis", verifyOptions{}}, {"embedded", verifyOptions{embedded: true}}} {
		t.Run(store.name, func(t *testing.T) {
			t.Parallel()
			if store.name == "redis" {
				needRedis(t)
			}
			l := startRouter(t, store.options)
			d := failover.Deployment{Primary: failover.Target{Name: "sim-a"}, Fallback: failover.Target{Name: "sim-b"},
				Hold: failover.Tickets("ticket-triage"), External: failover.Tickets("ticket-notify"), Race: failover.Tickets("ticket-race")}
			l.deploy(&d)
			sum, err := failover.Run(context.Background(), d, failover.Options{Patience: 2 * time.Minute, Told: func(r failover.Result) {
				t.Run(r.ID, func(t *testing.T) {
					if r.Verdict != failover.Passed {
						_, _ = r.WriteTo(testLog{t})
						t.Fail()
					}
				})
			}})
			if err != nil || !sum.OK() {
				t.Errorf("%d passed, %d failed, %v", sum.Passed, sum.Failed, err)
			}
		})
	}
}

func needRedis(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("redis-server is not installed; run: make redis")
	}
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Helper()
	l.t.Logf("%s", b)
	return len(b), nil
}
