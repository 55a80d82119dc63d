package jobstoretest

import (
	"slices"
	"sync"
	"testing"

	"inferonce/jobstore"
)

// seen collects the moves that happened.
type seen struct {
	mu    sync.Mutex
	moves map[jobstore.Move]bool
}

func (s *seen) add(m jobstore.Move) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moves[m] = true
}

// moves tries everything from everywhere, and compares what happened with the
// table, in both directions. What was refused must have left no trace.
func moves(t *testing.T, open func(testing.TB) *Place) {
	happened := &seen{moves: map[jobstore.Move]bool{}}
	t.Run("from", func(t *testing.T) {
		for _, s := range situations() {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				tryAll(t, open(t), s, happened)
			})
		}
	})
	for m := range happened.moves {
		if !slices.Contains(jobstore.Moves, m) {
			t.Errorf("happened, and is not listed: %+v", m)
		}
	}
	for _, m := range jobstore.Moves {
		if !happened.moves[m] && !t.Failed() {
			t.Errorf("is listed, and never happened: %+v", m)
		}
	}
}

func tryAll(t *testing.T, p *Place, s situation, happened *seen) {
	w := built(t, p, s.ops)
	before := p.Dump(t)
	for _, op := range w.tries() {
		op = w.fill(op)
		from := w.m
		reply := w.Do(Context(t), op, w.m.N)
		w.answered(t, op, reply)
		for _, m := range moved(op.Kind, from, w.m, reply) {
			happened.add(m)
		}
		if refuses(reply) {
			if changed := Difference(before, p.Dump(t)); changed != "" {
				t.Fatalf("%+v was refused (%s), and changed\n%s", op, reply.Word, changed)
			}
			continue
		}
		w.same(t, op)
		p.empty(t)
		w = built(t, p, s.ops)
		before = p.Dump(t)
	}
}

// refuses says that a reply promises that nothing was done. A late result leaves
// its note, and a quarantined job fails or loses its alarm.
func refuses(r Reply) bool {
	return !slices.Contains([]string{"ok", "created", "exists", "orphaned", "lost", "quarantined"}, r.Word)
}

// moved is what a move did, in the words of the table. The states are the
// store's own: same has compared them with the model's.
func moved(name string, from, to Model, r Reply) []jobstore.Move {
	var out []jobstore.Move
	for i := range to.N {
		a, b := from.Attempts[i].State, to.Attempts[i].State
		if a != b {
			out = append(out, jobstore.Move{Name: name, JobFrom: from.Job, JobTo: to.Job, AttemptFrom: a, AttemptTo: b})
		}
	}
	if len(out) == 0 && (from.Job != to.Job || name == "claim" && r.Word == "ok") {
		out = append(out, jobstore.Move{Name: name, JobFrom: from.Job, JobTo: to.Job})
	}
	return out
}
