package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// namespace stands before the name of every metric of ours.
const namespace = "inferonce"

// Seconds. Attempts and jobs last from the answer of a local model to the end
// of listen_for, which is ten minutes by default.
var durations = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600}

// metrics are everything that an event can move.
type metrics struct {
	submitted, replayed, conflicts, held, ended, recovered, late *prometheus.CounterVec
	started, attempts, unknown, orphaned, resolved, discarded    *prometheus.CounterVec
	trouble, moves, spent, drifts, circuits, rests, keys         *prometheus.CounterVec
	quarantined                                                  prometheus.Counter
	jobSeconds, attemptSeconds                                   *prometheus.HistogramVec

	targets, contracts, codes, words *vocabulary
}

func newMetrics(r prometheus.Registerer) *metrics {
	auto := promauto.With(r)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	seconds := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return auto.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: durations}, labels)
	}
	return &metrics{
		submitted: counter("jobs_submitted_total", "Jobs created.", "contract"),
		replayed:  counter("jobs_replayed_total", "Repeats that found their job and started nothing.", "contract"),
		conflicts: counter("key_conflicts_total", "Requests refused because their key stands for another intent.", "contract"),
		held:      counter("jobs_held_total", "Jobs that turned unknown.", "contract"),
		ended:     counter("jobs_ended_total", "Jobs that ended, by final state and error code.", "contract", "state", "code"),
		recovered: counter("jobs_recovered_total", "Jobs that succeeded and needed more than one attempt.", "contract"),
		late:      counter("jobs_ended_late_total", "Jobs that ended after they had been unknown.", "contract", "state"),
		started:   counter("attempts_started_total", "Attempts put on record; their request may have left.", "target"),
		attempts: counter("attempts_total", "Outcomes of attempts. One that was unknown is counted again when its outcome is known.",
			"target", "outcome", "class", "effect"),
		unknown:   counter("unknown_total", "Attempts that turned unknown.", "target", "class", "code"),
		orphaned:  counter("orphaned_total", "Attempts that turned unknown because their router is gone.", "target"),
		resolved:  counter("resolved_total", "Unknown attempts settled by an operator or a contract's policy.", "by_kind", "as"),
		discarded: counter("late_discarded_total", "Good results that came after another outcome stood.", "target"),
		trouble:   counter("store_trouble_total", "Moves and looks that the store did not let happen, by what was tried.", "code"),
		moves: counter("eligibility_moves_total", "Changes of who may take over, by operators and reports.",
			"action", "target", "contract"),
		spent:    counter("spent_usd_total", "Dollars that attempts cost for certain, by the configured prices.", "target"),
		drifts:   counter("drift_total", "Pairs taken out by live answers or a scheduled run, by the rule that did it.", "rule", "target", "contract"),
		circuits: counter("circuit_moves_total", "Changes of a target's circuit breaker in this router, by what it became.", "target", "state"),
		rests:    counter("target_rests_total", "Times that a target was left alone, or called again, because it asked for fewer calls.", "target", "state"),
		keys:     counter("key_rests_total", "Times that a key of a provider was refused and left alone, by its name.", "provider", "key", "class"),
		quarantined: auto.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "quarantined_total",
			Help: "Claims refused because the job had been claimed too often without progress."}),
		jobSeconds:     seconds("job_duration_seconds", "From a job's record to its end.", "contract", "state"),
		attemptSeconds: seconds("attempt_duration_seconds", "From an attempt's call to its outcome, or to the moment it turned unknown.", "target", "outcome"),
		targets:        newVocabulary(),
		contracts:      newVocabulary(),
		codes:          newVocabulary(),
		words:          newVocabulary(),
	}
}
