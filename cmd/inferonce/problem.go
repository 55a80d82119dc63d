package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// problem is the router's answer that something is not as asked (RFC 9457).
type problem struct {
	Status    int                   `json:"status"`
	Title     string                `json:"title"`
	Detail    string                `json:"detail"`
	Code      string                `json:"code"`
	Next      string                `json:"next"`
	JobID     string                `json:"job_id"`
	Pointer   string                `json:"pointer"`
	Retryable bool                  `json:"retryable"`
	Errors    []contracts.Violation `json:"errors"`
	Known     []string              `json:"known"`
	Excluded  []jobstore.Excluded   `json:"excluded"`
	Job       json.RawMessage       `json:"job"`

	wait time.Duration // after which it may be tried again, if Retryable
}

func readProblem(a answer) (*problem, bool) {
	p := &problem{}
	if err := json.Unmarshal(a.body, p); err != nil || p.Code == "" {
		return nil, false
	}
	p.Status, p.wait = a.status, waitHint(a.header)
	return p, true
}

// Error is "code: detail; what to do", then the places that the answer names,
// one a line.
func (p *problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", p.Code, p.Detail)
	if p.Pointer != "" {
		fmt.Fprintf(&b, " (at %s)", p.Pointer)
	}
	if p.JobID != "" {
		fmt.Fprintf(&b, " (job %s)", p.JobID)
	}
	text := clean(b.String())
	if p.Next != "" {
		text += "; " + clean(p.Next)
	}
	if p.Retryable {
		text += fmt.Sprintf(" (in %s)", p.wait)
	}
	for _, line := range p.places() {
		text += "\n  " + clean(line)
	}
	return text
}

func (p *problem) places() []string {
	var lines []string
	for _, v := range p.Errors {
		lines = append(lines, fmt.Sprintf("%s: %s", orWhole(v.Pointer), v.Message))
	}
	for _, e := range p.Excluded {
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", e.Target, e.Reason, e.Code))
	}
	if len(p.Known) > 0 {
		lines = append(lines, "known: "+strings.Join(p.Known, ", "))
	}
	return lines
}

func orWhole(pointer string) string {
	if pointer == "" {
		return "the whole"
	}
	return pointer
}

// The problems of a busy or leaving router, which says that nothing was stored.
const (
	codeBusy     = "busy"
	codeDraining = "draining"
)

// exitCode is what a problem means to a script. After a 5xx to a call that
// changes something, nobody knows whether it was done, unless the router says so.
func (p *problem) exitCode(method string) int {
	switch p.Status {
	case http.StatusConflict, http.StatusPreconditionFailed:
		return exitConflict
	case http.StatusNotFound:
		return exitNotFound
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity, http.StatusPreconditionRequired:
		return exitUsage
	}
	nothingStored := p.Code == codeBusy || p.Code == codeDraining
	if p.Status >= 500 && method != http.MethodGet && !nothingStored {
		return exitInconclusive
	}
	return exitCouldNotRun
}
