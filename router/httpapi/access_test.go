package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inferonce/jobstore"
)

var scopes = []string{ScopeInfer, ScopeOperate, ScopeReport, ScopeAdmin}

func TestEveryRouteDeclaresWhoMayCallIt(t *testing.T) {
	for _, r := range routes(1 << 20) {
		if r.scope != public && !slices.Contains(scopes, r.scope) {
			t.Errorf("%s %s has no scope; say public if it is meant for everybody", r.method, r.path)
		}
		if strings.HasPrefix(r.path, "/v1/") == (r.scope == public) {
			t.Errorf("%s %s: /v1 needs a key, and nothing else does; it has scope %s", r.method, r.path, r.scope)
		}
		if (r.limit > 0) != (r.method == "POST" || r.method == "PUT") {
			t.Errorf("%s %s has body limit %d", r.method, r.path, r.limit)
		}
	}
}

func TestARouteWithoutScopeLetsNobodyIn(t *testing.T) {
	a := newAPI(Options{Router: newFake(), Auth: testKeys})
	x := &exchange{r: &http.Request{Header: http.Header{"Authorization": {"Bearer key-infer"}}},
		w: &response{ResponseWriter: discard{http.Header{}}}, route: &route{method: "GET", path: "/v1/new"}}
	if err := a.admit(x); err == nil {
		t.Error("it let a key in that has no scope for it")
	}
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// The matrix: every route with every kind of caller (C01).
func TestAccessMatrix(t *testing.T) {
	f := newFace(t)
	asks := fine()
	for _, rt := range f.api.routes {
		a := asks[rt.method+" "+rt.path]
		if rt.scope == public {
			for _, key := range []string{"", "junk", "key-none", "key-infer"} {
				f.want(a.by(key), 200, "")
			}
			continue
		}
		r := f.want(a.by(""), 401, codeUnauthorized)
		if r.header.Get("WWW-Authenticate") != `Bearer realm="inferonce"` {
			t.Errorf("%s: challenge %q", rt.path, r.header.Get("WWW-Authenticate"))
		}
		r = f.want(a.by("junk"), 401, codeUnauthorized)
		if r.header.Get("WWW-Authenticate") != `Bearer realm="inferonce", error="invalid_token"` {
			t.Errorf("%s: challenge %q", rt.path, r.header.Get("WWW-Authenticate"))
		}
		for _, scope := range scopes {
			if scope == rt.scope || scope == ScopeAdmin {
				f.want(a.by("key-"+scope), 200, "")
				continue
			}
			r = f.want(a.by("key-"+scope), 403, codeForbidden)
			if r.text("scope") != rt.scope && !openAIPath(rt.path) || r.header.Get("WWW-Authenticate") != fmt.Sprintf(`Bearer realm="inferonce", error="insufficient_scope", scope=%q`, rt.scope) {
				t.Errorf("%s: scope %q, challenge %q", rt.path, r.text("scope"), r.header.Get("WWW-Authenticate"))
			}
		}
		f.want(a.by("key-none"), 403, codeForbidden)
	}
}

// A stranger has every scope, and gets the same bytes for a foreign job as for
// one that never was.
func TestAForeignJobLooksLikeNoJob(t *testing.T) {
	f := newFace(t)
	for _, rt := range f.api.routes {
		if !strings.HasPrefix(rt.path, "/v1/jobs/{id}") || rt.scope != ScopeInfer {
			continue
		}
		a := fine()[rt.method+" "+rt.path].by("key-stranger").with("X-Request-Id", "same")
		foreign := f.want(a, 404, codeJobNotFound)
		for _, id := range []string{"job_none", "%2e%2e%2fsecret", "a%0d%0ab", strings.Repeat("x", 3000)} {
			none := a
			none.path = strings.Replace(a.path, jobID, id, 1)
			r := f.want(none, 404, codeJobNotFound)
			foreign.header.Del("Date")
			r.header.Del("Date")
			if r.raw != foreign.raw || fmt.Sprint(r.header) != fmt.Sprint(foreign.header) {
				t.Errorf("%s %s:\nforeign %v %s\nunknown %v %s", a.method, id, foreign.header, foreign.raw, r.header, r.raw)
			}
		}
	}
}

func TestOwnersListTheirOwnJobs(t *testing.T) {
	f := newFace(t)
	f.router.page = jobstore.Page{Jobs: []jobstore.Job{aJob(jobstore.JobSucceeded), aJob(jobstore.JobQueued)}, Next: "1.job_b"}
	r := f.want(ask{method: "GET", path: "/v1/jobs?state=succeeded&after=0.job_a&limit=200", key: "key-infer"}, 200, "")
	if got := f.router.asked[0]; got != `["acme","succeeded","0.job_a",200]` {
		t.Errorf("asked for %s", got)
	}
	if len(r.body["data"].([]any)) != 2 || r.body["next"] != "1.job_b" {
		t.Error(r.raw)
	}
	f.router.page = jobstore.Page{}
	r = f.want(ask{method: "GET", path: "/v1/jobs", key: "key-stranger"}, 200, "")
	if got := f.router.asked[1]; got != `["globex","","",50]` || r.raw != `{"object":"list","data":[],"next":null}`+"\n" {
		t.Errorf("asked for %s, got %s", got, r.raw)
	}
}

func TestOddQueriesAreRefusedByName(t *testing.T) {
	f := newFace(t)
	for _, row := range []struct{ query, named string }{
		{"stat=failed", "stat"},
		{"State=failed", "State"},
		{"limit=5&limit=6", "limit"},
		{"a=1&b=2", "a, b"},
		{"api_key=canary-secret", "api_key"},
		{"limit=0", "limit"},
		{"limit=201", "limit"},
		{"limit=ten", "limit"},
		{"limit=", "limit"},
		{"state=done", "state"},
		{"state=", "state"},
		{"limit=%zz", "query"},
		{"limit=5;state=failed", "query"},
	} {
		r := f.want(ask{method: "GET", path: "/v1/jobs?" + row.query, key: "key-infer"}, 400, codeQuery)
		if !strings.Contains(r.text("detail"), row.named) || strings.Contains(r.raw, "canary") {
			t.Errorf("%s: %s", row.query, r.text("detail"))
		}
	}
	f.want(ask{method: "GET", path: "/healthz?probe=1"}, 200, "")
}

func TestTheAuthorizationHeader(t *testing.T) {
	f := newFace(t)
	for _, row := range []struct {
		name   string
		values []string
		status int
	}{
		{"as it should be", []string{"Bearer key-infer"}, 200},
		{"the scheme in another case", []string{"bEARER key-infer"}, 200},
		{"another scheme", []string{"Basic key-infer"}, 401},
		{"no scheme", []string{"key-infer"}, 401},
		{"no key", []string{"Bearer "}, 401},
		{"two headers", []string{"Bearer key-infer", "Bearer key-infer"}, 401},
		{"two keys in one", []string{"Bearer key-infer, Bearer key-infer"}, 401},
	} {
		code := map[int]string{401: codeUnauthorized}[row.status]
		r := f.do(inferAsk().by("").with("Authorization", row.values...))
		if r.status != row.status || r.text("code") != code {
			t.Errorf("%s: %d %s", row.name, r.status, r.raw)
		}
	}
}

func TestRecordsNameOwnerAndKey(t *testing.T) {
	for want, c := range map[string]Caller{"acme/k1": {Owner: "acme", KeyID: "k1"}, "acme": {Owner: "acme"}} {
		if c.by() != want {
			t.Errorf("%+v is %q, want %q", c, c.by(), want)
		}
	}
}

func TestTheServersLimits(t *testing.T) {
	s := Server(http.NotFoundHandler())
	if s.ReadHeaderTimeout != 5*time.Second || s.IdleTimeout != time.Minute || s.MaxHeaderBytes != 64<<10 {
		t.Errorf("header %s, idle %s, header bytes %d", s.ReadHeaderTimeout, s.IdleTimeout, s.MaxHeaderBytes)
	}
	f := newFace(t)
	r := f.raw(ask{method: "GET", path: "/healthz", header: http.Header{"X-Filler": {strings.Repeat("x", 80<<10)}}}, "\r\n", false)
	if r.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("80 KiB of headers: %d", r.status)
	}
}
