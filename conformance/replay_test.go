package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// recorded runs a suite with a recorder and returns its report and the tape.
func recorded(t *testing.T, o Options) (contracts.Report, string) {
	t.Helper()
	var tape bytes.Buffer
	o.KeepGoing = true
	r := NewRecorder(&tape, NewRecording(o), o.Provider)
	o.Provider = r
	report := run(t, o)
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return report, tape.String()
}

func replayed(t *testing.T, o Options, tape string) contracts.Report {
	t.Helper()
	p, err := NewReplayer(strings.NewReader(tape), o, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	o.Provider, o.KeepGoing, o.Backoff = p, true, time.Nanosecond
	return run(t, o)
}

// Each answer differs from repeat to repeat, so that only the n-th to the n-th
// call gives the same counts; some calls are refused first and made again.
func TestAReplayFindsWhatTheRecordingFound(t *testing.T) {
	for name, answer := range map[string]func(contracts.Case, int, int) (contracts.Completion, error){
		"honest": honest,
		"wrong in the second repeat": func(k contracts.Case, asked, _ int) (contracts.Completion, error) {
			if asked == 1 {
				return said(`{"category":"none","priority":4,"order_id":null}`), nil
			}
			return honest(k, 0, 0)
		},
		"cut, garbage and refused": leaky,
		"refused once": func(k contracts.Case, asked, _ int) (contracts.Completion, error) {
			if k.ID == "name" && asked == 0 {
				return contracts.Completion{}, &contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, Status: 429, RetryAfter: 5 * time.Second}
			}
			return honest(k, asked, 0)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			live, tape := recorded(t, options(tickets(t), answer))
			again := replayed(t, options(tickets(t), silentAnswer), tape)
			if !again.Replayed || live.Replayed {
				t.Errorf("%s: replayed is %t, live %t", name, again.Replayed, live.Replayed)
			}
			if live.Verdict != again.Verdict || !reflect.DeepEqual(live.Checks, again.Checks) || live.Totals != again.Totals {
				t.Errorf("%s: %s with %+v, recorded %s with %+v", name, again.Verdict, again.Checks, live.Verdict, live.Checks)
			}
			if d := Compare(live, again); len(d.Changes) > 0 {
				t.Errorf("%s: %+v", name, d.Changes)
			}
		})
	}
}

func silentAnswer(contracts.Case, int, int) (contracts.Completion, error) {
	panic("a replay calls nobody")
}

func TestWhatWasNotRecordedIsInconclusive(t *testing.T) {
	_, tape := recorded(t, options(tickets(t), honest))
	lines := strings.SplitAfter(tape, "\n")
	for name, text := range map[string]string{
		"the last exchange is missing": strings.Join(lines[:len(lines)-2], ""),
		"nothing was recorded":         lines[0],
	} {
		r := replayed(t, options(tickets(t), silentAnswer), text)
		if r.Verdict != contracts.Inconclusive || !strings.Contains(strings.Join(r.Reasons, " "), codeNotRecorded) {
			t.Errorf("%s: %s %v", name, r.Verdict, r.Reasons)
		}
	}
	more := options(tickets(t), silentAnswer)
	more.Repeats = 4
	if r := replayed(t, more, tape); r.Verdict != contracts.Inconclusive {
		t.Errorf("a fourth repeat of three recorded: %s", r.Verdict)
	}
}

func TestARecordingOfSomethingElseIsRefused(t *testing.T) {
	_, tape := recorded(t, options(tickets(t), honest))
	head, rest, _ := strings.Cut(tape, "\n")
	changed := func(field string, to any) string {
		var m map[string]any
		if err := json.Unmarshal([]byte(head), &m); err != nil {
			t.Fatal(err)
		}
		m[field] = to
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n" + rest
	}
	first, others, _ := strings.Cut(rest, "\n")
	for name, row := range map[string]struct{ tape, want string }{
		"another state of the contract": {changed("digest", "sha256:00"), "contract digest"},
		"another suite":                 {changed("suite_version", "0"), "suite version"},
		"another provider":              {changed("provider", "x"), "of provider x"},
		"another model":                 {changed("model", "x"), "of model x"},
		"another target":                {changed("target", "x"), "of target x"},
		"another contract":              {changed("contract", "x@1"), "of contract x@1"},
		"a later format":                {changed("recording", 2), "format"},
		"too old":                       {changed("time", time.Now().Add(-61*time.Minute)), "old, and 1h0m0s is the most"},
		"of the future":                 {changed("time", time.Now().Add(time.Hour)), "future"},
		"a field that nobody knows":     {changed("extra", 1), "line 1"},
		"empty":                         {"", "line 1"},
		"no recording":                  {"hello", "line 1"},
		"an exchange left out":          {head + "\n" + strings.ReplaceAll(rest, `"n":1`, `"n":2`), "out of order"},
		"an exchange twice":             {head + "\n" + first + "\n" + first + "\n" + others, "out of order"},
		"an exchange without outcome":   {head + "\n" + `{"time":"2026-03-01T12:00:00Z","request":"sha256:1","n":1}`, "without an outcome"},
		"a line that is cut":            {tape[:len(tape)-20], "line "},
	} {
		_, err := NewReplayer(strings.NewReader(row.tape), options(tickets(t), honest), time.Hour)
		if !errors.Is(err, ErrRecording) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

func TestARequestIsTheSameByWhatAModelIsAsked(t *testing.T) {
	zero, one := 0.0, 1.0
	base := providers.Request{Model: "m", Messages: []providers.Message{{Role: "user", Content: "x"}}, Schema: json.RawMessage(`{"a":1}`), SchemaName: "s", Temperature: &zero, MaxTokens: 5}
	for name, row := range map[string]struct {
		change func(*providers.Request)
		same   bool
	}{
		"another attempt id":      {func(r *providers.Request) { r.AttemptID = "x" }, true},
		"other limits":            {func(r *providers.Request) { r.Limits.MaxBody = 9 }, true},
		"somebody who listens":    {func(r *providers.Request) { r.OnFirstByte = func() {} }, true},
		"an equal temperature":    {func(r *providers.Request) { other := 0.0; r.Temperature = &other }, true},
		"another model":           {func(r *providers.Request) { r.Model = "n" }, false},
		"another message":         {func(r *providers.Request) { r.Messages = []providers.Message{{Role: "user", Content: "y"}} }, false},
		"another role":            {func(r *providers.Request) { r.Messages = []providers.Message{{Role: "system", Content: "x"}} }, false},
		"another schema":          {func(r *providers.Request) { r.Schema = json.RawMessage(`{"a":2}`) }, false},
		"another name of it":      {func(r *providers.Request) { r.SchemaName = "t" }, false},
		"another temperature":     {func(r *providers.Request) { r.Temperature = &one }, false},
		"no temperature":          {func(r *providers.Request) { r.Temperature = nil }, false},
		"another bound on tokens": {func(r *providers.Request) { r.MaxTokens = 6 }, false},
	} {
		r := base
		row.change(&r)
		a, err := requestDigest(base)
		b, err2 := requestDigest(r)
		if err != nil || err2 != nil || (a == b) != row.same {
			t.Errorf("%s: %s and %s (%v, %v), same must be %t", name, a, b, err, err2, row.same)
		}
	}
}

// A recording that forgets a field would be judged otherwise than the answer.
func TestARecordingHasEveryFieldOfAnAnswer(t *testing.T) {
	for typ, known := range map[reflect.Type]int{reflect.TypeFor[contracts.Completion](): 7, reflect.TypeFor[contracts.Usage](): 3} {
		if n := typ.NumField(); n != known {
			t.Errorf("%s has %d fields: keep the new one in a recording, or say here that judging does without", typ, n)
		}
	}
	c := contracts.Completion{Content: "c", Model: "m", FinishReason: "f", SystemFingerprint: "s", ToolCalls: []contracts.ToolCall{{ID: "i", Name: "n", Arguments: "{}", Raw: true}}, Usage: contracts.Usage{InputTokens: 1, OutputTokens: 2, Reported: true}}
	var x recordedExchange
	(&Recorder{redact: NewRedactor()}).fill(&x, c, nil)
	if got := x.Answer.completion(); !reflect.DeepEqual(got, c) {
		t.Errorf("%+v, want %+v", got, c)
	}
}

func TestACallThatWasCancelledLeavesNoLine(t *testing.T) {
	var tape bytes.Buffer
	o := options(tickets(t), honest)
	r := NewRecorder(&tape, NewRecording(o), silent{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Complete(ctx, providers.Request{}); err == nil || strings.Count(tape.String(), "\n") != 1 {
		t.Errorf("%v: %s", err, tape.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestARecordingThatCouldNotBeWrittenSaysSo(t *testing.T) {
	o := options(tickets(t), honest)
	r := NewRecorder(full{}, NewRecording(o), o.Provider)
	if r.Err() == nil || r.Err().Error() != "disk full" {
		t.Errorf("%v", r.Err())
	}
}
