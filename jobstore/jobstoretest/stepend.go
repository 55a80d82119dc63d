package jobstoretest

import "inferonce/jobstore"

// end closes the job in a final state.
func (m Model) end(s jobstore.JobState) Model {
	m.Job, m.Held, m.Driven = s, false, false
	m.Version++
	return m
}

func (m Model) settle(op Op) (Model, Reply) {
	if op.N < 1 || op.N > m.N {
		return m, no("missing")
	}
	a := &m.Attempts[op.N-1]
	mine := op.Epoch == m.Epoch && (m.Driven || !m.Job.Live())
	switch {
	case op.Version != a.Version, underWay(a.State) && !mine, !a.State.Open() && op.Outcome != "succeeded":
		return m, no("stale")
	case op.Outcome == "succeeded":
		return m.succeed(op)
	case op.Outcome == "unknown":
		if a.State != jobstore.AttemptUnknown {
			a.State = jobstore.AttemptUnknown
			if m.Job.Live() {
				m.Job = jobstore.JobUnknown
			}
		}
		return m, ok(m)
	}
	a.State = jobstore.AttemptFailed
	m.Claims = 0
	switch {
	case !m.Job.Live():
	case m.Open() > 0:
		if op.N == m.N {
			m.Job = jobstore.JobUnknown
		}
	case op.Fail:
		m = m.end(jobstore.JobFailed)
	default:
		m.Job = jobstore.JobQueued
		if !mine {
			m.Held, m.Driven = false, false
		}
	}
	return m, ok(m)
}

// succeed is the compare-and-swap of R13.
func (m Model) succeed(op Op) (Model, Reply) {
	a := &m.Attempts[op.N-1]
	switch {
	case a.State == jobstore.AttemptSucceeded && m.CompletedBy == op.N && m.Result == op.Result:
		return m, Reply{Word: "ok", State: m.Job, Version: m.Version, Won: true} // it stands already
	case !a.State.Open():
		a.Late = true
		return m, no("lost")
	case m.Version != op.Version || !m.Job.Live():
		a.State, a.Late = jobstore.AttemptDiscarded, true
		return m, no("lost")
	}
	a.State = jobstore.AttemptSucceeded
	m = m.end(jobstore.JobSucceeded)
	m.CompletedBy, m.Result = op.N, op.Result
	return m, Reply{Word: "ok", State: m.Job, Version: m.Version, Won: true}
}

func (m Model) fail(op Op) (Model, Reply) {
	switch {
	case !m.Job.Live():
		return m, no("ended")
	case !m.drives(op):
		return m, no("stale")
	case m.Open() > 0:
		return m, no("blocked")
	}
	m = m.end(jobstore.JobFailed)
	return m, ok(m)
}

func (m Model) resolve(op Op) (Model, Reply) {
	if op.N < 1 || op.N > m.N {
		return m, no("missing")
	}
	a := &m.Attempts[op.N-1]
	switch {
	case a.State != jobstore.AttemptUnknown:
		return m, no("not_unknown " + string(a.State))
	case !m.Job.Live():
		return m, no("ended")
	case op.Version != 0 && op.Version != m.Version:
		return m, Reply{Word: "conflict", Version: m.Version}
	case op.As == jobstore.NotExecuted && a.Window:
		return m, no("too_soon")
	}
	if op.As == jobstore.Executed && op.Result != "" {
		a.State = jobstore.AttemptSucceeded
		m = m.end(jobstore.JobSucceeded)
		m.CompletedBy, m.Result = op.N, op.Result
		return m, Reply{Word: "ok", State: m.Job, Version: m.Version, Won: true}
	}
	a.State = jobstore.AttemptFailed
	if op.As == jobstore.Cancelled {
		a.State = jobstore.AttemptCancelled
	}
	m.Claims = 0
	switch {
	case m.Open() > 0:
	case op.Fail:
		m = m.end(jobstore.JobFailed)
	default:
		m = m.end(jobstore.JobQueued)
	}
	return m, ok(m)
}

func (m Model) cancel() (Model, Reply) {
	if m.Job == jobstore.JobCancelled {
		return m, Reply{Word: "ok", State: m.Job} // as its owner wished
	}
	if !m.Job.Live() {
		return m, no("ended")
	}
	for i := range m.Attempts[:m.N] {
		if a := &m.Attempts[i]; a.State.Open() {
			a.State = jobstore.AttemptCancelled
		}
	}
	m = m.end(jobstore.JobCancelled)
	return m, ok(m)
}
