package openaicompat

import (
	"bytes"
	"cmp"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
	"inferonce/providers/transport"
)

// looksStreamed tells an event stream, which some servers send although none
// was asked for, and under any content type.
func looksStreamed(body []byte) bool {
	return bytes.HasPrefix(body, []byte("data:")) || bytes.HasPrefix(body, []byte("event:")) || bytes.HasPrefix(body, []byte(":"))
}

type chunk struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Choices []struct {
		Delta        message `json:"delta"`
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Usage  jsontext.Value `json:"usage"`
	System jsontext.Value `json:"system_fingerprint"`
}

// joinStream puts a stream together to the reply that was asked for. Chunks
// without a choice are metadata. A stream without a finish_reason was cut.
func (rd reader) joinStream(body []byte) (reply, *contracts.Failure) {
	var r reply
	var ch choice
	for line := range bytes.Lines(body) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 || string(data) == "[DONE]" {
			continue
		}
		if f, ok := rd.rows.ClassifyEmbedded(transport.Answer{Status: http.StatusOK, Body: data}, rd.key); ok {
			return reply{}, f
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return reply{}, unreadable(data, err)
		}
		r.add(&ch, c)
	}
	if ch.FinishReason == "" {
		return reply{}, ended(contracts.Truncated, "cut", "the stream broke off")
	}
	r.Choices = []choice{ch}
	return r, nil
}

func (r *reply) add(ch *choice, c chunk) {
	r.ID, r.Model = cmp.Or(r.ID, c.ID), cmp.Or(r.Model, c.Model)
	if word(r.System) == "" {
		r.System = c.System
	}
	if u := usage(c.Usage); u.Reported {
		r.Usage = c.Usage
	}
	if len(c.Choices) == 0 {
		return
	}
	ch.Message.Content += c.Choices[0].Delta.Content
	ch.Message.Refusal += c.Choices[0].Delta.Refusal
	for _, part := range c.Choices[0].Delta.ToolCalls {
		ch.Message.ToolCalls = joinCalls(ch.Message.ToolCalls, part)
	}
	ch.FinishReason = cmp.Or(c.Choices[0].FinishReason, ch.FinishReason)
}
