package jobstoretest

import (
	"fmt"
	"strings"
	"testing"
)

// story is a chain of calls on one job, each with the answer it must get, and
// how the job must stand at the end.
type story struct {
	name  string
	steps []step
	ends  string // job state, attempt states
}

type step struct {
	op   Op
	want string // see said
}

// said is a reply in short: its word, then whatever of state, version and epoch
// it carries.
func (r Reply) said() string {
	s := r.Word
	if r.Won {
		s = "won"
	}
	if r.State != "" {
		s += " " + string(r.State)
	}
	if r.Version != 0 {
		s += fmt.Sprint(" v", r.Version)
	}
	if r.Epoch != 0 {
		s += fmt.Sprint(" e", r.Epoch)
	}
	return s
}

// standing is the states of the job and its attempts.
func (m Model) standing() string {
	s := []string{string(m.Job)}
	for _, a := range m.Attempts[:m.N] {
		s = append(s, string(a.State))
	}
	return strings.Join(s, " ")
}

func (s story) run(t *testing.T, p *Place) {
	w := newWork(p)
	for i, step := range s.steps {
		if got := w.must(t, w.fill(step.op)).said(); got != step.want {
			t.Fatalf("step %d, %+v: %q, want %q", i+1, step.op, got, step.want)
		}
	}
	if got := w.m.standing(); got != s.ends {
		t.Errorf("at the end: %s; want %s", got, s.ends)
	}
}
