package openaicompat

import (
	"crypto/sha256"
	"math/big"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// toWire says r in the words of a profile, which must take it. The schema goes
// out in its own property order: the order in which a model fills in properties
// is part of what the contract's author chose.
func (p Profile) toWire(r providers.Request) wire {
	w := wire{Model: r.Model, Temperature: r.Temperature, TopP: r.TopP, Stop: r.Stop, ParallelTools: r.ParallelTools}
	for _, m := range r.Messages {
		w.Messages = append(w.Messages, p.message(m))
	}
	if p.tokenCap(r.Model) == capNew {
		w.CapNew = r.MaxTokens
	} else {
		w.CapOld = r.MaxTokens
	}
	if p.Seed == "random_seed" {
		w.RandomSeed = r.Seed
	} else {
		w.Seed = r.Seed
	}
	p.askForSchema(&w, r)
	addTools(&w, r)
	return w
}

func (p Profile) message(m providers.Message) wireMessage {
	w := wireMessage{Role: m.Role, Content: m.Content, ToolCallID: p.toolID(m.ToolCallID)}
	for _, c := range m.ToolCalls {
		w.ToolCalls = append(w.ToolCalls, p.call(c))
	}
	switch {
	case len(m.Parts) > 0:
		w.Content = parts(m.Parts)
	case m.Content == "" && len(m.ToolCalls) > 0:
		w.Content = nil
	}
	return w
}

func parts(all []providers.Part) []wirePart {
	out := make([]wirePart, len(all))
	for i, p := range all {
		if p.Image == nil {
			out[i] = wirePart{Type: "text", Text: &p.Text}
			continue
		}
		url := p.Image.URL
		if url == "" {
			url = "data:" + p.Image.MediaType + ";base64," + p.Image.Data
		}
		out[i] = wirePart{Type: "image_url", Image: &wireImage{URL: url, Detail: p.Image.Detail}}
	}
	return out
}

// call renders a call of an earlier turn. Arguments are a string that holds
// JSON; a model that passed none may have left it empty, which servers that read
// it would refuse.
func (p Profile) call(c contracts.ToolCall) wireCall {
	w := wireCall{ID: p.toolID(c.ID), Type: "function"}
	w.Function.Name, w.Function.Arguments = c.Name, c.Arguments
	if c.Arguments == "" {
		w.Function.Arguments = "{}"
	}
	return w
}

const nineRunes = 9

// toolID gives an id the form that the profile asks for. The same id has the
// same form in every turn and every call, so that a result finds its call
// again. What the provider made itself already fits and stays.
func (p Profile) toolID(id string) string {
	if p.ToolIDs != idsNine || id == "" || len(id) == nineRunes && strings.Trim(id, alphanumeric) == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	return text[len(text)-nineRunes:]
}

const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func (p Profile) askForSchema(w *wire, r providers.Request) {
	switch {
	case r.Schema == nil && r.JSONObject:
		w.Format = &wireFormat{Type: "json_object"}
	case r.Schema == nil:
	case p.Schemas == schemaFormat:
		w.Format = &wireFormat{Type: "json_schema", Schema: &wireSchema{Name: schemaName(r.SchemaName), Schema: r.Schema, Strict: !r.SchemaLoose}}
	default:
		w.Format = &wireFormat{Type: "json_object"}
		say := "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n" + string(r.Schema)
		if len(r.Messages) > 0 && r.Messages[0].Role == "system" {
			w.Messages[0].Content = r.Messages[0].Content + "\n\n" + say
			return
		}
		w.Messages = append([]wireMessage{{Role: "system", Content: say}}, w.Messages...)
	}
}

// addTools offers the tools. strict is left out: it wants every property
// required (platform.openai.com/docs/guides/function-calling, strict mode), and
// a tool may have optional ones. What it would enforce is checked here anyway.
func addTools(w *wire, r providers.Request) {
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, wireTool{Type: "function",
			Function: wireFunction{Name: t.Name, Description: t.Description, Parameters: t.Parameters}})
	}
	switch {
	case len(r.Tools) == 0 || r.ToolChoice == "":
	case r.ToolChoice == providers.ToolNamed:
		w.ToolChoice = wireChoice{Type: "function", Function: wireName{r.ToolName}}
	default:
		w.ToolChoice = r.ToolChoice
	}
}

// schemaName keeps to what OpenAI takes as a name: letters, digits, "_" and
// "-", at most 64 of them.
func schemaName(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(alphanumeric+"_-", r) {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "answer"
	}
	return s[:min(len(s), 64)]
}
