package httpapi

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// ServeHTTP answers exactly one thing whatever happens: what the route's
// handler sends, the problem that a gate or the handler returns, or internal
// if it panics.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := a.mount(r.URL.Path); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	x := &exchange{r: r, w: &response{ResponseWriter: w}, id: requestID(r.Header), begun: a.now()}
	head(w.Header(), x.id)
	if r.ContentLength != 0 {
		// Also where nobody reads the body: the server drains it before it answers.
		x.limitReading(time.Now().Add(a.bodyTime))
	}
	defer a.log(x)
	defer a.rescue(x)
	if err := a.serve(x); err != nil {
		a.refuse(x, err)
	}
}

func (a *api) serve(x *exchange) error {
	route, values, allow := a.routes.find(x.r.Method, x.r.URL.EscapedPath())
	if route == nil {
		return unrouted(x.w.Header(), allow)
	}
	x.route, x.values = route, values
	if err := a.admit(x); err != nil {
		return err
	}
	if err := checkQuery(route, x.r.URL.RawQuery); err != nil {
		return err
	}
	return route.serve(a, x)
}

// head sets what every answer carries. Answers hold one owner's data, so no
// cache between us and the owner may keep them.
func head(h http.Header, id string) {
	h.Set("X-Request-Id", id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// requestID takes over the id that a load balancer gave, if it is fit for a
// header and a log line, and makes one otherwise.
func requestID(h http.Header) string {
	given := h.Values("X-Request-Id")
	if len(given) == 1 && len(given[0]) >= 1 && len(given[0]) <= 128 && !strings.ContainsFunc(given[0], unfit) {
		return given[0]
	}
	return "req_" + strings.ToLower(rand.Text())
}

func unfit(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:/", r))
}

func unrouted(h http.Header, allow []string) error {
	if len(allow) == 0 {
		return newProblem(codeNotFound, "there is nothing at this path")
	}
	h.Set("Allow", strings.Join(allow, ", "))
	return newProblem(codeMethod, "this path takes "+strings.Join(allow, ", "))
}

// refuse sends err as a problem. What the catalogue does not know is our fault,
// and the log says what it was.
func (a *api) refuse(x *exchange, err error) {
	p := problemOf(err)
	if p.Code == codeInternal {
		a.Log.Error("request failed", "request", x.id, "error", err)
	}
	if openAIPath(x.r.URL.Path) {
		x.refuseOpenAI(p)
		return
	}
	p.head(x.w.Header())
	if err := x.sendAs("application/problem+json", p.Status, p); err != nil {
		panic(err) // a problem is made of plain text and of a job that was refused before
	}
}

// rescue turns a panic into an answer, or into a cut connection if part of an
// answer has left already. The panic's value is not logged: it may hold
// anything, a prompt too.
func (a *api) rescue(x *exchange) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	a.Log.Error("request panicked", "request", x.id, "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	if x.w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	x.job = nil
	a.refuse(x, newProblem(codeInternal, "a programming error of ours"))
}

// log writes the one line that a request leaves. It names the route, never the
// path, and neither body nor key.
func (a *api) log(x *exchange) {
	attrs := []any{"method", x.r.Method, "route", "none", "status", x.w.status, "elapsed", a.now().Sub(x.begun),
		"request", x.id, "in", x.read, "out", x.w.bytes}
	if x.route != nil {
		attrs[3] = x.route.path
	}
	if x.caller.Owner != "" {
		attrs = append(attrs, "owner", x.caller.Owner, "key_id", x.caller.KeyID)
	}
	if x.job != nil {
		attrs = append(attrs, "job", x.job.ID, "attempts", len(x.job.Attempts), "target", targetOf(x.job))
	}
	if n := retryCount(x.r.Header); n != "" {
		attrs = append(attrs, "client_retry", n)
	}
	if x.r.Context().Err() != nil {
		attrs = append(attrs, "gone", true) // the caller did not stay for the answer
	}
	a.Log.Log(x.r.Context(), slog.LevelInfo, "request served", attrs...)
}
