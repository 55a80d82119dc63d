package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Contract is one version of what an app may ask for: the prompt, what goes
// in, what may come out, and which cases prove that a target understands it.
// Load makes it; it never changes afterwards and is safe for concurrent use.
type Contract struct {
	Name        string
	Version     int
	Digest      string // "sha256:…" over the bytes of the file and of every file it names
	Description string
	Effects     Effects
	OnUnknown   UnknownPolicy
	Sampling    Sampling
	// Identity are dotted names of the input fields that make an event what it
	// is; empty where every request must bring its own key.
	Identity []string
	// MinSuccess is the share of answers that must be right before a target is
	// certified, by the lower bound: DefaultMinSuccess, or what the file says.
	// Below the default whole cases may go wrong, and cases are what is counted.
	MinSuccess float64
	Cases      []Case
	// Probes says which families of probes can't be put to a model that serves
	// this contract.
	Probes Probes
	// Tools are what the model may call; a contract with tools is answered in
	// calls (see Judge). ToolChoice is ToolAuto or ToolRequired, "" without tools.
	Tools      []Tool
	ToolChoice string
	// Chat says that the input is a chat request (see ReadChat), which brings the
	// prompt, the tools and the schema of its answer itself.
	Chat bool

	file       string
	schemas    *schemaCache     // of a chat's requests
	proved     []string         // what a chat's cases need of a target
	places     map[string]*node // of the parts that Lint looks at, by field name
	input      *schema
	output     *schema
	shown      json.RawMessage // the output schema for readers
	system     *template
	user       *template
	assertions []Assertion
}

// The shares of right answers that a contract may ask for run from
// LeastMinSuccess to 1. A target that is right less often is no fallback.
const (
	DefaultMinSuccess = 0.90
	LeastMinSuccess   = 0.80
)

// Sampling is how the answer should be drawn; each provider's profile says how
// near its API comes to it.
type Sampling struct {
	Intent         string   // IntentLowest or IntentDefault
	MaxTokens      int      // of the answer; 0 leaves it to the provider
	MaxTemperature *float64 // nil: no bound of its own
}

// The sampling intents.
const (
	IntentLowest  = "lowest"  // as little chance as the provider allows
	IntentDefault = "default" // the provider's own setting
)

// Prompt is what a model is told: the rules, and the case.
type Prompt struct {
	System string // "" if the contract has none
	User   string
}

// Ref is the contract's full name, such as "ticket-triage@1".
func (c *Contract) Ref() string { return fmt.Sprintf("%s@%d", c.Name, c.Version) }

// File is the path from which the contract was loaded.
func (c *Contract) File() string { return c.file }

// CheckInput returns where input breaks the input schema; nil if it holds.
// No message holds a value of the input.
func (c *Contract) CheckInput(input json.RawMessage) []Violation {
	if c.Chat {
		_, broken := c.ReadChat(input)
		return broken
	}
	return c.input.validate(input)
}

// InputSchema returns the input schema's own bytes.
func (c *Contract) InputSchema() json.RawMessage { return bytes.Clone(c.input.raw) }

// OutputSchema returns the output schema's own bytes, with its properties in
// the author's order: models follow it. With tools it is the schema of an
// answer in calls, made of theirs.
func (c *Contract) OutputSchema() json.RawMessage { return bytes.Clone(c.shown) }

// Assertions returns the contract's own assertions, which hold for live answers
// too. Those of a case are in the case.
func (c *Contract) Assertions() []Assertion { return slices.Clone(c.assertions) }

// Render makes the prompt for an input that CheckInput has accepted. The same
// input makes the same prompt. The error holds nothing of the input.
// A chat has no prompt but its own turns; of these it shows the rules and the
// user's last words.
func (c *Contract) Render(input json.RawMessage) (Prompt, error) {
	if c.Chat {
		q, broken := c.ReadChat(input)
		if len(broken) > 0 {
			return Prompt{}, fmt.Errorf("the chat request breaks contract %s in %d place(s)", c.Ref(), len(broken))
		}
		return q.prompt(), nil
	}
	system, err := c.system.render(input)
	if err != nil {
		return Prompt{}, err
	}
	user, err := c.user.render(input)
	if err != nil {
		return Prompt{}, err
	}
	return Prompt{system, user}, nil
}
