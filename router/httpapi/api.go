package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"inferonce/jobstore"
	"inferonce/router"
)

// Router is what this package asks of a *router.Router. The errors that each
// call may give are the ones that its own documentation names; any other one
// is answered as internal.
type Router interface {
	Submit(ctx context.Context, r router.Request) (router.Submitted, error)
	Wait(ctx context.Context, s router.Submitted) (jobstore.Job, error)
	Get(ctx context.Context, owner, id string) (jobstore.Job, error)
	List(ctx context.Context, owner string, state jobstore.JobState, after string, limit int) (jobstore.Page, error)
	Cancel(ctx context.Context, owner, id, reason string) (jobstore.Job, error)
	Unknown(ctx context.Context, after string, limit int) (jobstore.Page, error)
	Resolve(ctx context.Context, s router.Settle) (jobstore.Job, error)
	Eligibility(ctx context.Context) ([]router.Standing, error)
	SetEligibility(ctx context.Context, s router.Switch) (jobstore.Eligibility, error)
	AcceptReport(ctx context.Context, raw []byte, by string) (jobstore.Eligibility, error)
	Audit(ctx context.Context, before string, limit int) ([]jobstore.AuditEntry, jobstore.AuditHead, error)
	Health(ctx context.Context) (router.Health, error)
	Models() []router.Model
	Model(name string) (router.Model, error)
}

// Authenticator knows the API keys.
type Authenticator interface {
	// Lookup tells whose key bearer is. It takes the same time for a key that
	// is nobody's.
	Lookup(bearer string) (Caller, bool)
}

// The scopes of API keys.
const (
	ScopeInfer   = "infer"   // make jobs, see and cancel one's own
	ScopeOperate = "operate" // settle unknown attempts, switch eligibility
	ScopeReport  = "report"  // hand in conformance reports
	ScopeAdmin   = "admin"   // all of them
)

// Caller is who a request comes from.
type Caller struct {
	Owner  string // jobs and idempotency keys belong to it
	KeyID  string // the public part of the API key, for logs
	Scopes []string
}

// Has says whether the caller may do what scope covers; admin covers everything.
func (c Caller) Has(scope string) bool {
	return slices.Contains(c.Scopes, scope) || slices.Contains(c.Scopes, ScopeAdmin)
}

// by names the caller in records that operators read.
func (c Caller) by() string {
	if c.KeyID == "" {
		return c.Owner
	}
	return c.Owner + "/" + c.KeyID
}

// Options say what the face stands on. Router and Auth are required.
type Options struct {
	Router  Router
	Auth    Authenticator
	Metrics http.Handler // serves GET /metrics; nil: not found
	Log     *slog.Logger // one line a request; nil: slog.Default
	Version string       // of the program
	// BodyLimit is the largest body of an inference, a settlement or a report,
	// in bytes; default 4 MiB.
	BodyLimit int64
	// MaxWait is the longest that an inference call is held open for its
	// result, and how long it is held if the caller says nothing; default 60s.
	MaxWait time.Duration
	// Mounts are served as they are, without API key and request log, at their
	// path ("/sim") and below it.
	Mounts map[string]http.Handler
}

type api struct {
	Options
	routes   table
	openapi  func() ([]byte, error)
	bodyTime time.Duration // to read a body
	now      func() time.Time
}

// New makes the face. It is safe for concurrent use.
func New(o Options) http.Handler { return newAPI(o) }

func newAPI(o Options) *api {
	o.BodyLimit = cmp.Or(o.BodyLimit, 4<<20)
	o.MaxWait = cmp.Or(o.MaxWait, time.Minute)
	o.Log = cmp.Or(o.Log, slog.Default())
	return &api{Options: o, routes: routes(o.BodyLimit), openapi: sync.OnceValues(openapiJSON),
		bodyTime: 30 * time.Second, now: time.Now}
}
