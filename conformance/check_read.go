package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"inferonce/contracts"
)

// RecordedAnswer is an answer over HTTP as providers of chat completions have given
// it, without anything of the request.
type RecordedAnswer struct {
	Name   string // what happened, as a sentence
	Status int
	Header map[string]string
	Body   string
}

// readRow is a recording and how an adapter has to tell it.
type readRow struct {
	id string // of the check
	RecordedAnswer
	fits  []contracts.Class
	delay time.Duration // that has to be passed on; 0: none
}

// recordings are small forms of answers that providers documented or users
// reported: platform.openai.com/docs/guides/error-codes for the usual ones,
// errors inside a success and pages instead of answers from reports about
// gateways.
func recordings() []readRow {
	row := func(id, name string, status int, body string, fits ...contracts.Class) readRow {
		return readRow{id: id, RecordedAnswer: RecordedAnswer{Name: name, Status: status, Body: body}, fits: fits}
	}
	waiting := row("ERR-05", "a refusal by rate that names a wait", 429, `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`, contracts.RateLimited)
	waiting.Header, waiting.delay = map[string]string{"Retry-After": "7"}, 7*time.Second
	return []readRow{
		waiting,
		row("ERR-05", "a refusal by rate without a body", 429, "", contracts.RateLimited),
		row("ERR-05", "a refusal by rate inside a success", 200, `{"error":{"code":429,"message":"Rate limit exceeded"}}`, contracts.RateLimited),
		row("ERR-06", "an account without quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, contracts.QuotaExhausted),
		row("ERR-06", "an account that has to pay", 402, `{"error":{"message":"Insufficient credits","code":402}}`, contracts.QuotaExhausted),
		row("ERR-08", "a server that is overloaded", 503, `{"error":{"message":"The engine is currently overloaded","type":"server_error"}}`, contracts.Overloaded),
		row("ERR-08", "a service that is overloaded, by its own status", 529, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, contracts.Overloaded),
		row("ERR-09", "a page inside a success", 200, "<html><body>Sign in</body></html>", contracts.BadResponse),
		row("ERR-09", "an empty success", 200, "", contracts.BadResponse, contracts.Truncated),
		row("ERR-09", "JSON that breaks off", 200, `{"choices":[{"message":{"content":"{\"a`, contracts.Truncated, contracts.BadResponse),
		row("ERR-09", "a list instead of an object", 200, `["choices"]`, contracts.BadResponse),
		row("ERR-09", "no choices", 200, `{"id":"x","model":"m","choices":[]}`, contracts.BadResponse),
		row("ERR-09", "an answer beyond all bounds", 200, `{"choices":"`+strings.Repeat("x", 5<<20)+`"}`, contracts.BadResponse),
		row("ERR-10", "a prompt that a filter refused", 400, `{"error":{"message":"The response was filtered","code":"content_filter","status":400}}`, contracts.ContentFiltered),
		row("ERR-10", "an answer that a filter withheld", 200, `{"model":"m","choices":[{"index":0,"finish_reason":"content_filter","message":{"role":"assistant"}}]}`, contracts.ContentFiltered),
	}
}

// readsRecorded reads the recordings of one check through the target's adapter. It
// makes no call.
func readsRecorded(id string) func(context.Context, *Probe) finding {
	return func(_ context.Context, p *Probe) finding {
		if p.suite.ReadRecorded == nil {
			return unused("the adapter's way of reading answers can't be reached from here; its own tests prove it")
		}
		rows := slices.DeleteFunc(recordings(), func(r readRow) bool { return r.id != id })
		return p.trials(len(rows), func(i int) (string, error) { return rows[i].fault(p.suite.ReadRecorded), nil })
	}
}

// fault says how an adapter mistakes a recording; "" if it does not. An adapter
// that panics crashed on what a provider sent.
func (r readRow) fault(read func(RecordedAnswer) (contracts.Completion, error)) (fault string) {
	defer func() {
		if recover() != nil {
			fault = r.Name + ": the adapter crashes"
		}
	}()
	_, err := read(r.RecordedAnswer)
	f := asFailure(err)
	switch {
	case f == nil:
		return r.Name + ": taken for a success"
	case !slices.Contains(r.fits, f.Class):
		return fmt.Sprintf("%s: told as %s, want %s", r.Name, f.Class, r.fits[0])
	case f.RetryAfter < r.delay:
		return r.Name + ": the wait that the provider asks for is lost"
	}
	return ""
}
