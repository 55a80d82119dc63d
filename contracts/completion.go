package contracts

import "encoding/json"

// Completion is a provider's answer to one call, in our words.
type Completion struct {
	Content      string // the answer's text, byte for byte as the provider gave it
	Model        string // the model that the provider says answered
	FinishReason string // "stop", "length", "content_filter", "tool_calls", or the provider's own word
	Usage        Usage
	Reference    string // the provider's id of the call, "" if it gives none
	// SystemFingerprint is the provider's own mark of what ran, "" if it gives none.
	SystemFingerprint string
	// ToolCalls are the calls that the model asks for, in the provider's order.
	ToolCalls []ToolCall
}

// ToolCall is one call of a tool, as the provider wrote it.
type ToolCall struct {
	ID        string // the provider's name for this call, "" if it gives none
	Name      string
	Arguments string // JSON text, byte for byte as the model wrote it
	// Raw says that the arguments stood in the answer as JSON itself, where the
	// API promises text that holds JSON: a deviation, kept so that it can be told.
	Raw bool
}

// Usage is what the provider counted. Reported is false where it gave no
// numbers; zero is then not a price.
type Usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	Reported     bool  `json:"-"`
}

// Result is what a job delivers: the output of the winning attempt and who gave it.
type Result struct {
	Output       json.RawMessage `json:"output"`
	Target       string          `json:"target"`
	Provider     string          `json:"provider"`
	Model        string          `json:"model"`
	FinishReason string          `json:"finish_reason"`
	Usage        Usage           `json:"usage"`
}
