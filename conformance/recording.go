package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// recordingFormat is the version of a recording's shape.
const recordingFormat = 1

// recordingNote stands in every recording, for whoever opens one.
const recordingNote = "Requests are kept as digests only; answers as far as they are needed to judge them, without keys and without the provider's own error texts. A replay of this proves nothing to a router."

// Recording is the first line of a recording: which pair it is of, and when it
// was made. The exchanges follow, one JSON value a line, in the order in which
// they ended.
type Recording struct {
	Format       int       `json:"recording"`
	Note         string    `json:"note"`
	Time         time.Time `json:"time"`
	SuiteVersion string    `json:"suite_version"`
	Contract     string    `json:"contract"` // such as "ticket-triage@1"
	Digest       string    `json:"digest"`   // of the contract
	Target       string    `json:"target"`
	Provider     string    `json:"provider"`
	Model        string    `json:"model"`
	Seed         uint64    `json:"seed"` // a replay with the same seed makes the same requests
}

// NewRecording describes what a suite with these options records now. The
// options name a seed.
func NewRecording(o Options) Recording {
	return Recording{recordingFormat, recordingNote, time.Now().UTC(), SuiteVersion, o.Contract.Ref(), o.Contract.Digest,
		o.Target.Name, o.Target.Provider, o.Target.Model, o.Seed}
}

// recordedExchange is one call. N counts the calls with the same request from 1, so
// that a repeat gets the answer that the repeat got.
type recordedExchange struct {
	Time     time.Time          `json:"time"`
	Request  string             `json:"request"`
	N        int                `json:"n"`
	Answer   *recordedAnswer    `json:"answer,omitempty"`
	Failure  *contracts.Failure `json:"failure,omitempty"`
	Redacted bool               `json:"redacted,omitempty"` // a secret was taken out of the answer
}

// recordedAnswer is a completion with all that judging looks at.
type recordedAnswer struct {
	Content      string               `json:"content"`
	Calls        []contracts.ToolCall `json:"tool_calls,omitempty"`
	Model        string               `json:"model"`
	FinishReason string               `json:"finish_reason"`
	InputTokens  int64                `json:"input_tokens"`
	OutputTokens int64                `json:"output_tokens"`
	Reported     bool                 `json:"usage_reported"`
	System       string               `json:"system_fingerprint,omitempty"`
}

func (a *recordedAnswer) completion() contracts.Completion {
	return contracts.Completion{Content: a.Content, ToolCalls: a.Calls, Model: a.Model, FinishReason: a.FinishReason, SystemFingerprint: a.System,
		Usage: contracts.Usage{InputTokens: a.InputTokens, OutputTokens: a.OutputTokens, Reported: a.Reported}}
}

// asked is a Request with what makes it the same request to a model. The
// conversion below does not compile if a Request gets a field that this lacks.
type asked struct {
	Model         string
	Messages      []providers.Message
	Schema        json.RawMessage
	SchemaName    string
	SchemaLoose   bool             `json:",omitempty"`
	JSONObject    bool             `json:",omitempty"`
	Tools         []providers.Tool `json:",omitempty"`
	ToolChoice    string           `json:",omitempty"`
	ToolName      string           `json:",omitempty"`
	ParallelTools *bool            `json:",omitempty"`
	Temperature   *float64
	TopP          *float64 `json:",omitempty"`
	Seed          *int64   `json:",omitempty"`
	Stop          []string `json:",omitempty"`
	MaxTokens     int
	AttemptID     string           `json:"-"`
	Limits        providers.Limits `json:"-"`
	OnFirstByte   func()           `json:"-"`
	OnReference   func(string)     `json:"-"`
}

// requestDigest is the same for two requests that ask a model the same.
func requestDigest(r providers.Request) (string, error) {
	raw, err := json.Marshal(asked(r))
	if err != nil {
		return "", fmt.Errorf("digest of a request: %w", err)
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
