package sim

import (
	"context"
	"io"
	"net/http"
	"time"
)

// call is one completion on its way through the simulator. Once the request is
// read nothing here looks at the request's context but to note that the caller
// has gone: net/http lets a handler run on, and so does the work.
type call struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	p       *provider
	id      int64
	fault   Fault
	latency Duration
	req     *chatRequest
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request, p *provider) {
	c := &call{s: s, w: w, r: r, p: p}
	job, attempt := parseCaller(r.Header.Get("X-Client-Request-Id"))
	_, keyed := r.Header["Idempotency-Key"]
	known := s.authorized(r)
	if known {
		c.take()
	}
	c.id = s.ledger.begin(Execution{
		Provider: p.name, Job: job, Attempt: attempt, Fault: c.fault.word(),
		Listening: true, IdempotencyKeyPresent: keyed, Started: time.Now().UTC(),
	})
	switch {
	case !known:
		c.answer(unauthorized())
	case c.fault.resetsEarly():
		c.resetEarly()
	case c.read():
		c.run()
	}
}

func (c *call) take() {
	f, latency := c.p.take()
	if f != nil {
		c.fault = *f
	}
	c.latency = latency
}

// read reports whether there is a request to serve; otherwise it has ended the call.
func (c *call) read() bool {
	stop := c.s.guard(c.w)
	req, size, refusal, lost := readRequest(c.w, c.r)
	stop()
	c.update(func(e *Execution) {
		e.RequestBytes = size
		e.Listening = !lost
		if req != nil {
			e.Model = req.Model
			_, e.Ref = req.asked()
		}
	})
	c.req = req
	switch {
	case lost:
		c.abort()
	case refusal != nil:
		c.answer(*refusal)
	case !c.s.knowsModel(req.Model):
		c.answer(*unknownModel(req.Model))
	default:
		return true
	}
	return false
}

// run does what the package comment says, from the first wait to the answer.
func (c *call) run() {
	good, refusal := c.compose()
	if refusal != nil {
		c.answer(*refusal)
		return
	}
	if c.fault.Hang {
		c.hang()
		return
	}
	if !c.pause(c.latency) || !c.pause(c.before()) {
		c.abort()
		return
	}
	if c.fault.works() {
		c.update(func(e *Execution) { e.Executed, e.Usable = true, !c.fault.spoils() })
	}
	if !c.pause(c.fault.Late) {
		c.abort()
		return
	}
	c.deliver(good)
}

// before is the wait that the fault puts before the work.
func (c *call) before() Duration {
	if c.fault.Until != "" && c.fault.Late == 0 {
		return AtGate
	}
	return c.fault.Delay
}

// pause waits for d, or at the fault's gate. It reports false where the call
// must end without an answer.
func (c *call) pause(d Duration) bool {
	if d == 0 {
		return true
	}
	limit := time.Duration(d)
	var opened <-chan struct{}
	if d == AtGate {
		arrived, leave := c.s.gates.arrive(c.fault.Until)
		defer leave()
		limit, opened = MaxWait, arrived
	}
	defer c.watch()()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-opened:
		return true
	case <-timer.C:
		return d != AtGate
	case <-c.s.closing.Done():
		return false
	}
}

// hang waits for the caller to go, and no longer than any call may.
func (c *call) hang() {
	var opened <-chan struct{}
	if c.fault.Until != "" {
		arrived, leave := c.s.gates.arrive(c.fault.Until)
		defer leave()
		opened = arrived
	}
	timer := time.NewTimer(MaxWait)
	defer timer.Stop()
	select {
	case <-c.r.Context().Done():
	case <-opened:
	case <-timer.C:
	case <-c.s.closing.Done():
	}
	c.abort()
}

// watch notes in the ledger when the caller goes, until stop is called.
func (c *call) watch() (stop func() bool) {
	return context.AfterFunc(c.r.Context(), func() {
		c.update(func(e *Execution) { e.Listening = e.Listening && e.Ended != nil })
	})
}

// resetEarly ends the connection before the request has been read.
func (c *call) resetEarly() {
	if !c.pause(c.latency) || !c.pause(c.before()) {
		c.abort()
		return
	}
	var n int64
	if c.fault.Reset == HalfBody {
		defer c.s.guard(c.w)()
		n, _ = io.CopyN(io.Discard, c.r.Body, max(1, c.r.ContentLength/2))
	}
	c.update(func(e *Execution) { e.RequestBytes = n })
	c.reset()
}

func (c *call) update(change func(*Execution)) { c.s.ledger.update(c.id, change) }

// finish closes the entry, before the last byte of the answer leaves: whoever
// has the answer finds the ledger in agreement.
func (c *call) finish(status int) {
	now, gone := time.Now().UTC(), c.r.Context().Err() != nil
	c.update(func(e *Execution) {
		e.Ended, e.Status = &now, status
		e.Listening = e.Listening && !gone
	})
}
