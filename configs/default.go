package configs

import "time"

// What a setting is worth when the file doesn't give it.
const (
	DefaultListen       = "127.0.0.1:8787"
	DefaultRetention    = 24 * time.Hour
	DefaultBudget       = 30 * time.Second
	DefaultAttempts     = 3
	DefaultConnect      = 2 * time.Second
	DefaultFirstByte    = 10 * time.Second
	DefaultAnswerWithin = 20 * time.Second
	DefaultListenFor    = 10 * time.Minute
	DefaultNeeds        = time.Second
	// DefaultMaxInflight leaves room for a click repeated 2,000 times at once.
	DefaultMaxInflight = 4096
	DefaultBodyBytes   = 4 << 20
	// DefaultWait is the longest wait that OpenAI's SDKs accept between two
	// tries, so that waiting here and coming back cost a client the same.
	DefaultWait = 60 * time.Second
)

// MinRetention is the shortest time for which an ended job may be kept. A
// client that repeats its request later than that would run it again.
const MinRetention = time.Hour

// MinCanary is the shortest time between two scheduled conformance runs of a
// pair. More often, they would cost more than they tell.
const MinCanary = 10 * time.Minute

// MaxAttempts is the largest number of attempts that a route may allow.
const MaxAttempts = 8

// defaulter is a setting that isn't zero when it isn't given.
type defaulter interface{ setDefaults() }

func (c *Config) setDefaults() {
	c.Listen = DefaultListen
	c.Store.Durability = Single
	c.Store.Retention = DefaultRetention
	c.Limits = Limits{MaxInflight: DefaultMaxInflight, BodyBytes: DefaultBodyBytes, Wait: DefaultWait}
	c.Drift = DriftSuspend
	c.Log = Log{Level: "info", Format: "json"}
}

func (t *Target) setDefaults() {
	t.Temperature = Temperature{Rule: TemperatureMin}
}

func (r *Route) setDefaults() {
	r.Budget, r.Attempts, r.Needs = DefaultBudget, DefaultAttempts, DefaultNeeds
	r.Connect, r.FirstByte = DefaultConnect, DefaultFirstByte
	r.AnswerWithin, r.ListenFor = DefaultAnswerWithin, DefaultListenFor
}

// kind is what is known of an adapter before it is built.
type kind struct {
	baseURL    string // the public address; "": there is none
	apiVersion bool   // it has an api_version
}

// kinds are the adapters that a provider may name. The addresses are those of
// the providers' own quick starts, and the ports their servers' defaults.
func kinds() map[string]kind {
	return map[string]kind{
		"anthropic":        {baseURL: "https://api.anthropic.com/v1"},
		"gemini":           {baseURL: "https://generativelanguage.googleapis.com/v1beta"},
		"openai_responses": {baseURL: "https://api.openai.com/v1"},
		"bedrock":          {}, // it has an address in each region
		"openai":           {baseURL: "https://api.openai.com/v1"},
		"azure":            {apiVersion: true}, // https://RESOURCE.openai.azure.com/openai/v1
		"vllm":             {baseURL: "http://127.0.0.1:8000/v1"},
		"llamacpp":         {baseURL: "http://127.0.0.1:8080/v1"},
		"ollama":           {baseURL: "http://127.0.0.1:11434/v1"},
		"groq":             {baseURL: "https://api.groq.com/openai/v1"},
		"mistral":          {baseURL: "https://api.mistral.ai/v1"},
		"together":         {baseURL: "https://api.together.xyz/v1"},
		"deepseek":         {baseURL: "https://api.deepseek.com/v1"},
		"openrouter":       {baseURL: "https://openrouter.ai/api/v1"},
	}
}
