package sim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// waitLimit bounds ?wait= and ?await=; pageLimit is the most entries in one answer.
const (
	waitLimit = 30 * time.Second
	pageLimit = 10_000
)

func (s *Server) serveGate(w http.ResponseWriter, r *http.Request, name string) {
	if !validName(name) {
		controlError(w, http.StatusBadRequest, errors.New("a gate's name is 1 to 64 of a-z A-Z 0-9 . _ -"))
		return
	}
	if !allow(w, r, http.MethodGet, http.MethodPost, http.MethodDelete) {
		return
	}
	switch r.Method {
	case http.MethodPost:
		control(w, s.gates.open(name))
	case http.MethodDelete:
		control(w, s.gates.shut(name))
	default:
		s.waitGate(w, r, name)
	}
}

func (s *Server) waitGate(w http.ResponseWriter, r *http.Request, name string) {
	q := query{r.URL.Query(), nil}
	n := q.number("wait", 0)
	if refused(w, q.done()) {
		return
	}
	ctx, cancel := s.bounded(r)
	defer cancel()
	state, err := s.gates.wait(ctx, name, n)
	if err != nil {
		controlError(w, http.StatusGatewayTimeout, fmt.Errorf("%d of %d calls came to gate %s within %s", state.Arrived, n, name, waitLimit))
		return
	}
	control(w, state)
}

// bounded returns a context that ends with the caller, at waitLimit, or when
// the simulator closes.
func (s *Server) bounded(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), waitLimit)
	stop := context.AfterFunc(s.closing, cancel)
	return ctx, func() { stop(); cancel() }
}

func (s *Server) serveLedger(w http.ResponseWriter, r *http.Request, rest string) {
	switch {
	case rest == "summary":
		if allow(w, r, http.MethodGet) {
			control(w, s.ledger.summary())
		}
	case rest != "":
		notHere(w)
	case !allow(w, r, http.MethodGet, http.MethodDelete):
	case r.Method == http.MethodDelete:
		s.ledger.clear()
		w.WriteHeader(http.StatusNoContent)
	default:
		s.queryLedger(w, r)
	}
}

func (s *Server) queryLedger(w http.ResponseWriter, r *http.Request) {
	in := query{r.URL.Query(), nil}
	q := Query{Job: in.text("job"), Provider: in.text("provider"), Ref: in.text("ref"),
		Attempt: in.number("attempt", 0), Since: int64(in.number("since", 0)), Limit: in.number("limit", pageLimit)}
	if q.Limit == 0 || q.Limit > pageLimit {
		q.Limit = pageLimit
	}
	counted := in.values.Has("count")
	stage, n := Stage(in.text("await")), in.number("count", 1)
	switch {
	case stage == "" && counted:
		in.err = errors.New("count belongs to await: add it")
	case stage != "" && !stage.valid():
		in.err = errors.New("await: use started, executed, gone or ended")
	case n > q.Limit:
		in.err = fmt.Errorf("count: %d calls can be awaited at once", q.Limit)
	}
	if refused(w, in.done()) {
		return
	}
	if stage == "" {
		control(w, s.ledger.find(q))
		return
	}
	ctx, cancel := s.bounded(r)
	defer cancel()
	page, err := s.ledger.await(ctx, q, stage, n)
	if err != nil {
		controlError(w, http.StatusGatewayTimeout, fmt.Errorf("%d of %d calls were %s within %s", stage.count(page.Data), n, stage, waitLimit))
		return
	}
	control(w, page)
}

// query reads a query string, each name once; what is left over is an error.
type query struct {
	values url.Values
	err    error
}

func (q *query) text(name string) string {
	v := q.values[name]
	delete(q.values, name)
	if len(v) == 0 {
		return ""
	}
	if len(v) > 1 || v[0] == "" {
		q.err = fmt.Errorf("%s: give one value, or leave it out", name)
	}
	return v[0]
}

func (q *query) number(name string, otherwise int) int {
	s := q.text(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		q.err = fmt.Errorf("%s: use a number of 0 or more", name)
	}
	return n
}

func (q *query) done() error {
	for name := range q.values {
		return fmt.Errorf("%q is no parameter here", name)
	}
	return q.err
}
