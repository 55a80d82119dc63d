package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"inferonce/jobstore"
)

// face is a served api over a fake Router. Every call it makes is compared
// with the document.
type face struct {
	t       testing.TB
	url     string
	api     *api
	router  *fake
	log     *lockedBuffer
	client  *http.Client
	doc     object
	allowed map[string]object
	seen    map[string]bool // "POST /v1/infer 200"
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newFake() *fake {
	return &fake{jobs: map[string]jobstore.Job{jobID: aJob(jobstore.JobSucceeded)}}
}

func newFace(t testing.TB, change ...func(*Options)) *face {
	f := &face{t: t, router: newFake(), log: &lockedBuffer{}, doc: document(t), seen: map[string]bool{}}
	f.allowed = statuses(t, f.doc)
	o := Options{Router: f.router, Auth: testKeys, Version: "v0.1.0", MaxWait: time.Minute,
		Log:     slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "jobs 1\n") })}
	for _, c := range change {
		c(&o)
	}
	f.api = newAPI(o)
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = Server(f.api)
	srv.Start()
	t.Cleanup(srv.Close)
	f.url = srv.URL
	f.client = srv.Client()
	f.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return f
}

// ask is a request; headers given twice are sent twice.
type ask struct {
	method, path string
	key          string // API key; "" sends none
	body         string
	header       http.Header
	host         string
}

// inferAsk is a request that succeeds.
func inferAsk() ask {
	return ask{method: "POST", path: "/v1/infer", key: "key-infer", body: `{"contract":"ticket-triage","input":{"text":"hello"}}`,
		header: http.Header{"Idempotency-Key": {"order-8841"}, "Content-Type": {"application/json"}}}
}

func (a ask) with(name string, values ...string) ask {
	a.header = a.header.Clone()
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header[http.CanonicalHeaderKey(name)] = values
	return a
}

func (a ask) without(name string) ask {
	a.header = a.header.Clone()
	a.header.Del(name)
	return a
}

func (a ask) saying(body string) ask { a.body = body; return a }

func (a ask) by(key string) ask { a.key = key; return a }

type reply struct {
	status int
	header http.Header
	raw    string
	body   object
}

// text reads a member of a problem, or the like-named one of an error in OpenAI's shape.
func (r reply) text(name string) string {
	if e, ok := r.body["error"].(object); ok && r.body["object"] == nil && r.body[name] == nil {
		s, _ := e[name].(string)
		return s
	}
	s, _ := r.body[name].(string)
	return s
}

func (f *face) do(a ask) reply {
	f.t.Helper()
	req, err := http.NewRequest(a.method, f.url+a.path, io.MultiReader(strings.NewReader(a.body)))
	if err != nil {
		f.t.Fatal(err)
	}
	req.ContentLength = int64(len(a.body))
	if a.body == "" {
		req.Body = nil
	}
	for name, values := range a.header {
		req.Header[name] = values
	}
	if a.key != "" {
		req.Header.Set("Authorization", "Bearer "+a.key)
	}
	res, err := f.client.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	r := reply{status: res.StatusCode, header: res.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &r.body) // not every answer is an object
	f.check(a, r)
	return r
}

// check holds an answer against what every answer promises and against the document.
func (f *face) check(a ask, r reply) {
	f.t.Helper()
	if r.header.Get("X-Request-Id") == "" || r.header.Get("Cache-Control") != "no-store" {
		f.t.Errorf("%s %s: headers %v", a.method, a.path, r.header)
	}
	if r.status >= 300 && r.status < 400 {
		f.t.Errorf("%s %s: redirected with %d", a.method, a.path, r.status)
	}
	if r.status >= 400 && a.method != "HEAD" {
		f.checkProblem(a, r)
	}
	route, _, _ := f.api.routes.find(a.method, strings.SplitN(a.path, "?", 2)[0])
	if route == nil || a.method == "HEAD" {
		return
	}
	name := route.method + " " + route.path + " " + http.StatusText(r.status)
	response, ok := f.allowed[route.method+" "+route.path+" "+itoa(r.status)]
	if !ok {
		f.t.Errorf("%s is not in the document: %d %s", name, r.status, r.raw)
		return
	}
	f.seen[route.method+" "+route.path+" "+itoa(r.status)] = true
	media, ok := response["content"].(object)[strings.SplitN(r.header.Get("Content-Type"), ";", 2)[0]].(object)
	if !ok {
		f.t.Errorf("%s: the document has no %s", name, r.header.Get("Content-Type"))
		return
	}
	if s := media["schema"].(object); s["type"] != "string" {
		for _, fault := range conforms(f.t, f.doc, s, any(r.body), name) {
			f.t.Error(fault)
		}
	}
}

func (f *face) checkProblem(a ask, r reply) {
	f.t.Helper()
	if openAIPath(strings.SplitN(a.path, "?", 2)[0]) {
		f.checkOpenAI(a, r)
		return
	}
	k, ok := catalogue[r.text("code")]
	retryable, _ := r.body["retryable"].(bool)
	if !ok || r.status != k.status || r.body["status"] != float64(k.status) || retryable != k.retryable {
		f.t.Errorf("%s %s: %d %s", a.method, a.path, r.status, r.raw)
	}
	if r.header.Get("Content-Type") != "application/problem+json" || r.text("type") != "urn:inferonce:problem:"+r.text("code") ||
		r.text("detail") == "" || r.text("next") == "" || r.text("title") == "" {
		f.t.Errorf("%s %s: no full problem: %v %s", a.method, a.path, r.header, r.raw)
	}
	if want := map[bool]string{true: "true", false: "false"}[k.retryable]; r.header.Get("X-Should-Retry") != want {
		f.t.Errorf("%s: X-Should-Retry %q, want %s", r.text("code"), r.header.Get("X-Should-Retry"), want)
	}
	if hinted := r.header.Get("Retry-After") != "" && r.header.Get("Retry-After-Ms") != ""; hinted != k.retryable {
		f.t.Errorf("%s: Retry-After %q, retryable %v", r.text("code"), r.header.Get("Retry-After"), k.retryable)
	}
}
