package httpapi

import (
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

// readyz is GET /readyz: whether to send work here.
func (a *api) readyz(x *exchange) error {
	h, err := a.Router.Health(x.r.Context())
	if err == nil && h.Draining {
		err = router.ErrDraining
	}
	if err == nil {
		return x.send(http.StatusOK, viewHealth("ready", h))
	}
	p := problemOf(err)
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
