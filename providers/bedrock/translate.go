package bedrock

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// converseBody is the body of a call, in the words of the reference of Converse.
type converseBody struct {
	System    []content         `json:"system,omitempty"`
	Messages  []message         `json:"messages"`
	Inference *inference        `json:"inferenceConfig,omitempty"`
	Tools     *toolConfig       `json:"toolConfig,omitempty"`
	Output    *outputConfig     `json:"outputConfig,omitempty"`
	Metadata  map[string]string `json:"requestMetadata,omitempty"` // shows in the account's invocation logs
}

type inference struct {
	MaxTokens     int      `json:"maxTokens,omitempty"`
	StopSequences []string `json:"stopSequences,omitempty"`
	Temperature   *float64 `json:"temperature,omitempty"`
	TopP          *float64 `json:"topP,omitempty"`
}

type message struct {
	Role    string    `json:"role"`
	Content []content `json:"content"`
}

// content is a union: exactly one of its members is set.
type content struct {
	Text       string      `json:"text,omitempty"`
	Image      *image      `json:"image,omitempty"`
	ToolUse    *toolUse    `json:"toolUse,omitempty"`
	ToolResult *toolResult `json:"toolResult,omitempty"`
}

type image struct {
	Format string `json:"format"`
	Source struct {
		Bytes string `json:"bytes"` // base64
	} `json:"source"`
}

type toolUse struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResult struct {
	ID      string    `json:"toolUseId"`
	Content []content `json:"content"`
}

type toolConfig struct {
	Tools  []tool         `json:"tools"`
	Choice map[string]any `json:"toolChoice,omitempty"`
}

type tool struct {
	Spec struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		InputSchema struct {
			JSON json.RawMessage `json:"json"`
		} `json:"inputSchema"`
	} `json:"toolSpec"`
}

// outputConfig is Converse's structured output (the user guide's page on
// structured outputs). Its schema is a text that holds JSON.
type outputConfig struct {
	TextFormat struct {
		Type      string `json:"type"`
		Structure struct {
			Schema struct {
				Name   string `json:"name"`
				Schema string `json:"schema"`
			} `json:"jsonSchema"`
		} `json:"structure"`
	} `json:"textFormat"`
}

// toRequest says r in Converse's words. The schema goes out in its own property
// order: the order in which a model fills in properties is part of what the
// contract's author chose.
func toRequest(r providers.Request) converseBody {
	b := converseBody{Inference: sampling(r), Tools: tools(r), Metadata: metadata(r.AttemptID)}
	for _, m := range r.Messages {
		if m.Role == "system" {
			b.System = append(b.System, content{Text: m.Content})
			continue
		}
		b.add(m)
	}
	if r.Schema != nil {
		b.Output = &outputConfig{}
		b.Output.TextFormat.Type = "json_schema"
		b.Output.TextFormat.Structure.Schema.Name = schemaName(r.SchemaName)
		b.Output.TextFormat.Structure.Schema.Schema = string(r.Schema)
	}
	return b
}

func sampling(r providers.Request) *inference {
	i := inference{r.MaxTokens, r.Stop, r.Temperature, r.TopP}
	if i.MaxTokens == 0 && len(i.StopSequences) == 0 && i.Temperature == nil && i.TopP == nil {
		return nil
	}
	return &i
}

// add puts a turn behind the others. The roles must alternate, and results of
// tools are a user's: turns of one role that follow each other become one, each
// in a piece of its own.
func (b *converseBody) add(m providers.Message) {
	role := m.Role
	if role == "tool" {
		role = "user"
	}
	if n := len(b.Messages); n > 0 && b.Messages[n-1].Role == role {
		b.Messages[n-1].Content = append(b.Messages[n-1].Content, pieces(m)...)
		return
	}
	b.Messages = append(b.Messages, message{role, pieces(m)})
}

func pieces(m providers.Message) []content {
	if m.Role == "tool" {
		r := &toolResult{ID: m.ToolCallID, Content: []content{}}
		if m.Content != "" {
			r.Content = append(r.Content, content{Text: m.Content})
		}
		return []content{{ToolResult: r}}
	}
	var out []content
	if m.Content != "" {
		out = append(out, content{Text: m.Content})
	}
	for _, p := range m.Parts {
		if p.Image == nil {
			out = append(out, content{Text: p.Text})
			continue
		}
		i := &image{Format: strings.TrimPrefix(p.Image.MediaType, "image/")}
		i.Source.Bytes = p.Image.Data
		out = append(out, content{Image: i})
	}
	for _, c := range m.ToolCalls {
		out = append(out, content{ToolUse: &toolUse{c.ID, c.Name, json.RawMessage(c.Arguments)}})
	}
	return out
}

// noParameters is the schema of a tool that takes none: Converse wants one.
const noParameters = `{"type":"object","properties":{}}`

func tools(r providers.Request) *toolConfig {
	if len(r.Tools) == 0 {
		return nil
	}
	t := &toolConfig{Choice: choice(r)}
	for _, one := range r.Tools {
		var to tool
		to.Spec.Name, to.Spec.Description, to.Spec.InputSchema.JSON = one.Name, one.Description, one.Parameters
		if len(one.Parameters) == 0 {
			to.Spec.InputSchema.JSON = json.RawMessage(noParameters)
		}
		t.Tools = append(t.Tools, to)
	}
	return t
}

// choice leaves an empty one to the provider.
func choice(r providers.Request) map[string]any {
	switch r.ToolChoice {
	case contracts.ToolAuto:
		return map[string]any{"auto": struct{}{}}
	case contracts.ToolRequired:
		return map[string]any{"any": struct{}{}}
	case providers.ToolNamed:
		return map[string]any{"tool": map[string]string{"name": r.ToolName}}
	}
	return nil
}

// metadataValue is what AWS takes as a value of request metadata.
var metadataValue = regexp.MustCompile(`^[a-zA-Z0-9._:/=+$@-]{1,256}$`)

func metadata(attempt string) map[string]string {
	if !metadataValue.MatchString(attempt) {
		return nil
	}
	return map[string]string{"inferonce_attempt": attempt}
}

// schemaName keeps to letters, digits, "_" and "-", at most 64 of them. AWS
// states no rule; this one every provider behind Converse takes.
func schemaName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "answer"
	}
	return s[:min(len(s), 64)]
}

// encode writes texts as they are; the default would escape < and > in them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, no("messages", "a part of the request is not JSON")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
