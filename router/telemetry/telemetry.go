package telemetry

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"inferonce/jobstore"
	"inferonce/router"
)

// Options say where observations go and where the gauges come from.
type Options struct {
	// Log gets one line an event; nil: none. It is called in line with the job
	// that was observed, so its handler must not block.
	Log *slog.Logger
	// Registry holds the metrics; nil: a new one. One registry serves one Telemetry.
	Registry *prometheus.Registry
	// Counts reads how many jobs wait for something, as jobstore.Store.Count
	// does; nil: there are no such gauges. It must return when its context ends.
	Counts func(ctx context.Context) (jobstore.Counts, error)
}

// Telemetry is a router.Observer. It is safe for concurrent use.
type Telemetry struct {
	log      *slog.Logger
	registry *prometheus.Registry
	metrics  *metrics
}

var _ router.Observer = (*Telemetry)(nil)

// New registers the metrics of the router, of the Go runtime and of the
// process. It panics if the registry holds them already.
func New(o Options) *Telemetry {
	t := &Telemetry{log: o.Log, registry: o.Registry}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	if t.registry == nil {
		t.registry = prometheus.NewRegistry()
	}
	t.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	t.metrics = newMetrics(t.registry)
	if o.Counts != nil {
		t.registry.MustRegister(newGauges(o.Counts))
	}
	return t
}

// Observe counts o and logs it.
func (t *Telemetry) Observe(o router.Observation) {
	r, ok := reactions[o.Event]
	if !ok {
		return // the test of reactions keeps this from happening
	}
	r.count(t.metrics, o)
	t.write(r.level, o)
}

// Handler serves the metrics in the formats that Prometheus asks for. A
// collector that fails leaves the others' metrics in the answer.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{Registry: t.registry, ErrorHandling: promhttp.ContinueOnError})
}
