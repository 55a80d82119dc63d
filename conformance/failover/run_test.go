package failover

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

func TestOnlyChoosesStories(t *testing.T) {
	for _, tt := range []struct {
		name string
		only []string
		want int
	}{
		{"no pattern is all", nil, len(Catalog())},
		{"an id is one story", []string{"order/reverse"}, 1},
		{"a star crosses the slash", []string{"kill*"}, 4},
		{"patterns add up", []string{"order/*", "kill/*"}, 7},
		{"what matches nothing is nothing", []string{"orders"}, 0},
		{"a malformed pattern matches nothing", []string{"["}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			for _, s := range Catalog() {
				if (Options{Only: tt.only}).wants(s.ID) {
					n++
				}
			}
			if n != tt.want {
				t.Errorf("%d stories, want %d", n, tt.want)
			}
		})
	}
}

func TestCatalogIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Catalog() {
		if s.ID == "" || s.Title == "" || s.Asks == "" || len(s.Proves) == 0 || s.Run == nil || seen[s.ID] {
			t.Errorf("story %q says too little of itself, or stands twice", s.ID)
		}
		seen[s.ID] = true
	}
}

// A story that cannot be told is reported as not run, with the reason.
func TestMissingAbilityIsNotRun(t *testing.T) {
	t.Parallel()
	d := newFake(t, "").deployment()
	d.Killer, d.Store, d.Second, d.Race, d.OtherKey = nil, nil, nil, Contract{}, ""
	sum, err := Run(t.Context(), d, Options{Only: []string{"kill/*", "store/*", "two-routers/*", "order/race*", "request/other-owner", "order/reverse"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range sum.Results {
		want := NotRun
		if r.ID == "order/reverse" {
			want = Passed
		}
		if r.Verdict != want || want == NotRun && !strings.Contains(r.Reason, "the deployment has none") {
			t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
		}
	}
	if sum.NotRun != 11 || sum.Passed != 1 || !sum.OK() {
		t.Errorf("%d not run, %d passed, OK %v", sum.NotRun, sum.Passed, sum.OK())
	}
}

func TestNothingShownIsNotOK(t *testing.T) {
	sum := Summary{}
	sum.add(Result{Verdict: NotRun})
	if sum.OK() {
		t.Error("a run in which nothing was told is OK")
	}
}

func TestEndedRunReportsTheRestAsNotRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	sum, err := Run(ctx, newFake(t, "").deployment(), Options{Only: []string{"intent/*"}, Told: func(Result) { cancel() }})
	if err != nil || sum.Passed != 1 || sum.NotRun != 2 {
		t.Errorf("%v: %d passed, %d not run", err, sum.Passed, sum.NotRun)
	}
}

func TestDeploymentsThatCannotBeTold(t *testing.T) {
	good := Deployment{BaseURL: "http://127.0.0.1:1", Key: "k", SimListen: "127.0.0.1:0",
		Primary: Target{Name: "sim-a"}, Fallback: Target{Name: "sim-b"}, Hold: Tickets("ticket-triage")}
	for _, tt := range []struct {
		name  string
		spoil func(*Deployment)
		want  string
	}{
		{"no key", func(d *Deployment) { d.Key = "" }, "API key"},
		{"no simulator", func(d *Deployment) { d.SimListen = "" }, "simulator"},
		{"both targets at one provider", func(d *Deployment) { d.Fallback = Target{Name: "x", Provider: "sim-a"} }, "two targets"},
		{"no contract", func(d *Deployment) { d.Hold = Contract{} }, "contract"},
		{"an address that cannot be listened on", func(d *Deployment) { d.SimListen = "127.0.0.1:x" }, "serve the simulator"},
		{"no simulator at its address", func(d *Deployment) { d.SimURL = "http://127.0.0.1:1" }, "no simulator at"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := good
			tt.spoil(&d)
			_, err := Run(t.Context(), d, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestRouterThatNeverGetsReady(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		cancel() // as if the wait had been too long
	}))
	defer srv.Close()
	d := Deployment{BaseURL: srv.URL, Key: "k", SimListen: "127.0.0.1:0",
		Primary: Target{Name: "sim-a"}, Fallback: Target{Name: "sim-b"}, Hold: Tickets("ticket-triage")}
	if _, err := Run(ctx, d, Options{}); err == nil || !strings.Contains(err.Error(), "did not get ready") {
		t.Errorf("got %v", err)
	}
}

// prover proves by asking the fake to believe it.
type prover struct {
	f     *fake
	asked []string
	err   error
}

func (p *prover) Prove(_ context.Context, target, contract string) (contracts.Report, error) {
	p.asked = append(p.asked, target+" "+contract)
	return contracts.Report{Target: target, ID: contract}, p.err
}

func TestFallbackIsProvedOnlyWhereItMustBe(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	f.standing["ticket-notify@1"].on = false
	p := &prover{f: f}
	d := f.deployment()
	d.Prover = p
	sum, err := Run(t.Context(), d, Options{Only: []string{"external/refusal-falls-over"}})
	if err != nil || sum.Passed != 1 {
		t.Errorf("%v, %+v", err, sum.Results)
	}
	if !slices.Equal(p.asked, []string{"sim-b ticket-notify@1"}) {
		t.Errorf("proved %q, want the one pair that was not eligible", p.asked)
	}
}

func TestFallbackThatIsNotEligibleIsNotRun(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	f.standing["ticket-triage@1"].on = false
	sum, err := Run(t.Context(), f.deployment(), Options{Only: []string{"fallback/401", "double-click/2"}})
	if err != nil || sum.Passed != 1 || sum.NotRun != 1 || !strings.Contains(sum.Results[1].Reason, "sim-b may not take over for ticket-triage") {
		t.Errorf("%v, %+v", err, sum.Results)
	}
}

func TestProofThatFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	f.standing["ticket-triage@1"].on = false
	d := f.deployment()
	d.Prover = &prover{f: f, err: errors.New("no such model")}
	if _, err := Run(t.Context(), d, Options{}); err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("got %v", err)
	}
}

// Standing faults and latencies of a shared simulator come back after the run.
func TestSimulatorIsLeftAsItWas(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	before := sim.Settings{Latency: sim.Duration(time.Millisecond), Always: &sim.Fault{Status: 429}}
	if err := f.sim.SetSettings("sim-a", before); err != nil {
		t.Fatal(err)
	}
	sum, err := Run(t.Context(), f.deployment(), Options{Only: []string{"fallback/401"}})
	if err != nil || sum.Passed != 1 {
		t.Fatalf("%v, %+v", err, sum.Results)
	}
	c := sim.Client{Base: f.simURL}
	after, err := c.Settings(t.Context(), "sim-a")
	if err != nil || after.Latency != before.Latency || after.Always == nil || after.Always.Status != 429 {
		t.Errorf("%v, %+v", err, after)
	}
}

// A story that goes wrong leaves no fault and no live job behind.
func TestFailedStoryLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	res := (&runner{d: new(Deployment), o: Options{}, sim: sim.Client{Base: f.simURL}, names: newNamer(), missing: map[Need]string{}}).
		with(f).tell(t.Context(), Story{ID: "x", Run: func(w *World) {
		_, _, _ = w.Unknown(w.d.Hold, nil)
		w.Faults(w.Fallback(), sim.Fault{Status: 500})
		panic("a mistake of the story's own")
	}})
	if res.Verdict != Failed || !strings.Contains(res.Reason, "the harness itself failed: a mistake") {
		t.Errorf("%s: %s", res.Verdict, res.Reason)
	}
	left, err := f.sim.Faults("sim-b")
	if err != nil || len(left) != 0 {
		t.Errorf("%v, faults left: %d", err, len(left))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.jobs {
		if j.Live() {
			t.Errorf("job left %s", j.State)
		}
	}
}

func (r *runner) with(f *fake) *runner {
	d := f.deployment()
	r.d, r.http = &d, newHTTP()
	r.api = client{r.http, d.BaseURL, d.Key}
	return r
}

// The client's own transport must not repeat what a story counts.
func TestClientSendsOnce(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hits.Add(1) == 1 {
			w.WriteHeader(http.StatusOK) // so that the connection is used again
			return
		}
		panic(http.ErrAbortHandler)
	}))
	defer srv.Close()
	c := client{newHTTP(), srv.URL, "k"}
	r := request{method: http.MethodPost, path: "/", body: []byte("{}"), header: http.Header{"Idempotency-Key": {"a"}}}
	if a := c.do(t.Context(), r); a.Status != http.StatusOK {
		t.Fatal(a.line())
	}
	if a := c.do(t.Context(), r); a.Err == nil || hits.Load() != 2 {
		t.Errorf("%s after %d requests, want no answer after 2", a.line(), hits.Load())
	}
}
