package openairesponses

import (
	"encoding/json"
	"fmt"
	"slices"

	"inferonce/contracts"
	"inferonce/providers"
)

var errNotJSON = &providers.Unsupported{Part: "schema", Reason: "a schema or the parameters of a tool are not JSON"}

// Takes says what of r the Responses API has no words for. Its reference of
// create knows neither stop nor seed.
func (c *Client) Takes(r providers.Request) error {
	switch {
	case len(r.Stop) > 0:
		return no("stop", "the Responses API has no stop texts")
	case r.Seed != nil:
		return no("seed", "the Responses API takes no seed")
	case r.Schema != nil && !json.Valid(r.Schema):
		return no("schema", "it is not JSON")
	case len(r.Tools) > 0 && !slices.Contains(toolChoices, r.ToolChoice):
		return no("tool_choice", "it is none that is known here")
	}
	for i, t := range r.Tools {
		if len(t.Parameters) > 0 && !json.Valid(t.Parameters) {
			return no(fmt.Sprintf("tools[%d].parameters", i), "they are not JSON")
		}
	}
	for i, m := range r.Messages {
		if u := takesTurn(fmt.Sprintf("messages[%d]", i), m); u != nil {
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
	case m.Role == "tool" && m.ToolCallID == "":
		return no(at+".tool_call_id", "the Responses API ties a tool's result to its call by id")
	case len(m.ToolCalls) > 0 && m.Role != "assistant":
		return no(at+".tool_calls", "only an assistant's turn may call tools")
	}
	if i := slices.IndexFunc(m.ToolCalls, func(c contracts.ToolCall) bool { return c.ID == "" }); i >= 0 {
		return no(fmt.Sprintf("%s.tool_calls[%d].id", at, i), "the Responses API ties a tool's result to its call by id")
	}
	for i, p := range m.Parts {
		if p.Image != nil && !takesImage(*p.Image) {
			return no(fmt.Sprintf("%s.parts[%d].image", at, i),
				"the Responses API takes an address, or PNG, JPEG, GIF or WebP as data, in detail low, high or auto")
		}
	}
	return nil
}

func takesImage(i providers.Image) bool {
	types := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	return slices.Contains([]string{"", "low", "high", "auto"}, i.Detail) &&
		(i.URL != "") != (i.Data != "" && slices.Contains(types, i.MediaType))
}

func no(part, reason string) *providers.Unsupported {
	return &providers.Unsupported{Part: part, Reason: reason}
}
