package jobstore

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Proof is what a conformance run showed. What an older version did not record
// is absent, and then nothing is held against it.
type Proof struct {
	Report       string   `json:"report"` // id of the report
	SHA256       string   `json:"report_sha256"`
	RunBy        string   `json:"run_by,omitempty"` // who handed the report in
	SuiteVersion string   `json:"suite_version"`
	Mode         string   `json:"mode"`
	Verdict      string   `json:"verdict"`
	Provider     string   `json:"provider"`
	Profile      string   `json:"provider_profile_digest,omitempty"` // of how it was spoken to
	BaseHost     string   `json:"base_host,omitempty"`               // where it was reached
	Model        string   `json:"model"`
	Served       []string `json:"served,omitempty"`
	// Fingerprint is by what the same model is known again.
	Fingerprint *Fingerprint      `json:"fingerprint,omitempty"`
	Sampling    map[string]string `json:"sampling_sent,omitempty"`
	Enforcement *Enforcement      `json:"enforcement,omitempty"`
	Runs        int               `json:"runs"`
	Cases       *Share            `json:"cases,omitempty"` // of those with a right answer, the ones that most runs gave
	// Bounds are the lower bounds of the checks that have one, by check id.
	Bounds       map[string]float64 `json:"bounds,omitempty"`
	Agreement    float64            `json:"agreement,omitempty"` // share of answers that agree with most repeats of their case
	P95MS        int64              `json:"p95_ms,omitempty"`
	CostMicroUSD *int64             `json:"cost_micro_usd,omitempty"` // of the run; nil where no price is known
	Started      time.Time          `json:"started,omitzero"`
	Issued       time.Time          `json:"issued"`
	Expires      time.Time          `json:"expires"`
}

// Fingerprint is by what a model is known again: how it counts tokens, the
// provider's own marks, and hashes of its answers to fixed prompts.
type Fingerprint struct {
	TokenIntercept *float64          `json:"token_intercept,omitempty"`
	TokenSlope     *float64          `json:"token_slope,omitempty"`
	System         []string          `json:"system_fingerprint,omitempty"`
	Canary         map[string]string `json:"canary_hashes,omitempty"` // by case id
}

// Enforcement says who makes an answer keep the form that the contract asks for:
// "native" if the target does, "none" if nobody but us; "" where it was not asked.
type Enforcement struct {
	Schema string `json:"schema,omitempty"`
	Tools  string `json:"tools,omitempty"`
}

// Share is OK of N.
type Share struct {
	N  int `json:"n"`
	OK int `json:"ok"`
}

func shaOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
