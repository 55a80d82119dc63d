package openaicompat

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"inferonce/providers"
)

func (p Profile) takesTurns(r providers.Request) *providers.Unsupported {
	if len(r.Messages) == 0 {
		return no("messages", "there are none")
	}
	called := map[string]bool{}
	for i, m := range r.Messages {
		at := fmt.Sprintf("messages[%d]", i)
		u := takesTurn(at, m, called)
		for j := 0; u == nil && j < len(m.Parts); j++ {
			u = p.takesPart(fmt.Sprintf("%s.parts[%d]", at, j), m.Parts[j])
		}
		if u != nil {
			return u
		}
	}
	return nil
}

// takesTurn looks at one turn; called holds the ids of the newest turn with
// calls. Some servers use the same ids in every turn.
func takesTurn(at string, m providers.Message, called map[string]bool) *providers.Unsupported {
	switch {
	case !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.Role):
		return no(at+".role", "it must be system, user, assistant or tool")
	case len(m.Parts) > 0 && (m.Role != "user" || m.Content != ""):
		return no(at+".parts", "only a user's turn has parts, and then no content")
	case len(m.ToolCalls) > 0 && m.Role != "assistant":
		return no(at+".tool_calls", "only an assistant's turn has calls")
	case m.Role == "assistant" && m.Content == "" && len(m.ToolCalls) == 0:
		return no(at, "the turn is empty")
	case m.ToolCallID != "" && m.Role != "tool":
		return no(at+".tool_call_id", "only a tool's turn names a call")
	case m.Role == "tool" && !called[m.ToolCallID]:
		return no(at+".tool_call_id", "the newest turn with calls did not make this one")
	}
	if len(m.ToolCalls) > 0 {
		clear(called)
	}
	for j, c := range m.ToolCalls {
		if c.ID == "" || c.Name == "" || called[c.ID] {
			return no(fmt.Sprintf("%s.tool_calls[%d]", at, j), "a call needs a name and an id of its own")
		}
		called[c.ID] = true
	}
	return nil
}

func (p Profile) takesPart(at string, part providers.Part) *providers.Unsupported {
	image := part.Image
	at += ".image"
	switch {
	case image == nil:
		return nil
	case part.Text != "":
		return no(at, "a part is a text or an image, not both")
	case (image.URL == "") == (image.Data == ""):
		return no(at, "it must have either an address or data")
	case image.URL != "" && !p.ImageURLs:
		return no(at, "this API takes no images by address")
	case image.URL != "" && !fetchable(image.URL):
		return no(at+".url", "it must be an http or https address")
	case image.Data != "" && !p.ImageData:
		return no(at, "this API takes no images")
	case image.Data != "" && !slices.Contains(p.ImageTypes, image.MediaType):
		return no(at+".media_type", "it must be one of %s", strings.Join(p.ImageTypes, ", "))
	case image.Data != "" && !encoded(image.Data):
		return no(at+".data", "it is not base64")
	case image.Detail != "" && (!p.ImageDetail || !slices.Contains([]string{"low", "high", "auto"}, image.Detail)):
		return no(at+".detail", "this API does not take it")
	}
	return nil
}

func fetchable(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

func encoded(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil
}
