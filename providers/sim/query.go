package sim

import "slices"

// Query selects entries of the ledger; a zero field selects all. By Job or Ref
// it is answered from an index.
type Query struct {
	Job      string
	Attempt  int
	Provider string
	Ref      string
	Since    int64 // entries with a larger id
	Limit    int   // the first so many; 0: all
}

// Page is the answer to a Query, in the order of arrival.
type Page struct {
	Data []Execution `json:"data"`
	// More entries follow; ask again with Since set to the last id given.
	More bool `json:"more"`
	// Dropped counts the entries that the ledger has lost for want of room.
	Dropped int64 `json:"dropped"`
}

// Stage is a point in the life of a call, to wait for.
type Stage string

// The stages. Gone is a call whose caller has gone.
const (
	Started  Stage = "started"
	Executed Stage = "executed"
	Gone     Stage = "gone"
	Ended    Stage = "ended"
)

func (s Stage) valid() bool {
	return s == Started || s == Executed || s == Gone || s == Ended
}

func (s Stage) count(all []Execution) int {
	n := 0
	for i := range all {
		if s.reached(&all[i]) {
			n++
		}
	}
	return n
}

func (s Stage) reached(e *Execution) bool {
	switch s {
	case Executed:
		return e.Executed
	case Gone:
		return !e.Listening
	case Ended:
		return e.Ended != nil
	}
	return true
}

func (q *Query) selects(e *Execution) bool {
	return (q.Job == "" || q.Job == e.Job) && (q.Ref == "" || q.Ref == e.Ref) &&
		(q.Attempt == 0 || q.Attempt == e.Attempt) && (q.Provider == "" || q.Provider == e.Provider)
}

func (l *ledger) find(q Query) Page {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.page(q)
}

// page answers q; the caller holds mu.
func (l *ledger) page(q Query) Page {
	p := Page{Data: []Execution{}, Dropped: l.dropped}
	l.each(q, func(e *Execution) bool {
		if q.Limit > 0 && len(p.Data) == q.Limit {
			p.More = true
			return false
		}
		p.Data = append(p.Data, *e)
		return true
	})
	return p
}

// each visits what q selects until visit returns false; the caller holds mu.
func (l *ledger) each(q Query, visit func(*Execution) bool) {
	for id := range l.candidates(q) {
		if e := l.at(id); id > q.Since && q.selects(e) && !visit(e) {
			return
		}
	}
}

// candidates yields, in order, the ids among which q has to look.
func (l *ledger) candidates(q Query) func(func(int64) bool) {
	if q.Job != "" {
		return slices.Values(l.byJob[q.Job])
	}
	if q.Ref != "" {
		return slices.Values(slices.Sorted(slices.Values(l.byRef[q.Ref])))
	}
	return func(yield func(int64) bool) {
		for id := max(l.first, q.Since+1); id < l.next && yield(id); id++ {
		}
	}
}
