package sim

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
)

// probeSchema is the name of the schema by which conformance asks what arrived of
// a prompt. The simulated models can read: to such a question they repeat from
// their prompt what it asks for, and know nothing else.
const probeSchema = "conformance_probe"

// asksWhatArrived says that the request is such a question.
func (r *chatRequest) asksWhatArrived() bool {
	return r.ResponseFormat.Type == "json_schema" && r.ResponseFormat.JSONSchema.Name == probeSchema
}

// echo answers it: an object with the members of the schema, in their order.
func (c *call) echo(f *format) (*answer, error) {
	if f.err != nil || f.root.get("properties") == nil {
		return f.made, f.err
	}
	prompt := c.req.prompt()
	var b strings.Builder
	for i, name := range f.root.get("properties").names {
		value, err := json.Marshal(c.req.known(name, prompt))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s%s:%s", []string{"{", ","}[min(i, 1)], quote(name), value)
	}
	v, err := parseNode([]byte(b.String() + "}"))
	if err != nil {
		return nil, err
	}
	return jsonAnswer(v), nil
}

// prompt is all that the turns say.
func (r *chatRequest) prompt() string {
	var all []string
	for _, m := range r.Messages {
		all = append(all, string(m.Content))
	}
	return strings.Join(all, "\n")
}

// known is what the prompt says of a name: all values of the code "entry", the
// texts between marks, or a code's one value. The last rule counts, and without
// one the first value.
func (r *chatRequest) known(name, prompt string) any {
	switch name {
	case "entries":
		return codes("entry", prompt)
	case "texts":
		return markedTexts(prompt)
	}
	var rules []string
	for _, m := range r.Messages {
		if m.Role == "system" {
			rules = append(rules, codes(name, string(m.Content))...)
		}
	}
	if n := len(rules); n > 0 {
		return rules[n-1]
	}
	if all := codes(name, prompt); len(all) > 0 {
		return all[0]
	}
	return "unknown"
}

var (
	codeSentence = regexp.MustCompile(`Code (\w+) is ([A-Z2-7]+)\.`)
	markSentence = regexp.MustCompile(`Between ([A-Z2-7]+)-(?:N|1)>`)
)

// codes are the values that sentences like "Code NAME is VALUE." give to a name.
func codes(name, text string) []string {
	all := []string{}
	for _, found := range codeSentence.FindAllStringSubmatch(text, -1) {
		if found[1] == name {
			all = append(all, found[2])
		}
	}
	return all
}

// markedTexts are those between MARK-1> and <MARK-1, MARK-2> and <MARK-2, and so on.
func markedTexts(prompt string) []string {
	all := []string{}
	mark := markSentence.FindStringSubmatch(prompt)
	for n := 1; mark != nil; n++ {
		_, rest, opened := strings.Cut(prompt, fmt.Sprintf("%s-%d>", mark[1], n))
		text, _, closed := strings.Cut(rest, fmt.Sprintf("<%s-%d", mark[1], n))
		if !opened || !closed {
			break
		}
		all = append(all, text)
	}
	return all
}
