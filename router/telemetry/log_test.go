package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

const jobID = "job_3f0123456789abcdefghjkmnpqrs"

func TestEachEventIsOneLine(t *testing.T) {
	for name, row := range map[string]struct {
		seen router.Observation
		want string
	}{
		"a new job is detail": {
			router.Observation{Event: router.JobSubmitted, Job: jobID, Owner: "acme", Contract: "triage@1"},
			`{"level":"DEBUG","msg":"job submitted","job":"` + jobID + `","contract":"triage@1","owner":"acme"}`},
		"a repeat is news": {
			router.Observation{Event: router.JobReplayed, Job: jobID},
			`{"level":"INFO","msg":"job replayed","job":"` + jobID + `"}`},
		"a conflict is a warning": {
			router.Observation{Event: router.KeyConflict, Job: jobID, Owner: "acme"},
			`{"level":"WARN","msg":"key conflict","job":"` + jobID + `","owner":"acme"}`},
		"a success that needed two attempts says so": {
			router.Observation{Event: router.JobEnded, Job: jobID, State: "succeeded", Elapsed: time.Second, Recovered: true},
			`{"level":"INFO","msg":"job ended","job":"` + jobID + `","state":"succeeded","elapsed":1000000000,"recovered":true}`},
		"an end that came late says so": {
			router.Observation{Event: router.JobEnded, Job: jobID, State: "failed", Code: "job_failed", FromUnknown: true},
			`{"level":"INFO","msg":"job ended","job":"` + jobID + `","code":"job_failed","state":"failed","from_unknown":true}`},
		"a held job is a warning": {
			router.Observation{Event: router.JobUnknown, Job: jobID},
			`{"level":"WARN","msg":"job unknown","job":"` + jobID + `"}`},
		"a job set aside is an error": {
			router.Observation{Event: router.JobQuarantined, Job: jobID},
			`{"level":"ERROR","msg":"job quarantined","job":"` + jobID + `"}`},
		"an attempt goes by the name that its provider saw": {
			router.Observation{Event: router.AttemptBegan, Job: jobID, Attempt: 2, Target: "mini"},
			`{"level":"DEBUG","msg":"attempt began","job":"` + jobID + `","attempt":"` + jobID + `.2","target":"mini"}`},
		"a failure says why and what became of the work": {
			router.Observation{Event: router.AttemptSettled, Job: jobID, Attempt: 1, Class: contracts.Connection, Effect: contracts.None, Code: "unsent"},
			`{"level":"INFO","msg":"attempt settled","job":"` + jobID + `","attempt":"` + jobID + `.1","class":"connection","effect":"none","code":"unsent"}`},
		"a timeout is a warning": {
			router.Observation{Event: router.AttemptUnknown, Job: jobID, Attempt: 1, Class: contracts.Timeout, Effect: contracts.Open, Code: "first_byte"},
			`{"level":"WARN","msg":"attempt unknown","job":"` + jobID + `","attempt":"` + jobID + `.1","class":"timeout","effect":"open","code":"first_byte"}`},
		"an orphan is a warning": {
			router.Observation{Event: router.AttemptOrphaned, Job: jobID, Attempt: 1},
			`{"level":"WARN","msg":"attempt orphaned","job":"` + jobID + `","attempt":"` + jobID + `.1"}`},
		"a settlement names who made it": {
			router.Observation{Event: router.AttemptResolved, Job: jobID, Attempt: 1, By: "ops/Kx71", Code: "executed"},
			`{"level":"INFO","msg":"attempt resolved","job":"` + jobID + `","attempt":"` + jobID + `.1","code":"executed","by":"ops/Kx71"}`},
		"a discarded result is a warning": {
			router.Observation{Event: router.LateDiscarded, Job: jobID, Attempt: 1},
			`{"level":"WARN","msg":"late discarded","job":"` + jobID + `","attempt":"` + jobID + `.1"}`},
		"store trouble is a warning": {
			router.Observation{Event: router.StoreTrouble, Code: "due", Err: jobstore.ErrUnavailable},
			`{"level":"WARN","msg":"store trouble","code":"due","err":"unavailable"}`},
		"a switch of eligibility is news": {
			router.Observation{Event: router.EligibilityMoved, Target: "llama", Contract: "triage@1", State: "disabled", By: "ops", Code: "disable"},
			`{"level":"INFO","msg":"eligibility moved","target":"llama","contract":"triage@1","code":"disable","state":"disabled","by":"ops"}`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(Options{})
			b.Observe(row.seen)
			if got := strings.TrimSuffix(b.log.String(), "\n"); got != row.want {
				t.Errorf("logged\n%s, want\n%s", got, row.want)
			}
		})
	}
}

func TestOfAnErrorOnlyTheKnownWordIsLogged(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"no reply":                             {fmt.Errorf("settle: %w: %w: %w", jobstore.ErrUnavailable, jobstore.ErrIndeterminate, io.EOF), "indeterminate"},
		"no store":                             {fmt.Errorf("settle: %w: %w", jobstore.ErrUnavailable, &net.OpError{Op: "dial", Err: io.EOF}), "unavailable"},
		"no store within the time":             {errors.Join(jobstore.ErrUnavailable, context.DeadlineExceeded), "unavailable"},
		"an old epoch":                         {fmt.Errorf("settle attempt 2: %w", jobstore.ErrStale), "stale"},
		"a job that is gone":                   {jobstore.ErrNotFound, "not_found"},
		"a job that has ended":                 {jobstore.ErrEnded, "ended"},
		"an open attempt":                      {jobstore.ErrBlocked, "blocked"},
		"a live lease":                         {jobstore.ErrHeld, "held"},
		"a quarantined job":                    {jobstore.ErrQuarantined, "quarantined"},
		"no attempts left":                     {jobstore.ErrLimit, "limit"},
		"another outcome":                      {jobstore.ErrLost, "lost"},
		"an attempt under way":                 {jobstore.ErrBusy, "busy"},
		"a deadline":                           {context.DeadlineExceeded, "deadline"},
		"a context that was given up":          {context.Canceled, "cancelled"},
		"an error that is not ours is no word": {errors.New("WRONGPASS for 10.0.0.1"), other},
	} {
		t.Run(name, func(t *testing.T) {
			if got := errorWord(row.err); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// filled is an observation with text in every field that can hold some.
func filled(e router.Event, text string, err error) router.Observation {
	return router.Observation{Event: e, Owner: text, Job: text, Attempt: 1, Target: text, Contract: text, State: text,
		Class: contracts.Class(text), Effect: contracts.Effect(text), Code: text, By: text, Elapsed: time.Second,
		Recovered: true, FromUnknown: true, Err: err}
}

// A canary in every field that text could reach must be seen nowhere.
func TestNoTextOfOthersReachesTheLogOrTheMetrics(t *testing.T) {
	const canary = "CANARY my card 4929 sk-live-77"
	b := newBench(Options{Counts: countsOf(fmt.Errorf("redis://u:%s@10.0.0.1:6379", canary))})
	for event := range reactions {
		b.Observe(filled(event, canary, fmt.Errorf("dial redis://u:%s@10.0.0.1:6379: %w", canary, jobstore.ErrUnavailable)))
	}
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for place, text := range map[string]string{"log": b.log.String(), "metrics": w.Body.String()} {
		if strings.Count(text, "\n") < len(reactions) {
			t.Errorf("%s: only %q", place, text)
		}
		for _, part := range []string{"CANARY", "4929", "sk-live", "10.0.0.1"} {
			if strings.Contains(text, part) {
				t.Errorf("%s shows %q", place, part)
			}
		}
	}
}

func TestTheHandlersLevelIsKept(t *testing.T) {
	var out bytes.Buffer
	tel := New(Options{Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: withoutTime}))})
	tel.Observe(router.Observation{Event: router.JobEnded, Job: jobID})
	tel.Observe(router.Observation{Event: router.LateDiscarded, Job: jobID, Elapsed: 1500 * time.Millisecond})
	if want := "level=WARN msg=\"late discarded\" job=" + jobID + " elapsed=1.5s\n"; out.String() != want {
		t.Errorf("logged\n%swant\n%s", out.String(), want)
	}
}
