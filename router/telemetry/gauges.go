package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"inferonce/jobstore"
)

const (
	// countsTime bounds one read: Prometheus gives a scrape 10 s by default.
	countsTime = 2 * time.Second
	// countsEvery is the least time between two reads. One asks every shard, so
	// many scrapers must not become many reads.
	countsEvery = 5 * time.Second
)

// gauges reads the counts when it is scraped. After a read that failed it goes
// on telling the last that did not, and counts the error; before the first good
// read it tells nothing, since zero would be a lie.
type gauges struct {
	read                  func(context.Context) (jobstore.Counts, error)
	live, unknown, oldest *prometheus.Desc
	errors                prometheus.Counter

	mu    sync.Mutex
	next  time.Time // no read before it
	last  jobstore.Counts
	known bool
}

func newGauges(read func(context.Context) (jobstore.Counts, error)) *gauges {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, nil, nil)
	}
	return &gauges{read: read,
		live:    desc("jobs_live", "Jobs that somebody will look at: queued, running, or unknown and still listened to."),
		unknown: desc("jobs_unknown", "Jobs in the unknown queue."),
		oldest:  desc("oldest_unknown_seconds", "How long the longest has been in the unknown queue; 0 if it is empty."),
		errors: prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "counts_errors_total",
			Help: "Reads of the counts that failed; the gauges then keep their last values."})}
}

// Describe implements prometheus.Collector.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	ch <- g.live
	ch <- g.unknown
	ch <- g.oldest
	g.errors.Describe(ch)
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	if c, known := g.counts(); known {
		value := func(d *prometheus.Desc, v float64) { ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v) }
		value(g.live, float64(c.Live))
		value(g.unknown, float64(c.Unknown))
		value(g.oldest, c.OldestUnknown.Seconds())
	}
	g.errors.Collect(ch)
}

// counts gives the newest counts, reading them if it is time. Scrapes that come
// during a read wait for it.
func (g *gauges) counts() (jobstore.Counts, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Now().Before(g.next) {
		return g.last, g.known
	}
	ctx, cancel := context.WithTimeout(context.Background(), countsTime)
	defer cancel()
	c, err := g.read(ctx)
	g.next = time.Now().Add(countsEvery)
	if err != nil {
		g.errors.Inc()
		return g.last, g.known
	}
	g.last, g.known = c, true
	return c, true
}
