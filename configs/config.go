// Package configs holds the shape of inferonce's one configuration file, its
// loading and checking, secrets that don't print, API keys, and the samples
// that are built in. It decides nothing and builds nothing.
package configs

import "time"

// Config is a checked configuration with every default filled in. Reading
// starts at Load.
type Config struct {
	Listen    string              `yaml:"listen"`             // host:port of the API; default DefaultListen
	Store     Store               `yaml:"store"`              // where jobs live
	Providers map[string]Provider `yaml:"providers"`          // accounts that run models, by name
	Targets   map[string]Target   `yaml:"targets"`            // a model at a provider, by name
	Routes    map[string]Route    `yaml:"routes"`             // which targets serve a contract, by name
	Drift     Drift               `yaml:"drift"`              // what to do with a target whose live answers break its contract; default DriftSuspend
	Canary    Canary              `yaml:"canary,omitzero"`    // conformance on a schedule; off unless it is given
	Contracts string              `yaml:"contracts,omitzero"` // directory of contract files; "" means the built-in samples
	Keys      []Key               `yaml:"keys"`               // who may call
	Limits    Limits              `yaml:"limits"`             // what one router takes on
	Log       Log                 `yaml:"log"`
}

// Store says where the job records live and how well they are kept.
type Store struct {
	Redis      Redis         `yaml:"redis"`           // required
	Durability Durability    `yaml:"durability"`      // default Single
	Retention  time.Duration `yaml:"retention"`       // how long an ended job is kept; default DefaultRetention, at least MinRetention
	Prefix     string        `yaml:"prefix,omitzero"` // stands before every key in Redis; default none
}

// Durability names what an acknowledged write survives.
type Durability string

// The durabilities. Whether the server at hand can give one is for the store to check.
const (
	Single   Durability = "single"   // append-only file, synced every second
	Strict   Durability = "strict"   // append-only file, synced on every write
	Volatile Durability = "volatile" // lost with the store: a Redis without append-only file
)

// Provider is an account at somebody who runs models.
type Provider struct {
	Kind    string `yaml:"kind"`             // the adapter: "openai" for everything that speaks OpenAI's chat completions
	BaseURL string `yaml:"base_url"`         // up to and including /v1, without a slash at the end; default: the kind's public address
	APIKey  Secret `yaml:"api_key,omitzero"` // needed for every https address
	// HonoursIdempotencyKey says that the provider has proved it runs a
	// repeated Idempotency-Key once. Only then is the header sent.
	HonoursIdempotencyKey bool `yaml:"honours_idempotency_key,omitzero"`
	// AllowHTTP lets BaseURL be plain http beyond loopback: prompts and keys
	// then cross the network unencrypted.
	AllowHTTP bool `yaml:"allow_http,omitzero"`
}

// Target is one model at one provider. Eligibility, limits and metrics are
// kept by its name.
type Target struct {
	Provider       string      `yaml:"provider"`
	Model          string      `yaml:"model"`                    // the provider's name for it
	Temperature    Temperature `yaml:"temperature"`              // default min:0
	MaxConcurrency int         `yaml:"max_concurrency,omitzero"` // calls at once from one router; default 0: no limit
	// Pinned says whether the model stays what it is, so that a pass is good for 30
	// days, or what the name stands for may change, which makes it 7. Default: by the
	// name; one that ends in "latest", holds no digit, or is answered under another
	// name moves.
	Pinned *bool `yaml:"pinned,omitempty"`
}

// Route says who serves a contract, in which order and within which limits.
// The limits obey Connect <= FirstByte <= AnswerWithin <= Budget,
// AnswerWithin <= ListenFor and Needs <= Budget.
type Route struct {
	Contract     string        `yaml:"contract"` // name or name@version
	Primary      string        `yaml:"primary"`
	Fallbacks    []string      `yaml:"fallbacks,omitzero"` // tried in this order
	Budget       time.Duration `yaml:"budget"`             // for the whole job; default DefaultBudget
	Attempts     int           `yaml:"attempts"`           // at most, over all targets; default DefaultAttempts
	Connect      time.Duration `yaml:"connect"`            // DNS, dial and TLS; default DefaultConnect
	FirstByte    time.Duration `yaml:"first_byte"`         // until the provider shows that it has the request; default DefaultFirstByte
	AnswerWithin time.Duration `yaml:"answer_within"`      // after it the attempt is unknown and the caller released; default DefaultAnswerWithin
	ListenFor    time.Duration `yaml:"listen_for"`         // how long the connection stays open for a late answer; default DefaultListenFor
	Needs        time.Duration `yaml:"needs"`              // with less of the budget left no attempt starts; default DefaultNeeds
}

// Drift says what follows when live answers show that a target has drifted.
type Drift string

// The answers to drift. Off is for a deployment whose providers misbehave to
// order, such as one under test.
const (
	DriftSuspend Drift = "suspend"
	DriftOff     Drift = "off"
)

// Canary has conformance run in mode quick, again and again, for the pairs of a
// target and a contract that may take over. Each run costs real calls: three for
// every case of the contract. Two failed runs in a row, or 24 hours of
// inconclusive ones, suspend the pair.
type Canary struct {
	Every     time.Duration `yaml:"every,omitzero"`     // between two runs of a pair, over all routers; at least MinCanary
	Contracts []string      `yaml:"contracts,omitzero"` // name or name@version, each served by a route
}

// Key is one API key, kept as its hash. Several keys may share an owner: jobs
// and idempotency keys belong to the owner, so keys can be rotated.
type Key struct {
	Owner  string  `yaml:"owner"`
	Hash   string  `yaml:"hash"` // as printed by HashAPIKey
	Scopes []Scope `yaml:"scopes"`
}

// Limits bound what one router takes on.
type Limits struct {
	MaxInflight int           `yaml:"max_inflight"` // requests at once; default DefaultMaxInflight
	BodyBytes   int64         `yaml:"body_bytes"`   // of one request; default DefaultBodyBytes
	Wait        time.Duration `yaml:"wait"`         // longest that a caller is kept waiting for a result; default DefaultWait
}

// Log says how much is logged and in which form.
type Log struct {
	Level  string `yaml:"level"`  // debug, info, warn or error; default info
	Format string `yaml:"format"` // json or text; default json
}
