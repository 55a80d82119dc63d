package telemetry

import (
	"strings"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

func (m *metrics) target(o router.Observation) string   { return m.targets.limit(name(o.Target)) }
func (m *metrics) contract(o router.Observation) string { return m.contracts.limit(name(o.Contract)) }
func (m *metrics) code(o router.Observation) string     { return m.codes.limit(word(o.Code)) }
func (m *metrics) word(s string) string                 { return m.words.limit(word(s)) }

func (m *metrics) jobSubmitted(o router.Observation) {
	m.submitted.WithLabelValues(m.contract(o)).Inc()
}
func (m *metrics) jobReplayed(o router.Observation) {
	m.replayed.WithLabelValues(m.contract(o)).Inc()
}
func (m *metrics) keyConflict(o router.Observation) {
	m.conflicts.WithLabelValues(m.contract(o)).Inc()
}
func (m *metrics) jobUnknown(o router.Observation)   { m.held.WithLabelValues(m.contract(o)).Inc() }
func (m *metrics) jobQuarantined(router.Observation) { m.quarantined.Inc() }
func (m *metrics) storeTrouble(o router.Observation) { m.trouble.WithLabelValues(m.code(o)).Inc() }

// jobEnded counts a recovered success beside the ordinary ones, so that it is
// not hidden among them (R19).
func (m *metrics) jobEnded(o router.Observation) {
	contract, state := m.contract(o), m.word(o.State)
	m.ended.WithLabelValues(contract, state, m.code(o)).Inc()
	m.jobSeconds.WithLabelValues(contract, state).Observe(o.Elapsed.Seconds())
	if o.Recovered {
		m.recovered.WithLabelValues(contract).Inc()
	}
	if o.FromUnknown {
		m.late.WithLabelValues(contract, state).Inc()
	}
}

func (m *metrics) attemptBegan(o router.Observation) { m.started.WithLabelValues(m.target(o)).Inc() }

func (m *metrics) attemptSettled(o router.Observation) {
	outcome := jobstore.AttemptFailed
	if o.Class == "" && o.Effect == "" {
		outcome = jobstore.AttemptSucceeded
	}
	m.outcome(o, outcome)
}

func (m *metrics) attemptUnknown(o router.Observation) {
	m.outcome(o, jobstore.AttemptUnknown)
	m.unknown.WithLabelValues(m.target(o), m.word(string(o.Class)), m.code(o)).Inc()
}

func (m *metrics) circuitMoved(o router.Observation) {
	m.circuits.WithLabelValues(m.target(o), m.word(o.State)).Inc()
}

func (m *metrics) targetRests(o router.Observation) {
	m.rests.WithLabelValues(m.target(o), m.word(o.State)).Inc()
}

func (m *metrics) keyRests(o router.Observation) {
	provider, key, _ := strings.Cut(o.Target, "/")
	m.keys.WithLabelValues(m.targets.limit(name(provider)), m.targets.limit(name(key)), m.word(string(o.Class))).Inc()
}

// lapsed is the code that the record gives to an attempt whose router is gone.
const lapsed = "lease_lapsed"

// attemptOrphaned counts the attempt as unknown too, since that is what it is.
// How long its call lasted nobody knows.
func (m *metrics) attemptOrphaned(o router.Observation) {
	target, lost := m.target(o), m.word(string(contracts.RouterLost))
	m.orphaned.WithLabelValues(target).Inc()
	m.attempts.WithLabelValues(target, string(jobstore.AttemptUnknown), lost, m.word(string(contracts.Open))).Inc()
	m.unknown.WithLabelValues(target, lost, m.codes.limit(lapsed)).Inc()
}

func (m *metrics) lateDiscarded(o router.Observation) {
	m.outcome(o, jobstore.AttemptDiscarded)
	m.discarded.WithLabelValues(m.target(o)).Inc()
}

func (m *metrics) outcome(o router.Observation, as jobstore.AttemptState) {
	target, outcome := m.target(o), string(as)
	m.attempts.WithLabelValues(target, outcome, m.word(string(o.Class)), m.word(string(o.Effect))).Inc()
	if o.Spent > 0 {
		m.spent.WithLabelValues(target).Add(float64(o.Spent) / 1e6)
	}
	m.attemptSeconds.WithLabelValues(target, outcome).Observe(o.Elapsed.Seconds())
}

func (m *metrics) attemptResolved(o router.Observation) {
	kind := "operator"
	if o.By == router.PolicyAuthor {
		kind = "policy"
	}
	m.resolved.WithLabelValues(kind, m.word(o.Code)).Inc()
}

func (m *metrics) eligibilityMoved(o router.Observation) {
	m.moves.WithLabelValues(m.word(o.Code), m.target(o), m.contract(o)).Inc()
	if o.Rule != "" {
		m.drifts.WithLabelValues(m.word(o.Rule), m.target(o), m.contract(o)).Inc()
	}
}
