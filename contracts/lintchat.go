package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// answers says that an output keeps what a chat request asks of its answer.
func (c *Contract) answers(output, input json.RawMessage) bool {
	v, err := decodeJSON(output)
	return err == nil && c.checkAnswer(v, input) == nil
}

// caseChat holds the answer that a case calls right against the case's own
// request: one that the request refuses can never come. A case that knows only a
// part of the answer, or knows it by assertions, is not judged here.
func (l *linter) caseChat(k Case) {
	q, broken := l.c.ReadChat(k.Input)
	if len(broken) > 0 {
		return // caseInput has reported it
	}
	for _, call := range k.Calls {
		t := q.tool(call.Name)
		if t == nil {
			l.find(k.place, LintCases, fmt.Sprintf("case %q expects a call of %q, which its request does not offer", k.ID, call.Name), "correct the name, or offer the tool")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(call.Arguments)) {
			for _, value := range call.Arguments[name] {
				l.argumentFits(k, t, name, value)
			}
		}
	}
	if len(k.Calls) > 0 && len(k.Expected)+len(k.Accepted) > 0 {
		l.find(k.place, LintCases, fmt.Sprintf("case %q expects both calls and content", k.ID), "keep one of them")
	}
}

// mutateChat makes the mistakes that models make of the right answer: an empty
// one, a member that nobody asked for, a wrong content, and another case's answer.
func mutateChat(golden []map[string]any, i int) []mutant {
	right := golden[i]
	all := []mutant{
		{"add", "an undeclared member", with(right, "unexpected_member", "x")},
		{"drop", "nothing said", map[string]any{}},
	}
	switch content := right["content"].(type) {
	case string:
		all = append(all, mutant{"off", "content with a letter more", with(right, "content", content+"x")})
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(content)) {
			dropped := maps.Clone(content)
			delete(dropped, field)
			all = append(all, mutant{"drop", field + " missing", with(right, "content", dropped)})
			if content[field] != nil {
				all = append(all, mutant{"null", field + " null", with(right, "content", with(content, field, nil))})
			}
		}
	}
	return append(all, neighbours(golden, i)...)
}
