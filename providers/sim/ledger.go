package sim

import (
	"context"
	"slices"
	"sync"
	"time"
)

// DefaultLedgerSize is how many entries a ledger holds before it drops the oldest.
const DefaultLedgerSize = 200_000

// Execution is one call in the ledger, entered when it arrives and brought up
// to date in one step at a time: a reader never sees half a change.
type Execution struct {
	ID       int64  `json:"id"` // increasing, from 1, over all providers
	Provider string `json:"provider"`
	Model    string `json:"model"`   // as asked for; "" if the request was not read
	Job      string `json:"job"`     // "" if the caller gave none
	Attempt  int    `json:"attempt"` // 0 if the caller gave none
	Ref      string `json:"ref"`
	Fault    string `json:"fault"`    // the fault's word, "" for a healthy call
	Status   int    `json:"status"`   // sent, heard or not; 0 if none was
	Executed bool   `json:"executed"` // the work was done
	// Usable: the work made an answer that an app could use, heard or not. It is
	// false where the fault spoiled the content or refused.
	Usable bool `json:"usable"`
	// Listening: somebody was still connected, as far as the connection shows,
	// when the answer was written; while the call runs, now.
	Listening             bool       `json:"listening"`
	IdempotencyKeyPresent bool       `json:"idempotency_key_present"`
	RequestBytes          int64      `json:"request_bytes"` // of the body, as far as it was read
	Started               time.Time  `json:"started"`
	Ended                 *time.Time `json:"ended"` // nil while the call runs
}

// ledger is a ring of executions with an index by job and by ref.
type ledger struct {
	mu      sync.Mutex
	size    int64
	ring    []Execution // entry id stands at (id-base) mod size
	base    int64
	first   int64 // oldest id still held
	next    int64 // id of the next entry
	dropped int64
	byJob   map[string][]int64
	byRef   map[string][]int64
	changed chan struct{} // closed at the next change; nil if nobody waits
}

func newLedger(size int) *ledger {
	if size <= 0 {
		size = DefaultLedgerSize
	}
	l := &ledger{size: int64(size), next: 1}
	l.forget()
	return l
}

// clear forgets every entry; calls that run leave no trace of their end.
func (l *ledger) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	l.announce()
}

func (l *ledger) forget() {
	l.ring, l.base, l.first, l.dropped = nil, l.next, l.next, 0
	l.byJob, l.byRef = map[string][]int64{}, map[string][]int64{}
}

// begin enters e under a new id.
func (l *ledger) begin(e Execution) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ID = l.next
	l.next++
	if int64(len(l.ring)) < l.size {
		l.ring = append(l.ring, e)
	} else {
		l.dropOldest()
		*l.at(e.ID) = e
	}
	index(l.byJob, e.Job, e.ID)
	index(l.byRef, e.Ref, e.ID)
	l.announce()
	return e.ID
}

// update changes an entry in one step; an entry that was dropped is left alone.
func (l *ledger) update(id int64, change func(*Execution)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id < l.first {
		return
	}
	e := l.at(id)
	ref := e.Ref
	change(e)
	if e.Ref != ref {
		index(l.byRef, e.Ref, id)
	}
	l.announce()
}

func (l *ledger) at(id int64) *Execution {
	return &l.ring[(id-l.base)%l.size]
}

func (l *ledger) dropOldest() {
	old := l.at(l.first)
	unindex(l.byJob, old.Job, old.ID)
	unindex(l.byRef, old.Ref, old.ID)
	l.first++
	l.dropped++
}

func index(m map[string][]int64, key string, id int64) {
	if key != "" {
		m[key] = append(m[key], id)
	}
}

func unindex(m map[string][]int64, key string, id int64) {
	ids := m[key]
	switch i := slices.Index(ids, id); {
	case i < 0:
	case len(ids) == 1:
		delete(m, key)
	case i == 0:
		m[key] = ids[1:]
	default:
		m[key] = slices.Delete(ids, i, i+1)
	}
}

func (l *ledger) announce() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// await returns what q selects as soon as n of it have reached the stage, or
// with ctx's error what there is.
func (l *ledger) await(ctx context.Context, q Query, stage Stage, n int) (Page, error) {
	for {
		l.mu.Lock()
		page := l.page(q)
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		if stage.count(page.Data) >= n {
			return page, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return page, ctx.Err()
		}
	}
}
