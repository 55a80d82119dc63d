package httpapi

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestPathsAreMatchedAsTheyStand(t *testing.T) {
	f := newFace(t)
	for _, row := range []struct {
		name, method, path string
		status             int
		code, allow        string
	}{
		{name: "a slash at the end", method: "POST", path: "/v1/infer/", status: 404, code: codeNotFound},
		{name: "a doubled slash", method: "POST", path: "//v1/infer", status: 404, code: codeNotFound},
		{name: "a doubled slash within", method: "GET", path: "/v1//jobs", status: 404, code: codeNotFound},
		{name: "dots", method: "GET", path: "/v1/x/../jobs", status: 404, code: codeNotFound},
		{name: "another case", method: "GET", path: "/V1/jobs", status: 404, code: codeNotFound},
		{name: "an empty id", method: "GET", path: "/v1/jobs/", status: 404, code: codeNotFound},
		{name: "the root", method: "GET", path: "/", status: 404, code: codeNotFound},
		{name: "another method", method: "GET", path: "/v1/infer", status: 405, code: codeMethod, allow: "POST"},
		{name: "deleting a job", method: "DELETE", path: "/v1/jobs/x", status: 405, code: codeMethod, allow: "GET"},
		{name: "asking for the options", method: "OPTIONS", path: "/v1/infer", status: 405, code: codeMethod, allow: "POST"},
		{name: "an escaped slash stays in its segment", method: "GET", path: "/v1/jobs/a%2Fcancel", status: 404, code: codeJobNotFound},
		{name: "an escaped letter is that letter", method: "GET", path: "/v1/%6Aobs", status: 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := f.in(t).want(ask{method: row.method, path: row.path, key: "key-infer"}, row.status, row.code)
			if r.header.Get("Allow") != row.allow {
				t.Errorf("Allow %q, want %q", r.header.Get("Allow"), row.allow)
			}
		})
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	r := newFace(t).do(ask{method: "HEAD", path: "/v1/jobs/" + jobID, key: "key-infer"})
	if r.status != 200 || r.raw != "" || r.header.Get("ETag") != `"2"` {
		t.Errorf("%d %q %v", r.status, r.raw, r.header)
	}
}

func TestAMountIsServedAsItIs(t *testing.T) {
	sim := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := w.(http.Hijacker); !ok {
			t.Error("a mount cannot cut its connection")
		}
		io.WriteString(w, "sim "+r.URL.Path)
	})
	f := newFace(t, func(o *Options) { o.Mounts = map[string]http.Handler{"/sim": sim} })
	for path, want := range map[string]string{"/sim": "sim /sim", "/sim/": "sim /sim/", "/sim/a/faults": "sim /sim/a/faults"} {
		res, err := f.client.Get(f.url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if string(text) != want {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
	f.want(ask{method: "GET", path: "/simulator"}, 404, codeNotFound)
	if strings.Count(f.log.String(), "request served") != 1 {
		t.Errorf("mounts keep their own log:\n%s", f.log)
	}
}

func TestThePagesForSupervisors(t *testing.T) {
	f := newFace(t)
	f.router.health.Store.Durability, f.router.health.Store.RoundTrip, f.router.health.Inflight = "strict", 1500000, 7
	for path, want := range map[string]string{
		"/healthz": `{"status":"ok"}` + "\n",
		"/version": `{"version":"v0.1.0"}` + "\n",
		"/metrics": "jobs 1\n",
		"/readyz":  `{"status":"ready","durability":"strict","embedded":false,"store_round_trip_ms":1.5,"clock_skew_ms":0,"draining":false,"inflight":7}` + "\n",
	} {
		if r := f.want(ask{method: "GET", path: path}, 200, ""); r.raw != want {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
	if r := f.want(ask{method: "GET", path: "/openapi.json"}, 200, ""); r.body["openapi"] != "3.1.0" {
		t.Errorf("the document is %s", r.body["openapi"])
	}
	f.router.health.Draining = true
	r := f.want(ask{method: "GET", path: "/readyz"}, 503, codeDraining)
	if h := r.body["health"].(object); h["status"] != "draining" || h["draining"] != true || h["durability"] != "strict" {
		t.Errorf("health %v", h)
	}
	f.want(ask{method: "GET", path: "/healthz"}, 200, "")
}

func TestALostStoreLeavesTheProcessAlive(t *testing.T) {
	f := newFace(t)
	f.router.err = io.ErrClosedPipe
	f.want(ask{method: "GET", path: "/healthz"}, 200, "")
	r := f.want(ask{method: "GET", path: "/readyz"}, 503, codeStore)
	if r.body["health"].(object)["status"] != "store_unavailable" || strings.Contains(r.raw, "pipe") {
		t.Error(r.raw)
	}
}
