package anthropic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers"
)

func (q *request) converse(all []providers.Message) error {
	c, err := providers.Converse(all)
	if err != nil {
		return err
	}
	for i, s := range c.System {
		if s == "" {
			return no(fmt.Sprintf("messages[%d].content", i), emptyText)
		}
		q.System = append(q.System, block{Type: "text", Text: s})
	}
	for _, t := range c.Turns {
		out := turn{Role: "user"}
		if t.Model {
			out.Role = "assistant"
		}
		for _, s := range t.Said {
			blocks, err := toBlocks(s)
			if err != nil {
				return err
			}
			out.Content = append(out.Content, blocks...)
		}
		q.Messages = append(q.Messages, out)
	}
	return nil
}

const emptyText = "this API refuses a text that is empty"

// callID is what the API takes as the id of a call.
var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func toBlocks(s providers.Said) (out []block, err error) {
	m := s.Message
	if m.Role == "tool" {
		return []block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Content}}, nil
	}
	if m.Content != "" {
		out = append(out, block{Type: "text", Text: m.Content})
	}
	for i, p := range m.Parts {
		b, err := toPart(fmt.Sprintf("%s.parts[%d]", s.Part, i), p)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	for i, t := range m.ToolCalls {
		b, err := toCall(fmt.Sprintf("%s.tool_calls[%d]", s.Part, i), t)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		return nil, no(s.Part+".content", emptyText)
	}
	return out, nil
}

func toCall(at string, t contracts.ToolCall) (block, error) {
	input := jsontext.Value(t.Arguments)
	if strings.TrimSpace(t.Arguments) == "" {
		input = jsontext.Value("{}")
	}
	switch {
	case !callID.MatchString(t.ID):
		return block{}, no(at+".id", "this API takes ids of letters, digits, _ and -")
	case !input.IsValid() || input.Kind() != '{':
		return block{}, no(at+".arguments", "this API takes arguments that are a JSON object")
	}
	return block{Type: "tool_use", ID: t.ID, Name: t.Name, Input: input}, nil
}

// mediaTypes are the images that the API reads
// (platform.claude.com/docs/en/build-with-claude/vision).
var mediaTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// toPart takes https only: the documentation shows no other address, and says
// nothing of plain http.
func toPart(at string, p providers.Part) (block, error) {
	i := p.Image
	switch {
	case i == nil && p.Text == "":
		return block{}, no(at+".text", emptyText)
	case i == nil:
		return block{Type: "text", Text: p.Text}, nil
	case i.Detail != "" && i.Detail != "auto":
		return block{}, no(at+".image.detail", "this API reads every image in one way")
	case i.URL != "" && !strings.HasPrefix(i.URL, "https://"):
		return block{}, no(at+".image.url", "this API fetches https addresses only")
	case i.URL != "":
		return block{Type: "image", Source: &source{Type: "url", URL: i.URL}}, nil
	case !slices.Contains(mediaTypes, i.MediaType):
		return block{}, no(at+".image.media_type", "this API reads "+strings.Join(mediaTypes, ", "))
	}
	return block{Type: "image", Source: &source{Type: "base64", MediaType: i.MediaType, Data: i.Data}}, nil
}
