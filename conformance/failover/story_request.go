package failover

import (
	"net/http"
	"strings"
)

var invalidInput = Story{
	ID:     "request/invalid-input",
	Title:  "an input that breaks the contract is refused with its places, and the key stays free",
	Proves: []string{"R4", "R17"},
	Asks:   "an input that breaks the schema; then a good one under the same key",
	Run: func(w *World) {
		in := w.Intent(w.d.Hold)
		bad := *in
		bad.Body = body(in.Contract, in.Contract.Invalid)
		a := w.Infer(&bad)
		w.Equal("the status", a.Status, http.StatusUnprocessableEntity)
		w.Equal("the code", a.code(), "input_invalid")
		w.Check(a.Problem != nil && len(a.Problem.Errors) > 0, "the places are named")
		w.Equal("the job that it names", a.jobID(), "")
		w.keyIsFree(in)
	},
}

// keyIsFree checks that a good request under the key makes a job of its own.
func (w *World) keyIsFree(in *Intent) {
	a := w.Infer(in)
	w.Check(a.Header.Get("Idempotent-Replayed") == "", "the key was still free")
	w.Succeeds(in, 1)
	w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
}

var badKeys = Story{
	ID:     "request/bad-keys",
	Title:  "without one usable idempotency key nothing is started",
	Proves: []string{"R2", "R5"},
	Asks:   "requests without a key, and with an empty, too long, non-ASCII or doubled one",
	Run: func(w *World) {
		for _, k := range []struct {
			says string
			keys []string
			code string
		}{
			{"no key", nil, "idempotency_key_required"},
			{"an empty key", []string{""}, "idempotency_key_invalid"},
			{"a key of 256 bytes", []string{strings.Repeat("k", 256)}, "idempotency_key_invalid"},
			{"a key that is not ASCII", []string{"sch\xc3\xbcssel"}, "idempotency_key_invalid"},
			{"two keys", []string{"one", "two"}, "idempotency_key_invalid"},
		} {
			in := w.Intent(w.d.Hold)
			r := in.request()
			delete(r.header, "Idempotency-Key")
			if k.keys != nil {
				r.header["Idempotency-Key"] = k.keys
			}
			a := w.Ask(r)
			w.Check(a.Status == http.StatusBadRequest && a.code() == k.code, "%s is refused with 400 %s (%s)", k.says, k.code, a.line())
			w.Equal("the number of calls with "+k.says, len(w.Ran(in.Ref)), 0)
		}
	},
}

var strangers = Story{
	ID:     "request/strangers",
	Title:  "without credentials nobody is served, and ids that do not exist all look the same",
	Proves: []string{"R2"},
	Asks:   "a request without and with a wrong API key; two job ids that nobody has",
	Run: func(w *World) {
		for _, key := range []string{"", "Bearer nobody-has-this-key"} {
			in := w.Intent(w.d.Hold)
			r := in.request()
			r.header["Authorization"] = nil
			if key != "" {
				r.header.Set("Authorization", key)
			}
			w.Equal("the status without a valid API key", w.Ask(r).Status, http.StatusUnauthorized)
			w.Equal("the number of calls", len(w.Ran(in.Ref)), 0)
		}
		in := w.Intent(w.d.Hold)
		w.Succeeds(in, 1)
		near := in.Job[:len(in.Job)-1] + map[bool]string{true: "1", false: "0"}[strings.HasSuffix(in.Job, "0")]
		x, y := w.Ask(request{method: http.MethodGet, path: "/v1/jobs/" + near}), w.Ask(request{method: http.MethodGet, path: "/v1/jobs/nothing-like-a-job"})
		w.Equal("the status of an id close to a real one", x.Status, http.StatusNotFound)
		w.Check(x.Status == y.Status && string(x.Body) == string(y.Body), "both answers are the same bytes")
	},
}

var otherOwner = Story{
	ID:     "request/other-owner",
	Title:  "another owner's job is the same 404 as no job, and the same key is another job there",
	Proves: []string{"R2"},
	Asks:   "one owner's job read by another; the same key and input used by both",
	Needs:  []Need{NeedOtherOwner},
	Run: func(w *World) {
		in := w.Intent(w.d.Hold)
		w.Succeeds(in, 1)
		as := http.Header{"Authorization": {"Bearer " + w.d.OtherKey}}
		foreign := w.Ask(request{method: http.MethodGet, path: "/v1/jobs/" + in.Job, header: as})
		none := w.Ask(request{method: http.MethodGet, path: "/v1/jobs/nothing-like-a-job", header: as})
		w.Equal("the status of a foreign job", foreign.Status, http.StatusNotFound)
		w.Check(string(foreign.Body) == string(none.Body), "it is the same bytes as for no job")
		other := w.Intent(w.d.Hold)
		other.Key, other.APIKey = in.Key, w.d.OtherKey
		a := w.Infer(other)
		w.Check(a.Status == http.StatusOK || a.Status == http.StatusAccepted, "the same key is free for another owner (%s)", a.line())
		w.Check(a.jobID() != in.Job, "it is another job there")
	},
}
