package failover

import (
	"net/http"
	"time"
)

// Get reads a job; it must be there.
func (w *World) Get(id string) (Job, []byte) {
	a := w.read(id)
	w.Must(a.Status == http.StatusOK && a.Job != nil, "job %s can be read (%s)", id, a.line())
	return *a.Job, a.Body
}

// read is one look at a job, without a note.
func (w *World) read(id string) Answer {
	ctx, cancel := w.wait()
	defer cancel()
	return w.api.do(ctx, request{method: http.MethodGet, path: "/v1/jobs/" + id})
}

// poll is the time between two looks at something that only a router can tell.
const poll = 25 * time.Millisecond

// until looks again and again, until done says so or the wait has been too long.
func (s *stage) until(says string, done func() bool) {
	ctx, cancel := s.wait()
	defer cancel()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.Must(false, "%s within %s", says, s.patience)
		}
	}
	s.note("%s", says)
}

// moment is how long a state that must not change is watched, where a router that
// does right shows nothing to wait for.
const moment = 500 * time.Millisecond

// Stays watches a job for a moment, in which it must stay as it is.
func (w *World) Stays(id, says string, is func(*Job) bool) {
	over := time.NewTimer(moment)
	defer over.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		if j, _ := w.look(id); !is(&j) {
			w.Check(false, "the job %s", says)
			return
		}
		select {
		case <-tick.C:
		case <-over.C:
			w.note("the job %s for %s", says, moment)
			return
		}
	}
}

// Until looks at a job until it is as asked for. A job that has ended stays as
// it is, so one that ends otherwise fails at once.
func (w *World) Until(id, says string, is func(*Job) bool) Job {
	var j Job
	w.until("job "+says, func() bool {
		j, _ = w.look(id)
		if !is(&j) && !j.Live() {
			w.Must(false, "the job %s (it is %s)", says, j.State)
		}
		return is(&j)
	})
	return j
}

// look reads a job while its router may be busy starting.
func (w *World) look(id string) (Job, []byte) {
	a := w.read(id)
	switch {
	case a.Err != nil || a.Status == http.StatusServiceUnavailable:
		return Job{State: running}, nil
	case a.Status != http.StatusOK || a.Job == nil:
		w.Must(false, "job %s can be read (%s)", id, a.line())
	}
	return *a.Job, a.Body
}

// Over waits until a job has ended.
func (w *World) Over(id string) Job {
	return w.Until(id, "has ended", func(j *Job) bool { return !j.Live() })
}
