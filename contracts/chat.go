package contracts

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Chat is a request to a chat contract, read and checked. The contract brings no
// prompt and no schema of its own: the request says what is asked and what the
// answer must keep.
type Chat struct {
	Messages    []ChatMessage
	Tools       []Tool
	ToolChoice  string // ToolAuto, ToolRequired, ChatToolNone or ChatToolNamed; "" without tools
	ToolName    string // the one to call, under ChatToolNamed
	Parallel    *bool  // nil: the provider's own
	Format      ChatFormat
	Temperature *float64
	TopP        *float64
	Seed        *int64
	Stop        []string
	MaxTokens   int // 0: the contract's, or the provider's own
}

// The tool choices that a request may make beside those of a contract.
const (
	ChatToolNone  = "none"
	ChatToolNamed = "named"
)

// ChatFormat is what the text of an answer must be: anything, any JSON object,
// or what a schema says.
type ChatFormat struct {
	JSON   bool
	Name   string // of the schema
	Strict bool   // the provider is to enforce the schema itself
	schema *schema
}

// Schema returns the bytes of the schema with its properties in the caller's
// order; nil where any JSON object, or any text, will do.
func (f ChatFormat) Schema() json.RawMessage {
	if f.schema == nil {
		return nil
	}
	return slices.Clone(f.schema.raw)
}

// ChatMessage is one turn. The role is "system", "user", "assistant" or "tool".
type ChatMessage struct {
	Role       string
	Content    string
	Parts      []ChatPart // of a user's turn with images; Content is then empty
	ToolCalls  []ToolCall
	ToolCallID string
}

// ChatPart is a piece of a user's turn: Text, or an image, given by URL or as
// base64 Data of MediaType.
type ChatPart struct {
	Text                         string
	Image                        bool
	URL, MediaType, Data, Detail string
}

// The abilities that a request may need of a target beside text.
const (
	NeedsTools      = "tools"
	NeedsSchema     = "json_schema"
	NeedsJSONObject = "json_object"
	NeedsImages     = "images"
)

// Needs lists the abilities that the request asks of a target, in one order.
func (q *Chat) Needs() []string {
	var all []string
	if slices.ContainsFunc(q.Messages, func(m ChatMessage) bool {
		return slices.ContainsFunc(m.Parts, func(p ChatPart) bool { return p.Image })
	}) {
		all = append(all, NeedsImages)
	}
	switch {
	case q.Format.schema != nil:
		all = append(all, NeedsSchema)
	case q.Format.JSON:
		all = append(all, NeedsJSONObject)
	}
	if len(q.Tools) > 0 {
		all = append(all, NeedsTools)
	}
	return all
}

// Unproved lists what a chat needs that no case of the contract asks for, so
// that no conformance run can have shown it. Nil for any other contract, whose
// requests all ask the same.
func (c *Contract) Unproved(input json.RawMessage) []string {
	if !c.Chat {
		return nil
	}
	q, broken := c.ReadChat(input)
	if len(broken) > 0 {
		return nil
	}
	return slices.DeleteFunc(q.Needs(), func(need string) bool { return slices.Contains(c.proved, need) })
}

// provedBy is what the contract's cases ask of a target, all together.
func (c *Contract) provedBy() []string {
	var all []string
	for _, k := range c.Cases {
		if q, broken := c.ReadChat(k.Input); len(broken) == 0 {
			all = append(all, q.Needs()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tool finds an offered tool by its exact name; nil if there is none such.
func (q *Chat) tool(name string) *Tool {
	for i := range q.Tools {
		if q.Tools[i].Name == name {
			return &q.Tools[i]
		}
	}
	return nil
}

// prompt is the chat as contracts show one: the rules, and what was said last.
func (q *Chat) prompt() Prompt {
	var p Prompt
	for _, m := range q.Messages {
		switch m.Role {
		case "system":
			p.System += m.Content + "\n"
		case "user":
			p.User = m.Content
			for _, part := range m.Parts {
				p.User += cmp.Or(part.Text, "[image]")
			}
		}
	}
	return p
}
