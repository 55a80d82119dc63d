package providers

import (
	"encoding/json"

	"inferonce/contracts"
)

// Target is one model at one provider, as the configuration names it.
type Target struct {
	Name     string
	Provider string // name of the provider
	Model    string
	// Temperature says what this model takes where a contract asks for the
	// lowest: some refuse the parameter, some take only one value.
	Temperature Temperature
	// Pinned says whether Model stays what it is; nil: judge by its name.
	Pinned *bool
	// Profile is a digest of how the target is spoken to: kind and version of the
	// adapter, and the rules of the target. A pass is bound to it; "": to none.
	Profile string
	// MaxConcurrency bounds the calls at once from one router; 0: no bound.
	MaxConcurrency int
	// Price is what it charges; the zero Price: nobody said.
	Price contracts.Price
}

// Temperature is a target's declared substitute for "as low as possible".
type Temperature struct {
	Omit  bool     // do not send the parameter
	Fixed *float64 // send this value whatever is asked
	Min   float64  // the lowest value that the model takes
}

// BuildRequest renders a contract's prompt over an input for a target.
// Conformance and live traffic both use it, so that what was proved is what is
// sent.
func BuildRequest(c *contracts.Contract, input json.RawMessage, t Target) (Request, error) {
	if c.Chat {
		return buildChat(c, input, t)
	}
	p, err := c.Render(input)
	if err != nil {
		return Request{}, err
	}
	r := Request{Model: t.Model, MaxTokens: c.Sampling.MaxTokens, Temperature: t.Temperature.lowest(c.Sampling.Intent), ToolChoice: c.ToolChoice}
	for _, tool := range c.Tools {
		r.Tools = append(r.Tools, Tool{tool.Name, tool.Description, tool.Parameters()})
	}
	if len(r.Tools) == 0 {
		r.Schema, r.SchemaName = c.OutputSchema(), c.Name
	}
	if p.System != "" {
		r.Messages = append(r.Messages, Message{Role: "system", Content: p.System})
	}
	r.Messages = append(r.Messages, Message{Role: "user", Content: p.User})
	return r, nil
}

func (t Temperature) lowest(intent string) *float64 {
	switch {
	case t.Omit || intent != "lowest":
		return nil
	case t.Fixed != nil:
		return t.Fixed
	}
	low := t.Min
	return &low
}
