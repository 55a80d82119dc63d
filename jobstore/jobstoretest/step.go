package jobstoretest

import "inferonce/jobstore"

// Op is one call of the store, with everything that decides its outcome.
type Op struct {
	Kind        string // a script's name
	ID          string // of the job; for a submit, the id it would get
	Fingerprint string
	First       bool // submit begins an attempt
	N           int  // attempt
	Epoch       int64
	Version     int64 // settle: read at begin; resolve: seen, 0 for any
	Beat        int64
	Long        bool // the lease lies far ahead instead of being over
	Window      bool // the send window lies far ahead instead of being over
	Race        bool
	Outcome     string // succeeded, failed, unknown
	Fail        bool   // a failure ends the job
	As          jobstore.As
	Result      string // "" for none
	Never       bool   // release without an alarm
}

// Step is the store as a pure function: the state after an op, and its reply.
func (m Model) Step(op Op) (Model, Reply) {
	if op.Kind == "submit" {
		return m.submit(op)
	}
	if op.Kind == "begin" && op.N > jobstore.MaxAttempts {
		return m, no("limit") // whatever the job
	}
	if m.ID == "" || op.ID != m.ID {
		return m, no("missing")
	}
	switch op.Kind {
	case "claim":
		return m.claim(op)
	case "renew":
		return m.renew(op)
	case "release":
		return m.release(op)
	case "begin":
		return m.begin(op)
	case "accept":
		return m.accept(op)
	case "settle":
		return m.settle(op)
	case "fail":
		return m.fail(op)
	case "resolve":
		return m.resolve(op)
	case "cancel":
		return m.cancel()
	case "load":
		return m, Reply{Word: "ok", Job: m.String()}
	}
	panic("unknown op " + op.Kind)
}

func (m Model) submit(op Op) (Model, Reply) {
	switch {
	case m.ID == "":
		m = Model{ID: op.ID, Fingerprint: op.Fingerprint, Job: jobstore.JobQueued, Version: 1}
		if op.First {
			m.Job, m.Epoch, m.Driven, m.Held, m.N = jobstore.JobRunning, 1, true, op.Long, 1
			m.Attempts[0] = ModelAttempt{State: jobstore.AttemptStarting, Version: 1, Epoch: 1, Window: op.Window}
		}
		return m, Reply{Word: "created", ID: op.ID}
	case m.ID == op.ID: // the same call again
		return m, Reply{Word: "created", ID: op.ID}
	case m.Fingerprint != op.Fingerprint:
		return m, Reply{Word: "reused", ID: m.ID}
	}
	return m, Reply{Word: "exists", ID: m.ID}
}

func (m Model) last() *ModelAttempt {
	if m.N == 0 {
		return &ModelAttempt{}
	}
	return &m.Attempts[m.N-1]
}

func underWay(s jobstore.AttemptState) bool {
	return s == jobstore.AttemptStarting || s == jobstore.AttemptRunning
}

func (m Model) claim(op Op) (Model, Reply) {
	orphan := m.N > 0 && underWay(m.last().State)
	switch {
	case !m.Job.Live():
		return m, no("ended")
	case m.Held:
		return m, no("held")
	case m.Claims >= jobstore.MaxClaims && m.Open() == 0:
		m.Job, m.Driven = jobstore.JobFailed, false
		m.Version++
		return m, no("quarantined")
	case m.Claims >= jobstore.MaxClaims && !orphan:
		return m, no("quarantined")
	}
	m.Epoch++
	m.Claims++
	m.Held, m.Driven = op.Long, true
	if orphan {
		m.Attempts[m.N-1].State, m.Job = jobstore.AttemptUnknown, jobstore.JobUnknown
		return m, Reply{Word: "orphaned", Epoch: m.Epoch}
	}
	return m, Reply{Word: "ok", Epoch: m.Epoch}
}

// drives says whether the op comes from the one who drives the job.
func (m Model) drives(op Op) bool { return op.Epoch == m.Epoch && m.Driven }

func (m Model) renew(op Op) (Model, Reply) {
	switch {
	case op.Epoch > 0 && op.Epoch <= m.Epoch && op.Beat <= m.Beats[op.Epoch]:
		return m, Reply{Word: "ok"} // it was made, or is too old to matter
	case !m.Job.Live():
		return m, no("ended")
	case !m.drives(op):
		return m, no("stale")
	}
	m.Beats[op.Epoch], m.Held = op.Beat, op.Long
	return m, Reply{Word: "ok"}
}

func (m Model) release(op Op) (Model, Reply) {
	switch {
	case !m.Job.Live():
		return m, no("ended")
	case !m.drives(op):
		return m, no("stale")
	case m.Job == jobstore.JobRunning, m.Job == jobstore.JobQueued && op.Never:
		return m, no("busy")
	}
	m.Held, m.Driven, m.Claims = false, false, 0
	return m, Reply{Word: "ok"}
}

func (m Model) begin(op Op) (Model, Reply) {
	switch {
	case !m.Job.Live():
		return m, no("ended")
	case !m.drives(op):
		return m, no("stale")
	case op.N != m.N+1:
		return m, no("moved")
	case m.Open() > 0 && (!op.Race || underWay(m.last().State)):
		return m, no("blocked")
	}
	m.Attempts[m.N] = ModelAttempt{State: jobstore.AttemptStarting, Version: m.Version, Epoch: m.Epoch, Window: op.Window}
	m.N++
	m.Job, m.Held, m.Claims = jobstore.JobRunning, op.Long, 0
	return m, Reply{Word: "ok", Version: m.Version}
}

func (m Model) accept(op Op) (Model, Reply) {
	if op.N < 1 || op.N > m.N {
		return m, no("missing")
	}
	a := &m.Attempts[op.N-1]
	if !a.State.Open() {
		return m, no("ended")
	}
	if a.State == jobstore.AttemptStarting {
		a.State = jobstore.AttemptRunning
	}
	return m, Reply{Word: "ok"}
}
