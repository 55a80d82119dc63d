package providers

import (
	"encoding/json"
	"fmt"

	"inferonce/contracts"
)

// buildChat says a chat request in our words. Nothing of it is left out: what an
// API has no words for, its Checker refuses.
func buildChat(c *contracts.Contract, input json.RawMessage, t Target) (Request, error) {
	q, broken := c.ReadChat(input)
	if len(broken) > 0 {
		return Request{}, fmt.Errorf("the chat request breaks contract %s in %d place(s)", c.Ref(), len(broken))
	}
	r := Request{Model: t.Model, ToolChoice: q.ToolChoice, ToolName: q.ToolName, ParallelTools: q.Parallel,
		Temperature: t.Temperature.of(q.Temperature), TopP: q.TopP, Seed: q.Seed, Stop: q.Stop, MaxTokens: q.MaxTokens,
		Schema: q.Format.Schema(), SchemaName: q.Format.Name}
	r.SchemaLoose, r.JSONObject = r.Schema != nil && !q.Format.Strict, q.Format.JSON && r.Schema == nil
	if r.MaxTokens == 0 {
		r.MaxTokens = c.Sampling.MaxTokens
	}
	for _, tool := range q.Tools {
		r.Tools = append(r.Tools, Tool{tool.Name, tool.Description, tool.Parameters()})
	}
	for _, m := range q.Messages {
		out := Message{Role: m.Role, Content: m.Content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID}
		for _, p := range m.Parts {
			out.Parts = append(out.Parts, part(p))
		}
		r.Messages = append(r.Messages, out)
	}
	return r, nil
}

func part(p contracts.ChatPart) Part {
	if !p.Image {
		return Part{Text: p.Text}
	}
	return Part{Image: &Image{URL: p.URL, MediaType: p.MediaType, Data: p.Data, Detail: p.Detail}}
}

// of is what a target takes where a caller asks for a temperature: nothing, or
// its one value, where the operator has declared that; never below its least.
func (t Temperature) of(asked *float64) *float64 {
	switch {
	case asked == nil || t.Omit:
		return nil
	case t.Fixed != nil:
		return t.Fixed
	}
	v := max(*asked, t.Min)
	return &v
}
