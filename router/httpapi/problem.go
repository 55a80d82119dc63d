package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// problem is an answer that is not what was asked for (RFC 9457). Members from
// Reason on are extensions that only some codes use.
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	JobID     string `json:"job_id,omitempty"`
	Retryable bool   `json:"retryable"`
	Next      string `json:"next"`

	Reason   string                `json:"reason,omitempty"`  // narrows the code
	Pointer  *string               `json:"pointer,omitempty"` // JSON pointer into the body
	Offset   *int64                `json:"offset,omitempty"`  // in bytes, into the body
	Errors   []contracts.Violation `json:"errors,omitempty"`
	Known    []string              `json:"known,omitempty"`
	Excluded []jobstore.Excluded   `json:"excluded,omitempty"`
	Scope    string                `json:"scope,omitempty"`
	Version  *int64                `json:"version,omitempty"` // the current one
	Job      *jobView              `json:"job,omitempty"`
	Health   *healthView           `json:"health,omitempty"`

	// wait is after which time to come back, where the problem is retryable.
	wait time.Duration
}

// Error leaves the detail out: it may name what the caller sent.
func (p *problem) Error() string { return "answered " + p.Code }

// newProblem makes a problem of the catalogue. detail is for the caller, and
// never holds a key or a value of a body.
func newProblem(code, detail string) *problem {
	k := catalogue[code]
	return &problem{Type: "urn:inferonce:problem:" + code, Title: k.title, Status: k.status, Detail: detail,
		Code: code, Retryable: k.retryable, Next: k.next, wait: time.Second}
}

// bodyProblem is a problem at a place in the body.
func bodyProblem(reason, pointer, detail string) *problem {
	p := newProblem(codeBodyInvalid, detail)
	p.Reason, p.Pointer = reason, &pointer
	return p
}

func (p *problem) head(h http.Header) {
	h.Set("X-Should-Retry", strconv.FormatBool(p.Retryable))
	if p.Retryable {
		comeBack(h, p.wait)
	}
	switch p.Code {
	case codeDraining, codeBodyTooLarge, codeBodyTimeout, codeBodyCut:
		// Another router is behind another connection; and what is left of a
		// refused body is not worth reading.
		h.Set("Connection", "close")
	case codeEncoding:
		h.Set("Accept-Encoding", "identity") // RFC 9110 12.5.3
	}
}

// maxWaitHint is the longest wait that the common SDKs obey; above it they use
// their own back-off (openai npm 7.59.0 and Vercel ai 7.0.173, in source).
const maxWaitHint = time.Minute

// comeBack says when to ask again, in both spellings that clients read. It
// says at least a millisecond, since zero counts as no hint.
func comeBack(h http.Header, wait time.Duration) {
	wait = min(max(wait, time.Millisecond), maxWaitHint)
	h.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	h.Set("Retry-After-Ms", strconv.FormatInt(int64((wait+time.Millisecond-1)/time.Millisecond), 10))
}
