package openairesponses

import (
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// response is the part of a response object that we use. The type of a member
// that we do not use does not matter: the answer was paid for. A member named
// twice does, since two readers could see two answers.
type response struct {
	ID         string         `json:"id"`
	Status     string         `json:"status"`
	Model      string         `json:"model"`
	Output     []item         `json:"output"`
	Usage      jsontext.Value `json:"usage"`
	Error      jsontext.Value `json:"error"`
	Incomplete jsontext.Value `json:"incomplete_details"`
	Metadata   jsontext.Value `json:"metadata"`

	status int // of HTTP
}

// item is one piece of output. Reasoning and whatever else a model puts beside
// its messages and calls is passed over.
type item struct {
	Type      string         `json:"type"`
	Phase     string         `json:"phase"`
	Content   jsontext.Value `json:"content"`
	CallID    jsontext.Value `json:"call_id"`
	Name      jsontext.Value `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

type part struct {
	Type    string         `json:"type"`
	Text    jsontext.Value `json:"text"`
	Refusal jsontext.Value `json:"refusal"`
}

// ids are put into addresses, so they hold nothing that means something there.
var ids = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

func goodID(s string) bool { return ids.MatchString(s) }

// ended says whether the work is over. queued, in_progress and every status
// that is not known here are not.
func (r response) ended() bool {
	switch r.Status {
	case "completed", "failed", "cancelled", "incomplete":
		return true
	}
	return false
}

// attempt is the attempt id that the response was created with, "" if it holds none of ours.
func (r response) attempt() string {
	var m struct {
		Attempt string `json:"inferonce_attempt"`
	}
	if json.Unmarshal(r.Metadata, &m) != nil || len(m.Attempt) > 512 { // the API keeps no more
		return ""
	}
	return m.Attempt
}

func (r response) reason() string {
	var d struct {
		Reason string `json:"reason"`
	}
	_ = json.Unmarshal(r.Incomplete, &d)
	return d.Reason
}

func (r response) failure() (code, message string) {
	var e struct {
		Code    jsontext.Value `json:"code"`
		Message jsontext.Value `json:"message"`
	}
	_ = json.Unmarshal(r.Error, &e)
	return text(e.Code), text(e.Message)
}

// completion makes a Completion of a response that has ended, or says why it is none.
func (r response) completion(key string) (contracts.Completion, *contracts.Failure) {
	f := r.unusable(key)
	c := contracts.Completion{Model: label(r.Model, key), Reference: r.ID, FinishReason: "stop", Usage: usage(r.Usage)}
	if f == nil {
		f = r.fill(&c, key)
	}
	if f == nil && c.Content == "" && len(c.ToolCalls) == 0 {
		f = ended(contracts.BadResponse, "empty", "the answer has no content")
	}
	if f != nil {
		f.Status = r.status
		return contracts.Completion{}, f
	}
	return c, nil
}

// fill joins the texts of the messages and lists the calls. A message that a
// model marks as commentary on its way is not its answer.
func (r response) fill(c *contracts.Completion, key string) *contracts.Failure {
	for _, it := range r.Output {
		switch {
		case it.Type == "function_call":
			c.FinishReason = "tool_calls"
			c.ToolCalls = append(c.ToolCalls, it.call(key))
		case it.Type == "message" && it.Phase != "commentary":
			if f := it.message(c, key); f != nil {
				return f
			}
		}
	}
	return nil
}

func (it item) message(c *contracts.Completion, key string) *contracts.Failure {
	var parts []part
	if json.Unmarshal(it.Content, &parts) != nil {
		return ended(contracts.BadResponse, "not_json", "a message of the answer is in no known form")
	}
	for _, p := range parts {
		if p.Type == "refusal" {
			return ended(contracts.ContentFiltered, "refusal", transport.Detail(text(p.Refusal), key))
		}
		if p.Type == "output_text" {
			c.Content += text(p.Text)
		}
	}
	return nil
}

// call keeps the arguments as the model wrote them. The API promises a string
// that holds JSON; anything else stays as it is and is marked.
func (it item) call(key string) contracts.ToolCall {
	t := contracts.ToolCall{ID: label(text(it.CallID), key), Name: label(text(it.Name), key)}
	switch it.Arguments.Kind() {
	case '"':
		t.Arguments = text(it.Arguments)
	case 'n', 0:
	default:
		t.Arguments, t.Raw = string(it.Arguments), true
	}
	return t
}

// text is the string that v is, "" if it is none.
func text(v jsontext.Value) (s string) {
	_ = json.Unmarshal(v, &s)
	return s
}

// label bounds a word of the provider that ends up in records.
func label(s, key string) string {
	s = transport.Detail(s, key)
	if r := []rune(s); len(r) > 128 {
		return string(r[:128])
	}
	return s
}

// usage reads the counts. Absent, negative or unreadable ones are not reported
// at all: zero would look like a price.
func usage(raw jsontext.Value) contracts.Usage {
	var u struct {
		In  *int64 `json:"input_tokens"`
		Out *int64 `json:"output_tokens"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil || u.In == nil || u.Out == nil || *u.In < 0 || *u.Out < 0 {
		return contracts.Usage{}
	}
	return contracts.Usage{InputTokens: *u.In, OutputTokens: *u.Out, Reported: true}
}
