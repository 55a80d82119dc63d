package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/jobstore"
)

// script is a router that gives one answer a call, and the last one from then
// on. It keeps when it was asked.
type script struct {
	answers []*http.Response
	begun   time.Time
	asked   []time.Duration
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	s.asked = append(s.asked, time.Since(s.begun))
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return a, nil
}

func reply(status int, kind, retryAfter, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}, "Retry-After": {retryAfter}}, Body: again(body)}
}

// again is a body that can be read any number of times.
func again(body string) io.ReadCloser { return &endless{body, strings.NewReader(body)} }

type endless struct {
	body string
	r    *strings.Reader
}

func (e *endless) Read(p []byte) (int, error) { return e.r.Read(p) }
func (e *endless) Close() error               { e.r.Reset(e.body); return nil }

func jobReply(state, retryAfter string) *http.Response {
	return reply(200, "application/json", retryAfter, `{"object":"job","id":"job_1","state":"`+state+`"}`)
}

func unavailable(retryAfter string) *http.Response {
	return reply(503, "application/problem+json", retryAfter, `{"code":"store_unavailable","retryable":true}`)
}

// watching watches job_1 in fake time and returns the error, the output, and
// when the router was asked.
func watching(t *testing.T, limit time.Duration, answers ...*http.Response) (err error, out string, asked []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: answers, begun: time.Now()}
		var o, talk strings.Builder
		c := &client{base: "http://router", http: &http.Client{Transport: s}}
		err = watch(t.Context(), &printer{out: &o, talk: &talk, json: true}, c, "job_1", limit)
		out, asked = o.String(), s.asked
	})
	return err, out, asked
}

func TestWatchAsksAgainWhenItIsToldTo(t *testing.T) {
	const s = time.Second
	for name, row := range map[string]struct {
		limit   time.Duration
		answers []*http.Response
		asked   []time.Duration
		code    int
		state   string // of the job that is printed
	}{
		"a job that has ended is asked for once":      {0, []*http.Response{jobReply("succeeded", "")}, []time.Duration{0}, exitFine, "succeeded"},
		"as often as the router wants":                {0, []*http.Response{jobReply("queued", "1"), jobReply("running", "3"), jobReply("failed", "")}, []time.Duration{0, s, 4 * s}, exitChecksFailed, "failed"},
		"an unknown job is watched on":                {0, []*http.Response{jobReply("unknown", "10"), jobReply("succeeded", "")}, []time.Duration{0, 10 * s}, exitFine, "succeeded"},
		"a store that is away is waited for":          {0, []*http.Response{jobReply("running", "1"), unavailable("2"), jobReply("cancelled", "")}, []time.Duration{0, s, 3 * s}, exitChecksFailed, "cancelled"},
		"what was seen last is printed at the end":    {5 * s, []*http.Response{jobReply("running", "2")}, []time.Duration{0, 2 * s, 4 * s}, exitInconclusive, "running"},
		"nothing is printed if nothing was ever seen": {3 * s, []*http.Response{unavailable("2")}, []time.Duration{0, 2 * s}, exitInconclusive, ""},
		"what is no matter of time ends it": {0, []*http.Response{jobReply("running", "1"),
			reply(404, "application/problem+json", "", `{"code":"job_not_found"}`)}, []time.Duration{0, s}, exitNotFound, ""},
	} {
		err, out, asked := watching(t, row.limit, row.answers...)
		if got := codeOf(err); got != row.code || !slices.Equal(asked, row.asked) {
			t.Errorf("%s: code %d, want %d; asked at %v, want %v (%v)", name, got, row.code, asked, row.asked, err)
		}
		if state, err := jsonAt([]byte(out), "state"); row.state != state && (row.state != "" || out != "") {
			t.Errorf("%s: printed %q (%v), want a job that is %s", name, out, err, row.state)
		}
	}
}

func codeOf(err error) int {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if err != nil {
		return exitUsage
	}
	return exitFine
}

func TestInferWaitsOnWhereTheRouterHoldsNoCallThatLong(t *testing.T) {
	accepted := func(state string) answer {
		return answer{202, http.Header{}, []byte(`{"object":"job","id":"job_1","state":"` + state + `"}`)}
	}
	for name, row := range map[string]struct {
		first answer
		wait  time.Duration
		then  *http.Response
		asked int
		code  int
	}{
		"until it has ended":                       {accepted("running"), time.Minute, jobReply("succeeded", ""), 1, exitFine},
		"until it is unknown, which may take long": {accepted("running"), time.Minute, jobReply("unknown", "10"), 1, exitInconclusive},
		"not if it is unknown already":             {accepted("unknown"), time.Minute, jobReply("succeeded", ""), 0, exitInconclusive},
		"not if the wait is over":                  {accepted("running"), 0, jobReply("succeeded", ""), 0, exitInconclusive},
		"a router that is lost meanwhile leaves the job unfinished": {accepted("running"), time.Minute,
			reply(502, "text/html", "", ""), 1, exitInconclusive},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []*http.Response{row.then}, begun: time.Now()}
			p := &printer{out: io.Discard, talk: io.Discard}
			f := inferFlags{wait: row.wait}
			err := f.settle(context.Background(), &client{base: "http://router", http: &http.Client{Transport: s}}, p, row.first, time.Now())
			if got := codeOf(err); got != row.code || len(s.asked) != row.asked {
				t.Errorf("%s: code %d, want %d; asked %d times, want %d (%v)", name, got, row.code, len(s.asked), row.asked, err)
			}
		})
	}
}

func TestTheOutcomeOfAJobIsTheExitCode(t *testing.T) {
	want := map[jobstore.JobState]int{jobstore.JobQueued: 5, jobstore.JobRunning: 5, jobstore.JobUnknown: 5,
		jobstore.JobSucceeded: 0, jobstore.JobFailed: 1, jobstore.JobCancelled: 1}
	for _, s := range jobstore.JobStates {
		if got := codeOf(jobExit(&job{ID: "job_1", State: s})); got != want[s] {
			t.Errorf("%s: %d, want %d", s, got, want[s])
		}
	}
}
