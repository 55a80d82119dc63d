package sim

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// chatTool is a function that the caller offers.
type chatTool struct {
	Function struct {
		Name       string         `json:"name"`
		Parameters jsontext.Value `json:"parameters"`
	} `json:"function"`
}

// said is an answer's calls: a name, and the arguments as an answer of their
// own, so that whatever spoils an answer spoils arguments too.
type said struct {
	name      string
	arguments *answer
}

// chatChoice is a tool choice: one of OpenAI's words, or the one function that
// has to be called.
type chatChoice struct{ word, name string }

func (t *chatChoice) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return json.Unmarshal(b, &t.word)
	}
	var named chatTool
	err := json.Unmarshal(b, &named)
	t.name = named.Function.Name
	return err
}

// mayCall says that a call is an answer: tools are offered and not ruled out, and
// the caller does not wait for words about the result of one.
func (r *chatRequest) mayCall() bool {
	return len(r.Tools) > 0 && r.ToolChoice.word != "none" && r.Messages[len(r.Messages)-1].Role != "tool"
}

// toolAnswer answers a request that offers tools: with the calls of the line's
// output {"calls": [{"name": …, "arguments": {…}}]}, in words where there are
// none, and without a line with one call of the first tool, its arguments made
// from its parameters.
func (c *call) toolAnswer(l *line) (*answer, error) {
	if l != nil && l.output.kind == '"' && c.req.ToolChoice.name == "" && c.req.ToolChoice.word != "required" {
		return textAnswer(l.output.text()), nil
	}
	if l == nil || l.output.get("calls") == nil || c.req.ToolChoice.name != "" {
		one, err := c.madeCall()
		if err != nil {
			return nil, err
		}
		return callsAnswer(one), nil
	}
	var calls []said
	for _, item := range l.output.get("calls").list() {
		name, arguments := item.get("name"), item.get("arguments")
		if name == nil || arguments == nil {
			return nil, errors.New("a call of the answer file lacks its name or its arguments")
		}
		calls = append(calls, said{name.text(), jsonAnswer(arguments)})
	}
	if len(calls) == 0 {
		return textAnswer("None of the tools can do that."), nil
	}
	return callsAnswer(calls...), nil
}

func callsAnswer(calls ...said) *answer {
	a := &answer{quoted: []byte("null"), calls: calls}
	for _, one := range calls {
		a.words += 1 + one.arguments.words
	}
	return a
}

// madeCall is a call of the tool that has to be called, or else of the first.
func (c *call) madeCall() (said, error) {
	first := c.req.Tools[0].Function
	for _, t := range c.req.Tools {
		if t.Function.Name == c.req.ToolChoice.name {
			first = t.Function
		}
	}
	f := c.s.formats.get(first.Parameters)
	if first.Parameters == nil {
		f = c.s.formats.get([]byte(`{"type":"object"}`))
	}
	arguments, err := f.answer(nil)
	return said{first.Name, arguments}, err
}

// spoilCalls does to the first call's arguments what the act does to an answer.
// A wrong answer where no tool serves is a call that nobody wanted.
func (c *call) spoilCalls(act string, a *answer) (*answer, error) {
	if len(a.calls) == 0 {
		if act != "wrong_answer" {
			return spoil(act, a, nil)
		}
		one, err := c.madeCall()
		return callsAnswer(one), err
	}
	first := a.calls[0]
	var root *node
	for _, t := range c.req.Tools {
		if t.Function.Name == first.name && t.Function.Parameters != nil {
			root = c.s.formats.get(t.Function.Parameters).root
		}
	}
	bad, err := spoil(act, first.arguments, root)
	if err != nil {
		return nil, err
	}
	return callsAnswer(append([]said{{first.name, bad}}, a.calls[1:]...)...), nil
}

// appendCalls writes the member tool_calls of a message.
func appendCalls(b []byte, ref []byte, calls []said) []byte {
	b = append(b, `,"tool_calls":[`...)
	for i, one := range calls {
		b = append(append(comma(b, i), `{"id":"call_`...), ref...)
		b = append(b, '_', byte('a'+i%26))
		b = append(append(b, `","type":"function","function":{"name":`...), quote(one.name)...)
		b = append(append(b, `,"arguments":`...), one.arguments.quoted...)
		b = append(b, "}}"...)
	}
	return append(b, ']')
}
