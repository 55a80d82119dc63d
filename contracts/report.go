package contracts

import "time"

// Verdict is the outcome of a check or of a whole conformance run.
type Verdict string

// The verdicts. Inconclusive never grants and never revokes eligibility.
const (
	Pass          Verdict = "pass"
	Fail          Verdict = "fail"
	Inconclusive  Verdict = "inconclusive"
	NotApplicable Verdict = "not_applicable"
)

// ReportSchema is the version of the report's shape.
const ReportSchema = 1

// Report is the outcome of one conformance run: what one target did with one
// contract. It is the source of truth; other formats are derived from it.
type Report struct {
	SchemaVersion int            `json:"schema_version"`
	SuiteVersion  string         `json:"suite_version"`
	ID            string         `json:"id"` // unique per run
	Mode          string         `json:"mode"`
	Repeats       int            `json:"repeats"` // of each case, in one block
	Seed          uint64         `json:"seed"`    // of the order of runs; at most 2^53
	Contract      ReportContract `json:"contract"`
	Target        string         `json:"target"`
	Provider      string         `json:"provider"`
	// BaseHost is where the provider was reached, and ProfileDigest stands for how it
	// was spoken to; empty in reports from before they were kept.
	BaseHost      string        `json:"base_host,omitempty"`
	ProfileDigest string        `json:"provider_profile_digest,omitempty"`
	Model         ReportModel   `json:"model"`
	Started       time.Time     `json:"started"`
	Finished      time.Time     `json:"finished"`
	Verdict       Verdict       `json:"verdict"`
	Reasons       []string      `json:"reasons,omitempty"`
	Replayed      bool          `json:"replayed,omitempty"` // answers came from a recording: no evidence for a router
	Stopped       string        `json:"stopped,omitempty"`  // why runs that were planned were not made
	Gone          bool          `json:"gone,omitempty"`     // the provider says that it has no such model, or no longer
	Totals        ReportTotals  `json:"totals"`
	Checks        []ReportCheck `json:"checks"`
	Cases         []ReportCase  `json:"cases"`
	// Enforcement says who makes an answer keep the output schema: "native" if the
	// target does, "none" if nobody but us; "" where it was not asked.
	Enforcement string `json:"enforcement,omitempty"`
}

// ReportContract names the contract a report is about; Digest decides.
type ReportContract struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Digest  string `json:"digest"`
}

// ReportModel is the model asked for and the names that answered.
type ReportModel struct {
	Asked  string   `json:"asked"`
	Served []string `json:"served"`
	// SystemFingerprints are the providers' own marks of what answered, as they say them.
	SystemFingerprints []string `json:"system_fingerprints,omitempty"`
	// Fingerprint are values by which the same model is known again: how it counts
	// tokens, and hashes of its answers to the first cases. Empty where not taken.
	Fingerprint map[string]string `json:"fingerprint,omitempty"`
}

// ReportTotals counts provider calls. Infra are the ones that say nothing
// about the model: refusals by rate, outages, timeouts. Runs counts them too.
type ReportTotals struct {
	Runs   int   `json:"runs"`
	Probes int   `json:"probes,omitempty"` // of them, calls beside the cases
	Infra  int   `json:"infra"`
	Usage  Usage `json:"usage"`
	// MicroUSD is what all calls cost together, in millionths of a US dollar; nil
	// where there is no price for them.
	MicroUSD *int64 `json:"micro_usd,omitempty"`
}

// ReportCheck is one check over all runs: how often it applied, how often it held.
type ReportCheck struct {
	ID      string  `json:"id"`
	Class   string  `json:"class"` // H hard, S statistical, C capability, A advisory
	Says    string  `json:"says"`  // what it proves, as a sentence
	Verdict Verdict `json:"verdict"`
	N       int     `json:"n"`
	OK      int     `json:"ok"`
	// Bound is the lower bound of the true rate of OK, one-sided, at 95 percent
	// confidence; 0 where there is none.
	Bound  float64 `json:"bound,omitempty"`
	Detail string  `json:"detail,omitempty"`
	// Values are what the check measured, as text; nil where it measures nothing.
	Values map[string]string `json:"values,omitempty"`
}

// ReportCase is one case with all its repeats.
type ReportCase struct {
	ID       string      `json:"id"`
	Critical bool        `json:"critical"`
	Runs     []ReportRun `json:"runs"`
	// Expected says what the contract wants of the answer, and Reproduce is a
	// shell command that makes the same call, with the key left to the reader.
	// Both are of the contract alone, and only where a run failed.
	Expected  string `json:"expected,omitempty"`
	Reproduce string `json:"reproduce,omitempty"`
}

// ReportRun is one call: the check that failed, if any, and the failure.
type ReportRun struct {
	Verdict   Verdict  `json:"verdict"`
	Check     string   `json:"check,omitempty"` // id of the first check that failed
	LatencyMS int64    `json:"latency_ms"`
	Failure   *Failure `json:"failure,omitempty"`
	Message   string   `json:"message,omitempty"`
	SHA256    string   `json:"content_sha256,omitempty"`
	Usage     *Usage   `json:"usage,omitempty"`     // nil where the provider counted nothing
	MicroUSD  *int64   `json:"micro_usd,omitempty"` // what the answer cost; nil where there is no price
	Content   string   `json:"content,omitempty"`   // the answer itself, only where it was asked to be stored
}
