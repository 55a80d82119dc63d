package httpapi

import (
	"context"
	"net/http"
	"time"

	"inferonce/jobstore"
	"inferonce/router"
)

// healthView is how ready the router is.
type healthView struct {
	Status      string              `json:"status"` // ready, draining, store_unavailable
	Durability  jobstore.Durability `json:"durability"`
	Embedded    bool                `json:"embedded"`
	RoundTripMS float64             `json:"store_round_trip_ms"`
	ClockSkewMS float64             `json:"clock_skew_ms"`
	Draining    bool                `json:"draining"`
	Inflight    int                 `json:"inflight"`
}

func viewHealth(status string, h router.Health) *healthView {
	return &healthView{Status: status, Durability: h.Store.Durability, Embedded: h.Store.Embedded,
		RoundTripMS: millis(h.Store.RoundTrip), ClockSkewMS: millis(h.Store.ClockSkew), Draining: h.Draining, Inflight: h.Inflight}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// healthz is GET /healthz: the process lives. It asks nobody, so that a lost
// store does not get every router restarted.
func (a *api) healthz(x *exchange) error {
	return x.send(http.StatusOK, map[string]string{"status": "ok"})
}

// readyTime is how long a store may take before it counts as away: a probe
// wants an answer, and the probes of supervisors give up after a few seconds.
const readyTime = 3 * time.Second

// readyz is GET /readyz: whether to send work here.
func (a *api) readyz(x *exchange) error {
	ctx, stop := context.WithTimeout(x.r.Context(), readyTime)
	defer stop()
	h, err := a.Router.Health(ctx)
	if err == nil && !h.Draining {
		return x.send(http.StatusOK, viewHealth("ready", h))
	}
	p := newProblem(codeDraining, "this router takes no new work")
	if err != nil {
		p = newProblem(codeStore, "the store does not take a write")
	}
	p.Health = viewHealth(p.Code, h)
	return p
}

func (a *api) metrics(x *exchange) error {
	if a.Metrics == nil {
		return newProblem(codeNotFound, "this router keeps no metrics")
	}
	x.limitWriting()
	a.Metrics.ServeHTTP(x.w, x.r)
	return nil
}

func (a *api) version(x *exchange) error {
	return x.send(http.StatusOK, map[string]string{"version": a.Version})
}

func (a *api) document(x *exchange) error {
	doc, err := a.openapi()
	if err != nil {
		return err
	}
	return x.sendBytes("application/json", http.StatusOK, doc)
}
