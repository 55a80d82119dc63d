package sim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxRequest is the largest request body that is read, in bytes.
const MaxRequest = 16 << 20

// MaxWords is the longest prompt that the simulated models take, in words.
const MaxWords = 1 << 20

// chatRequest is what we read of POST /v1/chat/completions
// (https://platform.openai.com/docs/api-reference/chat/create).
type chatRequest struct {
	Model          string        `json:"model"`
	Stream         bool          `json:"stream"`
	Temperature    *float64      `json:"temperature"`
	Messages       []chatMessage `json:"messages"`
	Tools          []chatTool    `json:"tools"`
	ToolChoice     chatChoice    `json:"tool_choice"`
	ResponseFormat struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string         `json:"name"`
			Schema jsontext.Value `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

type chatMessage struct {
	Role    string   `json:"role"`
	Content chatText `json:"content"`
}

// chatText is a message's text: a string, null, or parts of which those of
// type text count.
type chatText string

func (t *chatText) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte("[")) {
		return json.Unmarshal(b, (*string)(t))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*t += chatText(p.Text)
	}
	return nil
}

// words is the prompt's length in words.
func (r *chatRequest) words() int {
	n := 0
	for _, m := range r.Messages {
		n += countWords(string(m.Content))
	}
	return n
}

// asked returns the last user message without its ref token, and the ref.
func (r *chatRequest) asked() (text, ref string) {
	for _, m := range r.Messages {
		if m.Role == "user" {
			text = string(m.Content)
		}
	}
	before, after, ref := cutRef(text)
	return strings.TrimSpace(before + after), ref
}

// cutRef cuts the last [ref:xxxxx] out of s.
func cutRef(s string) (before, after, ref string) {
	const mark = "[ref:"
	for i := strings.LastIndex(s, mark); i >= 0; i = strings.LastIndex(s[:i], mark) {
		ref, after, closed := strings.Cut(s[i+len(mark):], "]")
		if closed && validName(ref) {
			return s[:i], after, ref
		}
	}
	return s, "", ""
}

// schema returns the schema that the answer must fit; nil for plain text.
func (r *chatRequest) schema() []byte {
	switch r.ResponseFormat.Type {
	case "json_schema":
		return r.ResponseFormat.JSONSchema.Schema
	case "json_object":
		return []byte(`{"type":"object"}`)
	}
	return nil
}

// check returns the refusal of a request that no model could serve, nil if
// there is nothing to refuse.
func (r *chatRequest) check() *reply {
	switch f := r.ResponseFormat.Type; {
	case r.Model == "":
		return badRequest("you must provide a model parameter", "")
	case len(r.Messages) == 0:
		return badRequest("messages must hold at least one message", "")
	case slices.ContainsFunc(r.Tools, func(t chatTool) bool { return t.Function.Name == "" }):
		return badRequest("a tool is a function with a name", "")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return badRequest("temperature lies between 0 and 2", "")
	case r.words() > MaxWords:
		return badRequest(fmt.Sprintf("this model takes at most %d tokens", MaxWords), "context_length_exceeded")
	case r.Stream:
		return badRequest("the simulator does not stream: leave stream out", "unsupported_value")
	case f == "json_schema" && r.ResponseFormat.JSONSchema.Schema == nil:
		return badRequest("response_format of type json_schema needs json_schema.schema", "")
	case f != "" && f != "text" && f != "json_object" && f != "json_schema":
		return badRequest("response_format.type is text, json_object or json_schema", "unsupported_value")
	}
	return nil
}

// readRequest reads and checks a request. lost is set where its body did not
// arrive, so that there is nobody to refuse.
func readRequest(w http.ResponseWriter, r *http.Request) (req *chatRequest, size int64, refusal *reply, lost bool) {
	body, err := readAll(http.MaxBytesReader(w, r.Body, MaxRequest), r.ContentLength)
	size = int64(len(body))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, size, &reply{status: http.StatusRequestEntityTooLarge,
			body: errorBody("the request is larger than 16 MiB", "invalid_request_error", "")}, false
	case err != nil:
		return nil, size, nil, true
	}
	req = new(chatRequest)
	if err := json.Unmarshal(body, req); err != nil {
		return nil, size, badRequest("we could not parse the JSON body of your request", ""), false
	}
	return req, size, req.check(), false
}

// readAll reads r into a buffer of the announced size, if that is believable.
func readAll(r io.Reader, announced int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, max(512, min(announced, MaxRequest)+512)))
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// parseCaller reads "<job>.<attempt>"; anything else names nobody.
func parseCaller(id string) (job string, attempt int) {
	i := strings.LastIndexByte(id, '.')
	if i < 1 || i > 128 {
		return "", 0
	}
	n, err := strconv.Atoi(id[i+1:])
	if err != nil || n < 1 {
		return "", 0
	}
	return id[:i], n
}
