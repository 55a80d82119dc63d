package sim

// Tally counts the entries of one provider, or of all.
type Tally struct {
	Calls    int `json:"calls"`
	Executed int `json:"executed"`
	Jobs     int `json:"jobs"` // identities seen: the job, or else the ref
	// DoubleExecutions counts identities that were executed more than once.
	DoubleExecutions int `json:"double_executions"`
	// DoubleResults counts identities for which more than one execution made a
	// usable answer: those that no bad answer of the provider excuses.
	DoubleResults int `json:"double_results"`
	StillRunning  int `json:"still_running"`
}

// Summary is the ledger in numbers. In Total an identity counts over all
// providers, so a job executed once at each of two is double there alone.
type Summary struct {
	Providers map[string]Tally `json:"providers"`
	Total     Tally            `json:"total"`
	// Dropped counts entries lost for want of room; with any, the rest is a lower bound.
	Dropped int64 `json:"dropped"`
}

// counter is a tally in the making, with the runs of each identity.
type counter struct {
	Tally
	executed, usable map[string]int
}

func newCounter() *counter {
	return &counter{executed: map[string]int{}, usable: map[string]int{}}
}

func (c *counter) add(e *Execution) {
	c.Calls++
	if e.Ended == nil {
		c.StillRunning++
	}
	if e.Executed {
		c.Executed++
	}
	if id := identity(e); id != "" {
		c.executed[id] += one(e.Executed)
		c.usable[id] += one(e.Executed && e.Usable)
	}
}

func (c *counter) tally() Tally {
	t := c.Tally
	t.Jobs = len(c.executed)
	t.DoubleExecutions = repeated(c.executed)
	t.DoubleResults = repeated(c.usable)
	return t
}

// identity is what must not run twice; job and ref are told apart.
func identity(e *Execution) string {
	switch {
	case e.Job != "":
		return "job " + e.Job
	case e.Ref != "":
		return "ref " + e.Ref
	}
	return ""
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func repeated(m map[string]int) int {
	n := 0
	for _, times := range m {
		n += one(times > 1)
	}
	return n
}

// summary reads the whole ledger; calls wait meanwhile.
func (l *ledger) summary() Summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	total, each := newCounter(), map[string]*counter{}
	l.each(Query{}, func(e *Execution) bool {
		if each[e.Provider] == nil {
			each[e.Provider] = newCounter()
		}
		each[e.Provider].add(e)
		total.add(e)
		return true
	})
	s := Summary{Providers: map[string]Tally{}, Total: total.tally(), Dropped: l.dropped}
	for name, c := range each {
		s.Providers[name] = c.tally()
	}
	return s
}
