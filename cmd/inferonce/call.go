package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// callTime bounds a call beyond the time that it asks the router to wait.
const callTime = 30 * time.Second

// maxAnswer bounds an answer in bytes: a page of 200 jobs with large results.
const maxAnswer = 64 << 20

var (
	errCallTime = errors.New("no answer in time")
	errTooLarge = errors.New("the answer is larger than any of a router")
)

// call is one request to the API.
type call struct {
	method string
	path   string // escaped
	query  url.Values
	header map[string]string
	body   []byte
	wait   time.Duration // that the router is asked to hold the call open
}

// answer is a success: JSON, as it came.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do makes one call. Its error chooses an exit code. It is a *problem if the
// router answered; otherwise it says whether the router can have had the call.
func (c *client) do(ctx context.Context, in call) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, in.wait+callTime, errCallTime)
	defer cancel()
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	req, err := c.request(ctx, in)
	if err != nil {
		return answer{}, exit(exitUsage, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, c.noAnswer(ctx, in, connected, err)
	}
	defer resp.Body.Close()
	body, err := readAnswer(resp.Body, maxAnswer)
	if err != nil {
		return answer{}, c.noAnswer(ctx, in, true, err)
	}
	return c.judge(in, answer{resp.StatusCode, resp.Header, body})
}

// localClient speaks to a router that this process runs itself.
func localClient(base string) *client {
	return &client{base: base, key: devKey, http: &http.Client{CheckRedirect: stay}}
}

// exchange makes one call with body as JSON, and reads the answer into into;
// either may be nil.
func (c *client) exchange(ctx context.Context, method, path string, header map[string]string, body, into any) error {
	in := call{method: method, path: path, header: header, wait: time.Minute}
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in.body = raw
	}
	a, err := c.do(ctx, in)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(a.body, into)
}

// isCode says that the router answered with this problem.
func isCode(err error, code string) bool {
	var p *problem
	return errors.As(err, &p) && p.Code == code
}

func (c *client) request(ctx context.Context, in call) (*http.Request, error) {
	address := c.base + in.path
	if len(in.query) > 0 {
		address += "?" + in.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.method, address, nil)
	if err != nil {
		return nil, err
	}
	if in.body != nil {
		// Without GetBody net/http can't send the request a second time on its
		// own, which it would for one with an Idempotency-Key.
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(in.body)), int64(len(in.body))
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Accept", "application/json, application/problem+json")
	req.Header.Set("User-Agent", "inferonce/"+thisBuild().Version)
	for name, value := range in.header {
		req.Header.Set(name, value)
	}
	return req, nil
}

func readAnswer(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		err = errTooLarge
	}
	return b, err
}

// noAnswer is the error of a call that was not answered. Without a connection
// nothing has left; with one, a call that changes something may have been done.
func (c *client) noAnswer(ctx context.Context, in call, connected bool, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if !connected {
		return exitf(exitCouldNotRun, "can't reach %s: %w; is it running? try: inferonce dev", c.base, err)
	}
	if in.method == http.MethodGet {
		return exitf(exitCouldNotRun, "no answer from %s: %w; try again", c.base, err)
	}
	return exitf(exitInconclusive, "no answer from %s: %w; nobody knows whether it was done", c.base, err)
}

// judge tells a success from a problem, and both from somebody else's answer.
func (c *client) judge(in call, a answer) (answer, error) {
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	switch {
	case a.status >= 200 && a.status < 300 && kind == "application/json":
		return a, nil
	case kind == "application/problem+json":
		if p, ok := readProblem(a); ok {
			return a, exit(p.exitCode(in.method), p)
		}
	case a.status >= 300 && a.status < 400:
		return a, exitf(exitCouldNotRun, "%s redirects elsewhere, which is not followed; give the right address with --url", c.base)
	}
	code := exitCouldNotRun
	if in.method != http.MethodGet && a.status >= 500 {
		code = exitInconclusive // an edge in between says nothing of what the router did
	}
	return a, exitf(code, "%s answered %d, but not as a router does; check --url", c.base, a.status)
}

// waitHint is when the router says to ask again; a second if it does not say.
// Both spellings are read, the finer one first, up to a minute.
func waitHint(h http.Header) time.Duration {
	wait := time.Second
	if s, err := strconv.ParseInt(strings.TrimSpace(h.Get("Retry-After")), 10, 32); err == nil && s >= 0 {
		wait = time.Duration(s) * time.Second
	}
	if ms, err := strconv.ParseInt(strings.TrimSpace(h.Get("Retry-After-Ms")), 10, 32); err == nil && ms >= 0 {
		wait = time.Duration(ms) * time.Millisecond
	}
	return min(max(wait, 100*time.Millisecond), time.Minute)
}
