package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"inferonce/jobstore"
)

// exchange is one request, its answer, and what the log says of both.
type exchange struct {
	r      *http.Request
	w      *response
	id     string // the request's own
	begun  time.Time
	route  *route // nil if none matched
	values map[string]string
	caller Caller
	job    *jobstore.Job // the job that the answer is about, if any
	read   int64         // bytes of body
}

// response remembers what was sent through it.
type response struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// writeTime is how long a peer may take to read an answer.
const writeTime = 30 * time.Second

// send writes v as JSON. Nothing has been written if v has no JSON form.
func (x *exchange) send(status int, v any) error { return x.sendAs("application/json", status, v) }

func (x *exchange) sendAs(mediaType string, status int, v any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	// A result is text for programs: it leaves as it came, without HTML escapes.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return x.sendBytes(mediaType, status, body.Bytes())
}

// sendBytes ignores a peer that is gone: there is nobody left to tell.
func (x *exchange) sendBytes(mediaType string, status int, body []byte) error {
	x.limitWriting()
	h := x.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if x.job != nil {
		jobHeaders(h, x.job)
	}
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body)
	return nil
}

// limitWriting bounds how long the answer may take. A writer without deadlines
// is one that is no connection.
func (x *exchange) limitWriting() {
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(writeTime))
}

// limitReading bounds how long the body may take to come.
func (x *exchange) limitReading(until time.Time) {
	_ = http.NewResponseController(x.w).SetReadDeadline(until)
}
