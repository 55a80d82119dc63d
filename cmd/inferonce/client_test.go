package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// runAgainst runs the program against a server that answers every call with h,
// and returns its exit code, output and talk.
func runAgainst(t *testing.T, h http.HandlerFunc, args ...string) (code int, out, talk string) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	var o, e strings.Builder
	root := newRootCmd(func(name string) (string, bool) {
		return map[string]string{envURL: server.URL, envKey: "hunter2"}[name], true
	})
	root.SetOut(&o)
	root.SetErr(&e)
	root.SetIn(strings.NewReader(""))
	root.SetArgs(args)
	code = report(root, root.ExecuteContext(context.Background()))
	if strings.Contains(o.String()+e.String(), "hunter2") {
		t.Errorf("the key is in the output: %s%s", o.String(), e.String())
	}
	return code, o.String(), e.String()
}

func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func cut(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

var inferArgs = []string{"infer", "ticket-triage", "--text", "hello", "--key", "order-8841"}

func TestAnAnswerThatIsNoRoutersIsNotTakenForOne(t *testing.T) {
	const problemJSON = "application/problem+json"
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		args   []string
		code   int
		talk   string // part of it
	}{
		"a page of somebody else":                 {says(200, "text/html", "<html>"), []string{"jobs", "list"}, 4, "answered 200, but not as a router does; check --url"},
		"an edge's error to a reading call":       {says(502, "text/html", "<html>"), []string{"jobs", "list"}, 4, "answered 502"},
		"an edge's error to a changing call":      {says(502, "text/html", "<html>"), inferArgs, 5, "the same command with --key order-8841 finds out and runs nothing twice"},
		"a problem without a code":                {says(500, problemJSON, `{"detail":"x"}`), []string{"jobs", "list"}, 4, "answered 500"},
		"JSON of another shape":                   {says(200, "application/json", `[]`), []string{"jobs", "list"}, 4, "are router and program of one version?"},
		"an answer that is cut":                   {cut, []string{"jobs", "list"}, 4, "no answer from"},
		"a changing call whose answer is cut":     {cut, inferArgs, 5, "nobody knows whether it was done"},
		"a store that did not say":                {says(503, problemJSON, `{"code":"store_unavailable","retryable":true}`), inferArgs, 5, "store_unavailable"},
		"a busy router, which has stored nothing": {says(503, problemJSON, `{"code":"busy","detail":"d","next":"Send it again.","retryable":true}`), inferArgs, 4, "busy: d; Send it again. (in 1s)"},
		"a redirect is not followed": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("the redirect was followed, with the key")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, inferArgs, 4, "redirects elsewhere, which is not followed"},
	} {
		code, out, talk := runAgainst(t, row.answer, row.args...)
		if code != row.code || !strings.Contains(talk, row.talk) || out != "" {
			t.Errorf("%s: code %d, want %d; said %q, want %q in it; printed %q", name, code, row.code, talk, row.talk, out)
		}
	}
}

func TestTheProblemChoosesTheExitCode(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		code   string
		get    bool
		want   int
	}{
		"refused input is a usage error":                 {422, "input_invalid", false, exitUsage},
		"a malformed request is a usage error":           {400, "query_invalid", true, exitUsage},
		"a body too large is a usage error":              {413, "body_too_large", false, exitUsage},
		"a conflict of keys":                             {409, "idempotency_key_reused", false, exitConflict},
		"a conflict of versions":                         {412, "version_conflict", false, exitConflict},
		"what is not there":                              {404, "job_not_found", true, exitNotFound},
		"a key that is nobody's could not run":           {401, "unauthorized", false, exitCouldNotRun},
		"a missing scope could not run":                  {403, "scope_missing", true, exitCouldNotRun},
		"a store that is away stops a reading call":      {503, "store_unavailable", true, exitCouldNotRun},
		"a store that is away leaves a change uncertain": {503, "store_unavailable", false, exitInconclusive},
		"our own fault leaves a change uncertain":        {500, "internal", false, exitInconclusive},
		"a busy router has stored nothing":               {503, "busy", false, exitCouldNotRun},
		"a leaving router has stored nothing":            {503, "draining", false, exitCouldNotRun},
	} {
		method := http.MethodPost
		if row.get {
			method = http.MethodGet
		}
		if got := (&problem{Status: row.status, Code: row.code}).exitCode(method); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}

func TestJSONIsPrintedAsItCame(t *testing.T) {
	const odd = `{ "object":"job", "id":"job_1","state" : "succeeded", "b":1.0, "a":"<\u003c>", "new":{}}`
	for _, args := range [][]string{{"jobs", "get", "job_1"}, inferArgs, {"jobs", "watch", "job_1"}, {"jobs", "cancel", "job_1", "--reason", "r"}} {
		code, out, _ := runAgainst(t, says(200, "application/json", odd), append(args, "-o", "json")...)
		if code != 0 || out != odd+"\n" {
			t.Errorf("%v: code %d, %q", args, code, out)
		}
	}
}

func TestATextFromElsewhereCannotDriveTheTerminal(t *testing.T) {
	const job = `{"object":"job","id":"job_1","state":"failed","error":{"code":"job_failed","message":"a\u001b[2Jb\u202ec\nd"}}`
	_, out, _ := runAgainst(t, says(200, "application/json", job), "jobs", "get", "job_1")
	if strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, "job_failed: a\uFFFD[2Jb\uFFFDc d") {
		t.Errorf("%q", out)
	}
	_, _, talk := runAgainst(t, says(409, "application/problem+json", `{"code":"x","detail":"a\u001b]0;b\u0007"}`), "jobs", "get", "job_1")
	if strings.ContainsAny(talk, "\x1b\x07") {
		t.Errorf("%q", talk)
	}
}

func TestWaitHint(t *testing.T) {
	for name, row := range map[string]struct {
		seconds, millis string
		want            time.Duration
	}{
		"nothing said":             {"", "", time.Second},
		"seconds":                  {"7", "", 7 * time.Second},
		"the finer one counts":     {"1", "250", 250 * time.Millisecond},
		"never at once":            {"0", "", 100 * time.Millisecond},
		"at most a minute":         {"86400", "", time.Minute},
		"a date is not understood": {"Wed, 21 Oct 2026 07:28:00 GMT", "", time.Second},
		"below zero is no wait":    {"-5", "", time.Second},
	} {
		h := http.Header{}
		h.Set("Retry-After", row.seconds)
		h.Set("Retry-After-Ms", row.millis)
		if got := waitHint(h); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestAnAnswerHasABound(t *testing.T) {
	if _, err := readAnswer(strings.NewReader("12345"), 4); !errors.Is(err, errTooLarge) {
		t.Errorf("one byte too many: %v", err)
	}
	if b, err := readAnswer(strings.NewReader("1234"), 4); err != nil || string(b) != "1234" {
		t.Errorf("as many as may be: %q, %v", b, err)
	}
}
