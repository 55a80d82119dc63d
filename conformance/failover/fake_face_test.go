package failover

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

// ServeHTTP is the fake's face: the calls that stories make, and no more.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	down, life, store := f.down, f.life, f.hasStore()
	f.mu.Unlock()
	if down {
		panic(http.ErrAbortHandler)
	}
	raw, _ := io.ReadAll(r.Body)
	owner, known := map[string]string{"Bearer " + ownKey: "one", "Bearer " + otherKey: "two"}[r.Header.Get("Authorization")]
	part := strings.Split(r.URL.Path, "/")
	switch {
	case r.URL.Path == "/healthz" || r.URL.Path == "/readyz":
		reply(w, map[bool]int{true: 200, false: 503}[store || r.URL.Path == "/healthz"], nil)
	case !known:
		problem(w, 401, "unauthorized", nil)
	case !store && f.flaw != "works without its store":
		w.Header().Set("Retry-After", "1")
		problem(w, 503, "store_unavailable", nil)
	case r.URL.Path == "/v1/infer":
		f.infer(life, w, r, owner, raw)
	case r.URL.Path == "/v1/eligibility" && r.Method == "GET":
		f.listStandings(w)
	case r.URL.Path == "/v1/conformance/reports":
		f.takeReport(w, raw)
	case part[2] == "eligibility":
		f.setStanding(w, r, part[4], raw)
	case r.URL.Path == "/v1/audit":
		f.mu.Lock()
		defer f.mu.Unlock()
		reply(w, 200, map[string]any{"data": f.audit[len(f.audit)-1:]})
	case part[2] == "jobs":
		f.job(w, owner, part[3:], raw)
	default:
		problem(w, 404, "not_found", nil)
	}
}

// infer is the face of an intent.
func (f *fake) infer(life context.Context, w http.ResponseWriter, r *http.Request, owner string, raw []byte) {
	key, err := contracts.CheckIdempotencyKey(r.Header.Values("Idempotency-Key"))
	if err != nil && f.flaw == "makes up a missing key" {
		key, err = fmt.Sprint("made-up-", len(f.jobs)), nil
	}
	if err != nil {
		problem(w, 400, err.(*contracts.KeyError).Code, nil)
		return
	}
	if f.flaw == "lets owners share keys" {
		owner = "all"
	}
	if r.Header.Get("Content-Encoding") != "" || len(raw) > 4<<20 {
		f.take(owner, key)
		problem(w, map[bool]int{true: 413, false: 415}[len(raw) > 4<<20], "body", nil)
		return
	}
	j, status, code := f.read(owner, key, raw)
	if j == nil {
		f.take(owner, key)
		problem(w, status, code, map[string]any{"known": f.catalog.Refs(), "errors": []contracts.Violation{{Rule: "type"}}})
		return
	}
	f.submit(life, w, r, j, raw)
}

// take puts the key of a refused request aside, for nobody.
func (f *fake) take(owner, key string) {
	if f.flaw != "lets a refused request take the key" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[owner+" "+key] == nil {
		f.keys[owner+" "+key] = &record{fingerprint: "none", changed: make(chan struct{})}
	}
}

// read makes a record of a body, or says why not.
func (f *fake) read(owner, key string, raw []byte) (j *record, status int, code string) {
	canonical, err := contracts.Canonical(raw)
	if err != nil {
		return nil, 400, "body_invalid"
	}
	var in struct {
		Contract string
		Input    json.RawMessage
	}
	if err := json.Unmarshal(canonical, &in); err != nil {
		return nil, 400, "body_invalid"
	}
	c, err := f.catalog.Get(in.Contract)
	if err != nil {
		return nil, 404, "contract_unknown"
	}
	if len(c.CheckInput(in.Input)) > 0 {
		return nil, 422, "input_invalid"
	}
	if f.flaw == "compares bodies byte by byte" {
		canonical = raw
	}
	return &record{Job: Job{State: running, Version: 1, Contract: c.Ref()}, owner: owner, key: key, input: in.Input, contract: c,
		fingerprint: contracts.Fingerprint("POST", "/v1/infer", canonical), read: map[int]int64{}, changed: make(chan struct{})}, 0, ""
}

// submit makes a record a job, or finds the one that it is already.
func (f *fake) submit(life context.Context, w http.ResponseWriter, r *http.Request, j *record, raw []byte) {
	f.mu.Lock()
	old := f.keys[j.owner+" "+j.key]
	switch {
	case old == nil:
		f.create(j)
	case old.fingerprint != j.fingerprint && f.flaw != "returns the old job for another input":
		id := old.ID
		f.mu.Unlock()
		problem(w, 409, "idempotency_key_reused", map[string]any{"job_id": id})
		return
	default:
		if f.flaw == "runs again on a double click" && old.State == running && len(old.Attempts) == 1 {
			f.run(old, 1, "sim-a")
			f.sim.Await(life, sim.Query{Job: old.ID}, sim.Started, 2) // so that it is seen
		}
		j = old
	}
	replayed := old != nil
	for j.State == running && r.Header.Get("Prefer") == "" || j.State == unknown && j.openAttempts() > 1 {
		changed := j.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-life.Done():
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			f.callerGone(j)
			return
		}
		f.mu.Lock()
	}
	defer f.mu.Unlock()
	f.answer(w, j, replayed)
}

// create gives a job its id and begins; the caller holds mu.
func (f *fake) create(j *record) {
	j.ID = "job_" + newNamer().run
	f.jobs[j.ID], f.keys[j.owner+" "+j.key] = j, j
	primary := "sim-a"
	if strings.HasPrefix(j.Contract, "ticket-refused") {
		primary = "sim-dead"
	}
	f.begin(j, primary)
}

func (f *fake) callerGone(j *record) {
	if f.flaw != "ends the job with its caller" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if j.Live() {
		f.fail(j, "job_failed")
	}
}
