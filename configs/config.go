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
	Single     Durability = "single"     // append-only file, synced every second
	Strict     Durability = "strict"     // append-only file, synced on every write
	Replicated Durability = "replicated" // on a replica, before anything is sent
	Volatile   Durability = "volatile"   // lost with the store: a Redis without append-only file
)

// Provider is an account at somebody who runs models.
type Provider struct {
	Kind    string `yaml:"kind"`             // the adapter: "openai" for OpenAI and for every server like it that has no kind of its own; "anthropic", "gemini" and others for their own APIs
	BaseURL string `yaml:"base_url"`         // up to and including /v1, without a slash at the end; default: the kind's public address
	APIKey  Secret `yaml:"api_key,omitzero"` // needed for every https address, unless Keys are given
	// Keys are several keys, or deployments, in the place of APIKey. One that is
	// refused, or whose money is gone, rests, and the next attempt has another.
	Keys []ProviderKey `yaml:"keys,omitzero"`
	// HonoursIdempotencyKey says that the provider has proved it runs a
	// repeated Idempotency-Key once. Only then is the header sent.
	HonoursIdempotencyKey bool `yaml:"honours_idempotency_key,omitzero"`
	// AllowHTTP lets BaseURL be plain http beyond loopback: prompts and keys
	// then cross the network unencrypted.
	AllowHTTP bool `yaml:"allow_http,omitzero"`
	// APIVersion is Azure's api-version, for a BaseURL that ends before /openai;
	// its v1 API, with a BaseURL that ends in /openai/v1, needs none.
	APIVersion string `yaml:"api_version,omitzero"`
	// Proxy is an http proxy for every call to this provider, "http://host:port".
	// HTTP_PROXY and its like in the environment are never looked at.
	Proxy string `yaml:"proxy,omitzero"`
	// SchemaProfile names the part of JSON Schema that the provider's schema mode
	// takes. Conformance refuses a contract that can't be put in it. Default: that
	// of the public address, SchemaNone for any other.
	SchemaProfile string `yaml:"schema_profile,omitzero"`
	// Renders says which server shows how it renders a prompt, beside its chat
	// completions; "" for one that does not.
	Renders string `yaml:"renders,omitzero"`
	// StopWithCalls says that the provider ends an answer with calls by "stop",
	// where OpenAI documents "tool_calls".
	StopWithCalls bool `yaml:"stop_with_calls,omitzero"`
	// Region is AWS's, for kind "bedrock"; it also gives the default BaseURL.
	// Requests are signed with the access key, or carry APIKey in its place. A
	// SessionToken belongs to temporary keys, which nobody renews here.
	Region          string `yaml:"region,omitzero"`
	AccessKeyID     Secret `yaml:"access_key_id,omitzero"`
	SecretAccessKey Secret `yaml:"secret_access_key,omitzero"`
	SessionToken    Secret `yaml:"session_token,omitzero"`
}

// ProviderKey is one of several keys of a provider.
type ProviderKey struct {
	Name    string `yaml:"name"`              // in logs and metrics, where the key itself never is
	APIKey  Secret `yaml:"api_key"`           //
	Weight  int    `yaml:"weight,omitzero"`   // share of the calls against the others'; default 1
	BaseURL string `yaml:"base_url,omitzero"` // of a deployment of its own; default: the provider's
}

// The schema profiles; package conformance knows what each holds.
const (
	SchemaNone         = "none"
	SchemaOpenAIStrict = "openai_strict"
	SchemaAnthropic    = "anthropic"
	SchemaGemini       = "gemini"
)

// The servers that show how they render.
const (
	RendersLlamaCPP = "llama.cpp"
	RendersVLLM     = "vllm"
)

// Target is one model at one provider. Eligibility, limits and metrics are
// kept by its name.
type Target struct {
	Provider       string      `yaml:"provider"`
	Model          string      `yaml:"model"`                    // the provider's name for it
	Temperature    Temperature `yaml:"temperature"`              // default min:0
	MaxConcurrency int         `yaml:"max_concurrency,omitzero"` // calls at once from one router; default 0: no limit
	Price          Price       `yaml:"price,omitzero"`           // what it charges; without one nothing is counted as spent
	// Pinned says whether the model stays what it is, so that a pass is good for 30
	// days, or what the name stands for may change, which makes it 7. Default: by the
	// name; one that ends in "latest", holds no digit, or is answered under another
	// name moves.
	Pinned *bool `yaml:"pinned,omitempty"`
	// Breaker says when a target that fails again and again is left alone.
	Breaker Breaker `yaml:"breaker,omitzero"`
}

// Breaker leaves a target alone after Failures failures of its own in a row, for
// OpenFor; then one call at a time shows whether it is well again. Each router
// counts for itself.
type Breaker struct {
	Off      bool          `yaml:"off,omitzero"`      // never left alone, also where it asks for fewer calls
	Failures int           `yaml:"failures,omitzero"` // default 5
	OpenFor  time.Duration `yaml:"open_for,omitzero"` // default 30s
}

// Price is what a target charges for a million tokens, and the day on which
// somebody looked that up.
type Price struct {
	Input  Dollars `yaml:"input"`
	Output Dollars `yaml:"output"`
	AsOf   Date    `yaml:"as_of"`
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
	MaxCost      Dollars       `yaml:"max_cost,omitzero"`  // no further attempt starts that could bring a job over it; default: no cap
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
