package httpapi

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

// fake is a Router that answers by script. Where no script is set it holds
// jobs in memory and knows whose they are.
type fake struct {
	mu      sync.Mutex
	jobs    map[string]jobstore.Job
	seen    []router.Request
	settled []router.Settle
	switchd []router.Switch
	reports [][]byte
	bys     []string
	asked   []string // what listings were asked for
	// err, if set, is the error of every call; panics makes each one panic.
	err    error
	panics any
	hangs  bool // Health does, until its context ends
	submit func(router.Request) (router.Submitted, error)
	wait   func(context.Context, string) (jobstore.Job, error)
	page   jobstore.Page
	stands []router.Standing
	audit  []jobstore.AuditEntry
	health router.Health
}

func (f *fake) begin() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics != nil {
		panic(f.panics)
	}
	return f.err
}

func (f *fake) note(list *[]string, s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*list = append(*list, s)
}

func (f *fake) Submit(_ context.Context, r router.Request) (router.Submitted, error) {
	f.mu.Lock()
	f.seen = append(f.seen, r)
	f.mu.Unlock()
	if err := f.begin(); err != nil {
		return router.Submitted{}, err
	}
	if f.submit != nil {
		return f.submit(r)
	}
	if r.Key == "" {
		return router.Submitted{}, router.ErrKeyRequired
	}
	return router.Submitted{Job: aJob(jobstore.JobRunning)}, nil
}

func (f *fake) submissions() []router.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}

func (f *fake) Wait(ctx context.Context, s router.Submitted) (jobstore.Job, error) {
	if f.wait != nil {
		return f.wait(ctx, s.Job.ID)
	}
	return aJob(jobstore.JobSucceeded), nil
}

func (f *fake) Get(_ context.Context, owner, id string) (jobstore.Job, error) {
	if err := f.begin(); err != nil {
		return jobstore.Job{}, err
	}
	if j, ok := f.jobs[id]; ok && j.Owner == owner {
		return j, nil
	}
	return jobstore.Job{}, jobstore.ErrNotFound
}

func (f *fake) List(_ context.Context, owner string, state jobstore.JobState, after string, limit int) (jobstore.Page, error) {
	text, _ := json.Marshal([]any{owner, state, after, limit})
	f.note(&f.asked, string(text))
	return f.page, f.begin()
}

func (f *fake) Cancel(ctx context.Context, owner, id, reason string) (jobstore.Job, error) {
	f.note(&f.asked, reason)
	return f.Get(ctx, owner, id)
}

func (f *fake) Unknown(_ context.Context, after string, limit int) (jobstore.Page, error) {
	text, _ := json.Marshal([]any{after, limit})
	f.note(&f.asked, string(text))
	return f.page, f.begin()
}

func (f *fake) Resolve(_ context.Context, s router.Settle) (jobstore.Job, error) {
	f.mu.Lock()
	f.settled = append(f.settled, s)
	f.mu.Unlock()
	if err := f.begin(); err != nil {
		return jobstore.Job{}, err
	}
	if j, ok := f.jobs[s.JobID]; ok {
		return j, nil
	}
	return jobstore.Job{}, jobstore.ErrNotFound
}

func (f *fake) Eligibility(context.Context) ([]router.Standing, error) { return f.stands, f.begin() }

func (f *fake) SetEligibility(_ context.Context, s router.Switch) (jobstore.Eligibility, error) {
	f.mu.Lock()
	f.switchd = append(f.switchd, s)
	f.mu.Unlock()
	return aRecord(), f.begin()
}

func (f *fake) AcceptReport(_ context.Context, raw []byte, by string) (jobstore.Eligibility, error) {
	f.mu.Lock()
	f.reports, f.bys = append(f.reports, raw), append(f.bys, by)
	f.mu.Unlock()
	return aRecord(), f.begin()
}

func (f *fake) Audit(_ context.Context, before string, limit int) ([]jobstore.AuditEntry, jobstore.AuditHead, error) {
	text, _ := json.Marshal([]any{before, limit})
	f.note(&f.asked, string(text))
	return f.audit, jobstore.AuditHead{Seq: 7, Hash: "cc"}, f.begin()
}

// Models are one chat route, beside which ticket-triage is served.
func (f *fake) Models() []router.Model {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics != nil {
		panic(f.panics)
	}
	return []router.Model{{ID: "chat", Contract: "chat@1"}}
}

func (f *fake) Model(name string) (router.Model, error) {
	switch name {
	case "chat":
		return f.Models()[0], nil
	case "ticket-triage":
		return router.Model{}, &router.NotChatError{Model: name, Contract: "ticket-triage@1"}
	}
	return router.Model{}, &router.UnknownModelError{Model: name, Known: []string{"chat"}}
}

func (f *fake) Health(ctx context.Context) (router.Health, error) {
	if f.hangs {
		<-ctx.Done()
		return f.health, jobstore.ErrUnavailable
	}
	return f.health, f.begin()
}

// keys is an Authenticator over a fixed set.
type keys map[string]Caller

func (k keys) Lookup(bearer string) (Caller, bool) {
	c, ok := k[bearer]
	return c, ok
}

// testKeys has one key for each scope, all of one owner, and a stranger's.
var testKeys = keys{
	"key-infer":    {Owner: "acme", KeyID: "k1", Scopes: []string{ScopeInfer}},
	"key-operate":  {Owner: "acme", KeyID: "k2", Scopes: []string{ScopeOperate}},
	"key-report":   {Owner: "acme", KeyID: "k3", Scopes: []string{ScopeReport}},
	"key-admin":    {Owner: "acme", KeyID: "k4", Scopes: []string{ScopeAdmin}},
	"key-stranger": {Owner: "globex", KeyID: "k5", Scopes: []string{ScopeAdmin}},
	"key-none":     {Owner: "acme", KeyID: "k6"},
}

const jobID = "job_3f01k"

var noon = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// aJob is a job of acme in a state, with the attempts that led there.
func aJob(s jobstore.JobState) jobstore.Job {
	first := jobstore.Attempt{Number: 1, Target: "mini", Provider: "openai", Model: "gpt-x-mini", Started: noon}
	j := jobstore.Job{ID: jobID, Owner: "acme", Key: "order-8841", Contract: "ticket-triage@1", State: s, Version: 1,
		Created: noon, Deadline: noon.Add(30 * time.Second)}
	limited := &contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, Detail: "slow down", Status: 429, RetryAfter: 2 * time.Second}
	switch s {
	case jobstore.JobQueued:
		return j
	case jobstore.JobRunning:
		first.State = jobstore.AttemptRunning
	case jobstore.JobUnknown:
		first.State, first.UnknownSince, first.Reference = jobstore.AttemptUnknown, noon.Add(20*time.Second), "chatcmpl-77"
		first.Failure = &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open, Code: "first_byte"}
	case jobstore.JobFailed:
		first.State, first.Ended, first.Failure = jobstore.AttemptFailed, noon.Add(time.Second), limited
		j.Error, j.Ended, j.Version = &jobstore.JobError{Code: "job_failed", Message: "every target refused"}, noon.Add(time.Second), 2
	case jobstore.JobCancelled:
		first.State, first.Ended = jobstore.AttemptCancelled, noon.Add(time.Second)
		first.Settlement = &jobstore.Settlement{As: jobstore.Cancelled, By: "acme/k1", Reason: "withdrawn"}
		j.Ended, j.Version = noon.Add(time.Second), 2
	case jobstore.JobSucceeded:
		first.State, first.Ended, first.Failure = jobstore.AttemptFailed, noon.Add(time.Second), limited
		second := jobstore.Attempt{Number: 2, Target: "llama", Provider: "local", Model: "triage", State: jobstore.AttemptSucceeded,
			Started: noon.Add(2 * time.Second), Ended: noon.Add(3 * time.Second)}
		j.Attempts = []jobstore.Attempt{first, second}
		j.CompletedBy, j.Ended, j.Version = 2, noon.Add(3*time.Second), 2
		j.Result = &contracts.Result{Output: json.RawMessage(`{"category":"cards","urgent":false,"note":"<b>&amp;"}`), Target: "llama",
			Provider: "local", Model: "triage", FinishReason: "stop", Usage: contracts.Usage{InputTokens: 212, OutputTokens: 11, Reported: true}}
		return j
	}
	j.Attempts = []jobstore.Attempt{first}
	return j
}

func aFailedJob(code string) jobstore.Job {
	j := aJob(jobstore.JobFailed)
	j.Error = &jobstore.JobError{Code: code, Message: "nobody is left",
		Excluded: []jobstore.Excluded{{Target: "llama", Code: "not_proved", Reason: "no conformance report for this contract"}}}
	return j
}

func aRecord() jobstore.Eligibility {
	return jobstore.Eligibility{Version: 4, Target: "llama", Contract: "ticket-triage@1", Digest: "sha256:aa", State: jobstore.Eligible,
		Proof: &jobstore.Proof{Report: "rep_1", SHA256: "bb", SuiteVersion: "1", Mode: "full", Verdict: "pass", Provider: "local",
			Model: "triage", Served: []string{"triage"}, Runs: 30, Issued: noon, Expires: noon.Add(time.Hour)},
		Reason: "conformance passed", By: "acme/k3", Changed: noon}
}
