package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// public is the scope of a route that needs no API key. A route without any
// scope is a mistake, and lets nobody in.
const public = "public"

// smallBody bounds bodies that hold a reason and little else.
const smallBody = 64 << 10

// route is one call of the face.
type route struct {
	method string
	path   string   // segments in braces match any one segment
	scope  string   // public, or the scope that the caller's key must have
	limit  int64    // of the body in bytes; 0: the body is not read
	query  []string // the parameters it takes; a public route ignores its query
	serve  func(*api, *exchange) error
}

type table []route

// routes is the whole face.
func routes(bodyLimit int64) table {
	page := []string{"after", "limit"}
	return table{
		{"POST", "/v1/infer", ScopeInfer, bodyLimit, nil, (*api).infer},
		{"POST", chatPath, ScopeInfer, bodyLimit, nil, (*api).chat},
		{"GET", modelsPath, ScopeInfer, 0, nil, (*api).listModels},
		{"GET", modelsPath + "/{id}", ScopeInfer, 0, nil, (*api).getModel},
		{"GET", "/v1/jobs", ScopeInfer, 0, append([]string{"state"}, page...), (*api).listJobs},
		{"GET", "/v1/jobs/{id}", ScopeInfer, 0, nil, (*api).getJob},
		{"POST", "/v1/jobs/{id}/cancel", ScopeInfer, smallBody, nil, (*api).cancelJob},
		{"GET", "/v1/unknown", ScopeOperate, 0, page, (*api).listUnknown},
		{"POST", "/v1/jobs/{id}/attempts/{n}/resolve", ScopeOperate, bodyLimit, nil, (*api).resolve},
		{"GET", "/v1/eligibility", ScopeOperate, 0, nil, (*api).listEligibility},
		{"PUT", "/v1/eligibility/{target}/{contract}", ScopeOperate, smallBody, nil, (*api).setEligibility},
		{"POST", "/v1/conformance/reports", ScopeReport, bodyLimit, nil, (*api).acceptReport},
		{"GET", "/v1/audit", ScopeOperate, 0, []string{"before", "limit"}, (*api).listAudit},
		{"GET", "/healthz", public, 0, nil, (*api).healthz},
		{"GET", "/readyz", public, 0, nil, (*api).readyz},
		{"GET", "/metrics", public, 0, nil, (*api).metrics},
		{"GET", "/version", public, 0, nil, (*api).version},
		{"GET", "/openapi.json", public, 0, nil, (*api).document},
	}
}

// find returns the route of a request and the values of its braces. Paths are
// matched as they stand: nothing is cleaned and nothing redirected, because a
// client may repeat a redirected POST. A nil route has the methods that the
// path would take, if any.
func (t table) find(method, escapedPath string) (*route, map[string]string, []string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var allow []string
	for i := range t {
		values, ok := match(t[i].path, escapedPath)
		if ok && t[i].method == method {
			return &t[i], values, nil
		}
		if ok && !slices.Contains(allow, t[i].method) {
			allow = append(allow, t[i].method)
		}
	}
	return nil, nil, allow
}

// match compares segment by segment, so that an escaped slash stays within its segment.
func match(pattern, escapedPath string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(escapedPath, "/")
	if len(want) != len(have) {
		return nil, false
	}
	var values map[string]string
	for i, w := range want {
		value, err := url.PathUnescape(have[i])
		name, wild := strings.CutPrefix(w, "{")
		if err != nil || value == "" && wild || !wild && value != w {
			return nil, false
		}
		if wild {
			if values == nil {
				values = map[string]string{}
			}
			values[strings.TrimSuffix(name, "}")] = value
		}
	}
	return values, true
}

// mount returns the mounted handler that path belongs to.
func (a *api) mount(path string) http.Handler {
	for prefix, h := range a.Mounts {
		if path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/") {
			return h
		}
	}
	return nil
}
