package failover

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"inferonce/providers/sim"
)

// gateway is one of the two kinds there are: careful remembers keys and does
// not run what may still run; the other forwards every request, and goes to
// the next provider whenever an answer is not good.
type gateway struct {
	sim     *sim.Server
	simURL  string
	careful bool

	mu   sync.Mutex
	done map[string]func() (int, []byte)
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	answer := func() (int, []byte) { return g.serve(context.Background(), body) }
	if g.careful {
		g.mu.Lock()
		key := r.Header.Get("Idempotency-Key")
		if g.done[key] == nil {
			g.done[key] = sync.OnceValues(answer)
		}
		answer = g.done[key]
		g.mu.Unlock()
	}
	status, b := answer()
	w.WriteHeader(status)
	w.Write(b)
}

func (g *gateway) serve(ctx context.Context, body []byte) (int, []byte) {
	status, b, lost := g.call(ctx, "sim-a", body)
	if lost && g.careful {
		return http.StatusBadGateway, []byte(`{"error":{"message":"nobody knows"}}`)
	}
	if a := (Answer{Body: b}); lost || status != 200 || g.careful && !a.fits() {
		status, b, _ = g.call(ctx, "sim-b", body)
	}
	return status, b
}

// call is lost when no answer came, or is known not to come in time.
func (g *gateway) call(ctx context.Context, provider string, body []byte) (int, []byte, bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		ref := string(body[bytes.Index(body, []byte("[ref:"))+5 : bytes.IndexByte(body, ']')])
		calls, err := g.sim.Await(ctx, sim.Query{Ref: ref, Provider: provider}, sim.Executed, 1)
		if err == nil && strings.HasPrefix(calls[0].Fault, "late") {
			cancel()
		}
	}()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, g.simURL+"/sim/"+provider+"/v1/chat/completions", bytes.NewReader(body))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, true
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, b, err != nil
}

// compareOne tells one story to one kind of gateway.
func compareOne(t *testing.T, careful bool, id string) Result {
	s := sim.New(sim.Options{})
	simulator := httptest.NewServer(s)
	t.Cleanup(simulator.Close)
	t.Cleanup(s.Close)
	srv := httptest.NewServer(&gateway{sim: s, simURL: simulator.URL, careful: careful, done: map[string]func() (int, []byte){}})
	t.Cleanup(srv.Close)
	sum, err := Compare(t.Context(), Gateway{BaseURL: srv.URL + "/v1", Model: "sim", SimURL: simulator.URL}, Options{Only: []string{id}})
	if err != nil || len(sum.Results) != 1 {
		t.Fatalf("%v, %d results", err, len(sum.Results))
	}
	return sum.Results[0]
}

func TestGatewaysAreToldApartByCounting(t *testing.T) {
	for _, tt := range []struct {
		story                   string
		careful, careless       string // what was paid
		carefulOK, carelessOK   Verdict
		executions, byForwarder int
	}{
		{"gateway/double-click", "paid once", "paid twice", Passed, Failed, 1, 2},
		{"gateway/impatient", "paid once", "paid twice", Passed, Failed, 1, 2},
		{"gateway/timeout", "paid once", "paid twice", Passed, Failed, 1, 2},
		{"gateway/reset", "paid once", "paid twice", Passed, Failed, 1, 2},
		{"gateway/schema-break", "paid twice", "paid once", Passed, Failed, 2, 1},
		{"gateway/error-in-200", "paid once", "paid nothing", Passed, Failed, 1, 0},
		{"gateway/429", "paid once", "paid once", Passed, Passed, 1, 1},
	} {
		t.Run(tt.story, func(t *testing.T) {
			t.Parallel()
			for _, g := range []struct {
				careful bool
				paid    string
				verdict Verdict
				ran     int
			}{{true, tt.careful, tt.carefulOK, tt.executions}, {false, tt.careless, tt.carelessOK, tt.byForwarder}} {
				r := compareOne(t, g.careful, tt.story)
				if r.Verdict != g.verdict || r.Count == nil || r.Count.Paid != g.paid || r.Count.Executions != g.ran {
					t.Errorf("careful %v: %s (%s), %+v, want %s, %s", g.careful, r.Verdict, r.Reason, r.Count, g.verdict, g.paid)
				}
			}
		})
	}
}

func TestGatewayThatNeverCallsItsProvidersShowsNothing(t *testing.T) {
	t.Parallel()
	s := sim.New(sim.Options{})
	simulator := httptest.NewServer(s)
	t.Cleanup(simulator.Close)
	t.Cleanup(s.Close)
	srv := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	sum, err := Compare(t.Context(), Gateway{BaseURL: srv.URL, Model: "m", SimURL: simulator.URL}, Options{Only: []string{"gateway/429"}})
	if err != nil || sum.Failed != 1 || !strings.Contains(sum.Results[0].Reason, "the ledger knows the intent") {
		t.Errorf("%v, %+v", err, sum)
	}
}
