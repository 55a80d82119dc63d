package gemini

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"inferonce/providers"
)

func (q *request) converse(r providers.Request) error {
	c, err := providers.Converse(r.Messages)
	if err != nil {
		return err
	}
	if len(c.System) > 0 {
		q.System = &content{}
	}
	for _, s := range c.System {
		q.System.Parts = append(q.System.Parts, part{Text: &s})
	}
	for _, t := range c.Turns {
		out := content{Role: "user"}
		if t.Model {
			out.Role = "model"
		}
		for _, s := range t.Said {
			parts, err := toParts(s)
			if err != nil {
				return err
			}
			out.Parts = append(out.Parts, parts...)
		}
		if signs(r.Model) {
			sign(out.Parts)
		}
		q.Contents = append(q.Contents, out)
	}
	return nil
}

func toParts(s providers.Said) (out []part, err error) {
	m := s.Message
	if m.Role == "tool" {
		return []part{{Result: &functionResponse{m.ToolCallID, s.ToolName, response{m.Content}}}}, nil
	}
	if m.Content != "" || len(m.Parts)+len(m.ToolCalls) == 0 {
		out = append(out, part{Text: &m.Content})
	}
	for i, p := range m.Parts {
		one, err := toPart(fmt.Sprintf("%s.parts[%d].image", s.Part, i), p)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	for i, t := range m.ToolCalls {
		args := jsontext.Value(t.Arguments)
		if strings.TrimSpace(t.Arguments) == "" {
			args = jsontext.Value("{}")
		}
		if !args.IsValid() || args.Kind() != '{' {
			return nil, no(fmt.Sprintf("%s.tool_calls[%d].arguments", s.Part, i), "this API takes arguments that are a JSON object")
		}
		out = append(out, part{Call: &functionCall{t.ID, t.Name, args}})
	}
	return out, nil
}

// mediaTypes are the images that the API reads and that we name
// (ai.google.dev/gemini-api/docs/image-understanding); GIF is not among them.
var mediaTypes = []string{"image/png", "image/jpeg", "image/webp"}

func toPart(at string, p providers.Part) (part, error) {
	i := p.Image
	switch {
	case i == nil:
		return part{Text: &p.Text}, nil
	case i.Detail != "" && i.Detail != "auto":
		return part{}, no(at+".detail", "this API sets the detail for all images of a request, not for one")
	case i.URL != "" && !strings.HasPrefix(i.URL, "https://"):
		return part{}, no(at+".url", "this API fetches https addresses only")
	case i.URL != "":
		return fetched(at, i.URL)
	case !slices.Contains(mediaTypes, i.MediaType):
		return part{}, no(at+".media_type", "this API reads "+strings.Join(mediaTypes, ", "))
	}
	return part{Inline: &inline{i.MediaType, i.Data}}, nil
}

// Models from Gemini 3 on answer 400 to a turn whose first call has no
// signature of its thoughts. A request carries none, so that it says what the
// documentation gives for turns that the model did not write itself
// (ai.google.dev/gemini-api/docs/thought-signatures).
const foreignTurn = "skip_thought_signature_validator"

func signs(model string) bool {
	model = strings.TrimPrefix(model, "models/")
	return strings.HasPrefix(model, "gemini-") && !strings.HasPrefix(model, "gemini-1") && !strings.HasPrefix(model, "gemini-2")
}

func sign(all []part) {
	for i := range all {
		if all[i].Call != nil {
			all[i].Signature = foreignTurn
			return
		}
	}
}

// fetched is an image that the API gets by itself. It wants to be told the type
// (ai.google.dev/gemini-api/docs/file-input-methods, "always provide"), which we
// know from the address alone, since nothing is fetched here.
func fetched(at, address string) (part, error) {
	u, err := url.Parse(address)
	if err != nil {
		return part{}, no(at+".url", "it is no address")
	}
	kind := map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}[strings.ToLower(path.Ext(u.Path))]
	if kind == "" {
		return part{}, no(at+".url", "this API wants the type of an image, which only an address that ends in .png, .jpg, .jpeg or .webp tells")
	}
	return part{File: &file{kind, address}}, nil
}
