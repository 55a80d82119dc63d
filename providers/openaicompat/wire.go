package openaicompat

import "encoding/json"

// wire is the body of a call. It is written here and not by go-openai, whose
// types leave out a temperature of 0 and an empty result of a tool, and know no
// other provider's name for a member.
type wire struct {
	Model         string        `json:"model"`
	Messages      []wireMessage `json:"messages"`
	CapOld        int           `json:"max_tokens,omitempty"`
	CapNew        int           `json:"max_completion_tokens,omitempty"`
	Temperature   *float64      `json:"temperature,omitempty"`
	TopP          *float64      `json:"top_p,omitempty"`
	Stream        bool          `json:"stream"`
	Stop          []string      `json:"stop,omitempty"`
	Format        *wireFormat   `json:"response_format,omitempty"`
	Seed          *int64        `json:"seed,omitempty"`
	RandomSeed    *int64        `json:"random_seed,omitempty"`
	Tools         []wireTool    `json:"tools,omitempty"`
	ToolChoice    any           `json:"tool_choice,omitempty"` // a word, or a wireChoice
	ParallelTools *bool         `json:"parallel_tool_calls,omitempty"`
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"` // a text, parts, or null beside calls
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wirePart struct {
	Type  string     `json:"type"` // "text" or "image_url"
	Text  *string    `json:"text,omitempty"`
	Image *wireImage `json:"image_url,omitempty"`
}

type wireImage struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

type wireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type wireTool struct {
	Function wireFunction `json:"function"`
	Type     string       `json:"type"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type wireChoice struct {
	Type     string   `json:"type"`
	Function wireName `json:"function"`
}

type wireName struct {
	Name string `json:"name"`
}

type wireFormat struct {
	Type   string      `json:"type"`
	Schema *wireSchema `json:"json_schema,omitempty"`
}

type wireSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}
