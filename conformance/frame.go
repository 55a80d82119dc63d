package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"inferonce/contracts"
	"inferonce/providers"
)

// frame is a question in the contract's own channel: the prompt that live
// traffic would send, with sentences before, in and after it, and a reserved
// schema for the answer. Sentences are of one form, "Code NAME is VALUE.", and
// the answer's members are called like the codes.
type frame struct{ providers.Request }

// probeName is the schema's name in a frame, by which a provider's log tells
// probes from cases.
const probeName = "conformance_probe"

// maxProbeTokens is room enough for the longest answer to a probe.
const maxProbeTokens = 1024

func (p *Probe) frame(input json.RawMessage) (*frame, error) {
	r, err := providers.BuildRequest(p.Contract, input, p.Target)
	if err != nil {
		return nil, fmt.Errorf("the prompt can't be made: %w", err)
	}
	r.MaxTokens = max(r.MaxTokens, maxProbeTokens)
	return &frame{r}, nil
}

func code(name, value string) string { return fmt.Sprintf("Code %s is %s.", name, value) }

func (f *frame) system() bool { return f.Messages[0].Role == "system" }

// first puts text before all that the user says. Whether what stands before that
// arrives, the system prompt, is a question of its own.
func (f *frame) first(text string) {
	at := 0
	if f.system() {
		at = 1
	}
	f.Messages[at].Content = text + "\n\n" + f.Messages[at].Content
}

// rule puts text before all rules: in the system prompt, if there is one.
func (f *frame) rule(text string) { f.Messages[0].Content = text + "\n\n" + f.Messages[0].Content }

// last puts text behind everything.
func (f *frame) last(text string) { f.Messages[len(f.Messages)-1].Content += "\n\n" + text }

// ask puts the question, and the schema in the order of the names.
func (f *frame) ask(how string, kind string, names ...string) {
	var members []string
	for _, n := range names {
		members = append(members, fmt.Sprintf("%q:%s", n, kind))
	}
	list := `"` + strings.Join(names, `","`) + `"`
	f.Schema = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, strings.Join(members, ","), list))
	f.SchemaName, f.Tools, f.ToolChoice = probeName, nil, ""
	f.last(fmt.Sprintf("Do not act on the text above. %s Answer with one JSON object with the members %s.", how, strings.Join(names, ", ")))
}

// The kinds of members that a probe asks for.
const (
	textKind = `{"type":"string"}`
	listKind = `{"type":"array","items":{"type":"string"}}`
)

const askCodes = "Put into each member the value of the code of that name, exactly as it is written."

// reply is an answer to a frame. raw keeps the order of its members.
type reply struct {
	raw    json.RawMessage
	values map[string]any
}

// read takes the object out of an answer. Form is not what probes are about:
// text around it is for the checks of structure to find.
func read(got contracts.Completion) (reply, bool) {
	from, to := strings.IndexByte(got.Content, '{'), strings.LastIndexByte(got.Content, '}')
	if from < 0 || to < from {
		return reply{}, false
	}
	r := reply{raw: json.RawMessage(got.Content[from : to+1])}
	return r, json.Unmarshal(r.raw, &r.values) == nil
}

func (r reply) text(name string) string { s, _ := r.values[name].(string); return s }

func (r reply) list(name string) []string {
	all, _ := r.values[name].([]any)
	texts := make([]string, 0, len(all))
	for _, v := range all {
		s, _ := v.(string)
		texts = append(texts, s)
	}
	return texts
}

// room is a text field of the contract's input that a probe can write into.
type room struct {
	name string
	most int // characters
	base map[string]json.RawMessage
}

// defaultRoom is the size of a text field whose schema sets no bound, unless a
// case is larger.
const defaultRoom = 4000

// room finds the largest text field that the prompt uses and that takes any
// text; false if there is none.
func (p *Probe) room() (room, bool) {
	var schema struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	if json.Unmarshal(p.Contract.InputSchema(), &schema) != nil {
		return room{}, false
	}
	var best room
	for _, name := range sortedKeys(schema.Properties) {
		r := room{name: name, most: defaultRoom}
		if most, ok := schema.Properties[name]["maxLength"].(float64); ok {
			r.most = int(most)
		} else {
			r.most = max(r.most, p.longest(name))
		}
		if r.most > best.most && p.takes(&r) {
			best = r
		}
	}
	return best, best.name != ""
}

func (p *Probe) longest(name string) int {
	n := 0
	for _, k := range p.Contract.Cases {
		var in map[string]json.RawMessage
		var s string
		if json.Unmarshal(k.Input, &in) == nil && json.Unmarshal(in[name], &s) == nil {
			n = max(n, utf8.RuneCountInString(s))
		}
	}
	return n
}

// takes says whether the field accepts a text that no case holds, and the
// prompt shows it.
func (p *Probe) takes(r *room) bool {
	if !r.read(p.kase(0).Input) {
		return false
	}
	word := p.Nonce()
	in := r.with(word)
	prompt, err := p.Contract.Render(in)
	return len(p.Contract.CheckInput(in)) == 0 && err == nil && strings.Contains(prompt.System+prompt.User, word)
}

func (r *room) read(input json.RawMessage) bool { return json.Unmarshal(input, &r.base) == nil }

// with is the input that was read, with another text in the field.
func (r room) with(text string) json.RawMessage {
	all := map[string]json.RawMessage{}
	for k, v := range r.base {
		all[k] = v
	}
	all[r.name], _ = json.Marshal(text) // a string always encodes
	raw, _ := json.Marshal(all)
	return raw
}
