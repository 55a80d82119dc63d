package gemini

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// reply is the part of a GenerateContentResponse that we use. The type of a
// member that we do not use does not matter: the answer was paid for.
type reply struct {
	Candidates []candidate `json:"candidates"`
	Feedback   struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage   jsontext.Value `json:"usageMetadata"`
	Version string         `json:"modelVersion"`
	ID      string         `json:"responseId"`
}

type candidate struct {
	Content struct {
		Parts []piece `json:"parts"`
	} `json:"content"`
	FinishReason  string `json:"finishReason"`
	FinishMessage string `json:"finishMessage"`
	// Fetched says what became of addresses that the API was to fetch.
	Fetched struct {
		All []struct {
			Status string `json:"urlRetrievalStatus"`
		} `json:"urlMetadata"`
	} `json:"urlContextMetadata"`
}

// piece is a part of the answer. Thoughts and parts of tools that run at the
// provider are not the answer.
type piece struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args jsontext.Value `json:"args"`
	} `json:"functionCall"`
}

// read makes a Completion of an answer, or says why it is none. before is the
// number of calls in earlier turns.
func read(a transport.Answer, before int, key string) (contracts.Completion, *contracts.Failure) {
	c, f := decode(a, before, key)
	if f == nil {
		return c, nil
	}
	f.Status = a.Status
	return contracts.Completion{}, f
}

func decode(a transport.Answer, before int, key string) (contracts.Completion, *contracts.Failure) {
	if a.Status == 204 {
		return contracts.Completion{}, ended(contracts.BadResponse, "empty", "the answer has no body")
	}
	if a.Status != 200 && a.Status != 201 {
		return contracts.Completion{}, classify(a, key)
	}
	if f, ok := embedded(a, key); ok {
		return contracts.Completion{}, f
	}
	var r reply
	if err := json.Unmarshal(a.Body, &r); err != nil {
		return contracts.Completion{}, unreadable(bytes.TrimSpace(a.Body), err)
	}
	if len(r.Candidates) == 0 {
		return contracts.Completion{}, r.blocked(key)
	}
	c := r.completion(before, key)
	return c, r.Candidates[0].unusable(c, key)
}

func (r reply) completion(before int, key string) contracts.Completion {
	c := contracts.Completion{Model: label(r.Version, key), Reference: label(r.ID, key), Usage: usage(r.Usage)}
	var text strings.Builder
	for _, p := range r.Candidates[0].Content.Parts {
		switch {
		case p.Thought:
		case p.Call != nil:
			id := cmp.Or(label(p.Call.ID, key), fmt.Sprintf("call_%d", before+len(c.ToolCalls)+1))
			args := string(p.Call.Args)
			if args == "" { // a call without arguments may leave them out
				args = "{}"
			}
			c.ToolCalls = append(c.ToolCalls, contracts.ToolCall{ID: id, Name: label(p.Call.Name, key), Arguments: args})
		default:
			text.WriteString(p.Text)
		}
	}
	c.Content, c.FinishReason = text.String(), "stop"
	if len(c.ToolCalls) > 0 { // STOP is what the API says of both
		c.FinishReason = "tool_calls"
	}
	return c
}

// usage reads the counts. The prompt's holds what came from a cache; thoughts
// are paid for as output and counted apart. A count of 0 is left out by the API
// (ai.google.dev/api/generate-content#usagemetadata). Without the prompt's, or
// with one that can't be, nothing is reported: zero would look like a price.
func usage(raw jsontext.Value) contracts.Usage {
	var u struct {
		Prompt   *int64 `json:"promptTokenCount"`
		Answer   int64  `json:"candidatesTokenCount"`
		Thoughts int64  `json:"thoughtsTokenCount"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &u) != nil || u.Prompt == nil {
		return contracts.Usage{}
	}
	for _, n := range []int64{*u.Prompt, u.Answer, u.Thoughts} {
		if n < 0 || n > maxCount {
			return contracts.Usage{}
		}
	}
	return contracts.Usage{InputTokens: *u.Prompt, OutputTokens: u.Answer + u.Thoughts, Reported: true}
}

// maxCount is more than any context holds, and keeps sums from running over.
const maxCount = 1 << 40

// unreadable tells why a body is no reply. A text that ends too early was cut,
// also where the transport saw a clean end.
func unreadable(body []byte, err error) *contracts.Failure {
	switch {
	case len(body) == 0:
		return ended(contracts.BadResponse, "empty", "the answer has no body")
	case !utf8.Valid(body):
		return ended(contracts.BadResponse, "utf8", "the answer is not valid UTF-8")
	case body[0] == '<':
		return ended(contracts.BadResponse, "html", "the answer is a page, not content")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ended(contracts.Truncated, "cut", "the answer broke off")
	}
	return ended(contracts.BadResponse, "not_json", "the answer is not generated content")
}

// label bounds a word of the provider that ends up in records.
func label(s, key string) string {
	s = transport.Detail(s, key)
	if r := []rune(s); len(r) > 128 {
		return string(r[:128])
	}
	return s
}
