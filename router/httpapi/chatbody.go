package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"inferonce/contracts"
)

// chatAsk is a chat request taken apart: what a contract judges, and what only
// the record keeps.
type chatAsk struct {
	model string
	input json.RawMessage
	kept  members // user and metadata: in the record, sent to no provider
}

// carried are the parameters that make up a chat contract's input.
var carried = []string{"messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "temperature", "top_p",
	"max_tokens", "max_completion_tokens", "stop", "seed"}

// idle are parameters that may be sent with the values that say nothing, as
// clients do that send their defaults; and what to do about another value.
var idle = map[string]struct {
	values []string
	advice string
}{
	"stream":             {[]string{"false"}, "streaming is not offered yet; send stream:false"},
	"stream_options":     {nil, "streaming is not offered yet; leave it out"},
	"n":                  {[]string{"1"}, "a job has one answer; send n:1, and one request with its own key for each further answer"},
	"logprobs":           {[]string{"false"}, "no log probabilities are kept; send logprobs:false"},
	"top_logprobs":       {[]string{"0"}, "no log probabilities are kept; leave it out"},
	"logit_bias":         {[]string{"{}"}, "it means another thing at each model; leave it out"},
	"frequency_penalty":  {[]string{"0"}, "not all targets of a route have it; leave it out"},
	"presence_penalty":   {[]string{"0"}, "not all targets of a route have it; leave it out"},
	"modalities":         {[]string{`["text"]`}, `answers are text; send ["text"]`},
	"audio":              {nil, "answers are text; leave it out"},
	"store":              {[]string{"false"}, "the router keeps the job; send store:false"},
	"functions":          {nil, "use tools"},
	"function_call":      {nil, "use tool_choice"},
	"reasoning_effort":   {nil, "set it for the target's model in the router's configuration; leave it out"},
	"service_tier":       {[]string{`"auto"`, `"default"`}, "set it for the target in the router's configuration; leave it out"},
	"prediction":         {nil, "not all targets of a route have it; leave it out"},
	"web_search_options": {nil, "a search is an effect that no chat contract declares; leave it out"},
}

// readChatBody reads a body that Canonical has accepted. A null is a parameter
// that was left out, as in OpenAI's API.
func readChatBody(raw []byte) (chatAsk, error) {
	var m members
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		return chatAsk{}, bodyProblem(reasonNotObject, "", "the body must be a JSON object")
	}
	ask := chatAsk{kept: members{}}
	var input []string
	for _, name := range sortedNames(m) {
		value := compact(m[name])
		switch {
		case string(value) == "null" || name == "model":
		case name == "user" || name == "metadata":
			ask.kept[name] = value
		case slices.Contains(carried, name):
			input = append(input, string(value), name)
		default:
			if err := refuseParameter(name, value); err != nil {
				return ask, err
			}
		}
	}
	ask.input = joined(input)
	return ask, ask.check(m)
}

func (ask *chatAsk) check(m members) (err error) {
	if err = m.require("model"); err != nil {
		return err
	}
	if ask.model, err = m.text("model", maxName); err != nil {
		return err
	}
	if _, err = ask.kept.text("user", maxMetadataValue); err != nil {
		return err
	}
	return checkMetadata(ask.kept["metadata"])
}

// intent is what the record keeps: the contract, its input, and what was said
// beside it.
func (ask *chatAsk) intent(contract string) []byte {
	name, _ := json.Marshal(contract) // a string always encodes
	parts := []string{string(name), "contract", string(ask.input), "input"}
	for _, n := range sortedNames(ask.kept) {
		parts = append(parts, string(ask.kept[n]), n)
	}
	return joined(parts)
}

// joined makes an object of values, each followed by its name.
func joined(parts []string) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i < len(parts); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", parts[i+1], parts[i])
	}
	b.WriteByte('}')
	return b.Bytes()
}

func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // it has been read
	return b.Bytes()
}

// refuseParameter refuses what the router can't carry, by name and with what to
// do: a parameter that is dropped in silence is an answer to another question.
func refuseParameter(name string, value json.RawMessage) error {
	known, ok := idle[name]
	detail := fmt.Sprintf("%s is not supported: %s", clip(name), known.advice)
	if !ok {
		detail = fmt.Sprintf("%s is not supported: leave it out; this call takes model, %s, user and metadata", clip(name), strings.Join(carried, ", "))
	} else if plain, err := contracts.Canonical(value); err == nil && slices.Contains(known.values, string(plain)) {
		return nil
	}
	p := newProblem(codeParameter, detail)
	at := pointer(name)
	p.Pointer = &at
	return p
}
