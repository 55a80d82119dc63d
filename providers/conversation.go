package providers

import (
	"fmt"
	"slices"

	"inferonce/contracts"
)

// Conversation is a request's turns for an API that knows only two sides:
// system texts stand apart, and no side has two turns in a row.
type Conversation struct {
	System []string
	Turns  []Turn
}

// Turn is what one side says until the other one speaks. Results of calls
// belong to the user's side, and stand before what the user says.
type Turn struct {
	Model bool
	Said  []Said
}

// Said is one message of a turn.
type Said struct {
	Part     string // where it stands in the request: "messages[2]"
	Message  Message
	ToolName string // of a tool turn: the tool whose call it answers
}

// Converse orders the turns of a request. What such an API has no place for is
// a *Unsupported: a system text in the middle, a call without its result, a
// result without its call, a model that speaks first or last.
func Converse(all []Message) (Conversation, error) {
	var c conversation
	for i, m := range all {
		s := Said{Part: fmt.Sprintf("messages[%d]", i), Message: m}
		if err := c.add(s); err != nil {
			return Conversation{}, err
		}
	}
	last := fmt.Sprintf("messages[%d]", len(all)-1)
	switch {
	case len(c.Turns) == 0:
		return Conversation{}, &Unsupported{Part: "messages", Reason: "this API wants a turn of the user"}
	case len(c.open) > 0:
		return Conversation{}, &Unsupported{Part: last, Reason: unanswered}
	case c.Turns[len(c.Turns)-1].Model:
		return Conversation{}, &Unsupported{Part: last, Reason: "this API would go on with a last turn of the assistant instead of answering it"}
	}
	return c.Conversation, nil
}

const unanswered = "this API wants the results of all calls right after the turn that asks for them"

type conversation struct {
	Conversation
	open []contracts.ToolCall // calls that wait for their result
}

func (c *conversation) add(s Said) error {
	m := s.Message
	if len(m.Parts) > 0 && m.Role != "user" {
		return &Unsupported{Part: s.Part + ".parts", Reason: "only a turn of the user has parts"}
	}
	if len(c.open) > 0 && m.Role != "tool" {
		return &Unsupported{Part: s.Part, Reason: unanswered}
	}
	switch m.Role {
	case "system":
		return c.system(s)
	case "user":
		c.say(false, s)
	case "tool":
		return c.result(s)
	case "assistant":
		if len(c.Turns) == 0 {
			return &Unsupported{Part: s.Part, Reason: "this API wants the user to begin"}
		}
		c.open = slices.Clone(m.ToolCalls)
		c.say(true, s)
	default:
		return &Unsupported{Part: s.Part + ".role", Reason: "this API knows no such role"}
	}
	return nil
}

func (c *conversation) system(s Said) error {
	if len(c.Turns) > 0 {
		return &Unsupported{Part: s.Part, Reason: "this API takes system texts before the conversation only"}
	}
	c.System = append(c.System, s.Message.Content)
	return nil
}

func (c *conversation) result(s Said) error {
	at := slices.IndexFunc(c.open, func(t contracts.ToolCall) bool { return t.ID == s.Message.ToolCallID })
	if at < 0 {
		return &Unsupported{Part: s.Part + ".tool_call_id", Reason: "it names no call of the turn before"}
	}
	s.ToolName = c.open[at].Name
	c.open = slices.Delete(c.open, at, at+1)
	c.say(false, s)
	return nil
}

func (c *conversation) say(model bool, s Said) {
	if n := len(c.Turns); n > 0 && c.Turns[n-1].Model == model {
		c.Turns[n-1].Said = append(c.Turns[n-1].Said, s)
		return
	}
	c.Turns = append(c.Turns, Turn{Model: model, Said: []Said{s}})
}
