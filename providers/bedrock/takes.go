package bedrock

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"inferonce/contracts"
	"inferonce/providers"
)

// Takes says what of r Converse has no words for (its reference, and those of
// ToolChoice, ImageBlock and InferenceConfiguration).
func (c *Client) Takes(r providers.Request) error {
	switch {
	case r.Model == "":
		return no("model", "Converse is called by the model's id")
	case r.Seed != nil:
		return no("seed", "Converse takes no seed")
	case r.ParallelTools != nil && !*r.ParallelTools:
		return no("parallel_tool_calls", "Converse can't forbid several calls in one answer")
	case r.Schema != nil && !json.Valid(r.Schema):
		return no("schema", "it is not JSON")
	case len(r.Tools) > 0 && r.ToolChoice == providers.ToolNone:
		return no("tool_choice", "Converse can't forbid to call the tools that it is told of")
	case len(r.Tools) > 0 && !slices.Contains([]string{"", contracts.ToolAuto, contracts.ToolRequired, providers.ToolNamed}, r.ToolChoice):
		return no("tool_choice", "it is none that is known here")
	}
	for i, t := range r.Tools {
		if len(t.Parameters) > 0 && !object(t.Parameters) {
			return no(fmt.Sprintf("tools[%d].parameters", i), "Converse takes a JSON object here")
		}
	}
	if u := takesTurns(r); u != nil {
		return u
	}
	return nil
}

func takesTurns(r providers.Request) *providers.Unsupported {
	first := slices.IndexFunc(r.Messages, func(m providers.Message) bool { return m.Role != "system" })
	if first < 0 {
		return no("messages", "Converse wants a user's turn")
	}
	for i, m := range r.Messages {
		at := fmt.Sprintf("messages[%d]", i)
		switch {
		case m.Role == "system" && i > first:
			return no(at+".role", "Converse takes system turns before all others only")
		case i == first && m.Role != "user":
			return no(at+".role", "Converse wants a user's turn first")
		case len(m.ToolCalls) > 0 && len(r.Tools) == 0, m.Role == "tool" && len(r.Tools) == 0:
			return no("tools", "Converse wants the tools that earlier turns called to be named again")
		}
		if u := takesTurn(at, m); u != nil {
			return u
		}
	}
	return nil
}

func takesTurn(at string, m providers.Message) *providers.Unsupported {
	switch {
	case !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.Role):
		return no(at+".role", "it is none that is known here")
	case len(m.Parts) > 0 && m.Role != "user":
		return no(at+".parts", "only a user's turn may come in pieces")
	case len(m.ToolCalls) > 0 && m.Role != "assistant":
		return no(at+".tool_calls", "only an assistant's turn may call tools")
	case m.Role == "tool" && !ids.MatchString(m.ToolCallID):
		return no(at+".tool_call_id", "Converse wants up to 64 letters, digits, _ and -")
	case m.Role != "tool" && m.Content == "" && len(m.Parts) == 0 && len(m.ToolCalls) == 0:
		return no(at+".content", "Converse takes no empty turn")
	}
	for i, c := range m.ToolCalls {
		if !ids.MatchString(c.ID) {
			return no(fmt.Sprintf("%s.tool_calls[%d].id", at, i), "Converse wants up to 64 letters, digits, _ and -")
		}
		if !object([]byte(c.Arguments)) {
			return no(fmt.Sprintf("%s.tool_calls[%d].arguments", at, i), "Converse takes a JSON object here")
		}
	}
	return takesParts(at, m.Parts)
}

func takesParts(at string, parts []providers.Part) *providers.Unsupported {
	for i, p := range parts {
		at := fmt.Sprintf("%s.parts[%d]", at, i)
		switch {
		case p.Image == nil && p.Text == "":
			return no(at, "Converse takes no empty piece")
		case p.Image == nil:
		case p.Image.URL != "":
			return no(at+".image", "Converse takes images as data, not by address")
		case p.Image.Data == "" || !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, p.Image.MediaType):
			return no(at+".image", "Converse takes PNG, JPEG, GIF and WebP as data")
		case p.Image.Detail != "" && p.Image.Detail != "auto":
			return no(at+".image.detail", "Converse has no word for it")
		}
	}
	return nil
}

var ids = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func object(raw []byte) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(raw, &o) == nil && o != nil
}

func no(part, reason string) *providers.Unsupported {
	return &providers.Unsupported{Part: part, Reason: reason}
}
