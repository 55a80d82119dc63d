package contracts

import (
	"encoding/json"
	"fmt"
)

// cases reads a list of cases into values.
func (r *reader) cases(n *node, lang languages) []Case {
	if !r.is(n, "cases", kindList) {
		return nil
	}
	var all []Case
	seen := map[string]bool{}
	for _, item := range n.items {
		if !r.is(item, "a case", kindMap) {
			continue
		}
		k := r.oneCase(item, lang)
		if seen[k.ID] {
			r.fault(item, LintCases, fmt.Sprintf("the case id %q stands here twice", k.ID), "give each case its own id")
		}
		seen[k.ID] = true
		all = append(all, k)
	}
	return all
}

func (r *reader) oneCase(n *node, lang languages) Case {
	r.known(n, "a case", "id", "input", "expected", "accepted", "calls", "assertions", "critical", "tags")
	k := Case{place: n, Expected: map[string]json.RawMessage{}, Accepted: map[string][]json.RawMessage{}}
	k.ID = r.text(r.need(n, "a case", "id"), "id")
	if input := r.need(n, "a case", "input"); input != nil {
		k.Input = input.json()
	}
	if e := n.field("expected"); r.is(e, "expected", kindMap) {
		for _, f := range e.fields {
			k.Expected[f.name] = f.value.json()
		}
	}
	if a := n.field("accepted"); r.is(a, "accepted", kindMap) {
		for _, f := range a.fields {
			k.Accepted[f.name] = r.acceptedSet(f)
		}
	}
	k.Calls = r.calls(n.field("calls"))
	k.Assertions = r.assertions(n.field("assertions"), lang.cases)
	k.Critical = r.boolean(n.field("critical"), "critical")
	k.Tags = r.texts(n.field("tags"), "tags")
	return k
}

func (r *reader) acceptedSet(f field) []json.RawMessage {
	var set []json.RawMessage
	if !r.is(f.value, "accepted."+f.name, kindList) {
		return nil
	}
	for _, item := range f.value.items {
		set = append(set, item.json())
	}
	if len(set) == 0 {
		r.fault(f.value, LintCases, "accepts nothing", "list the right values")
	}
	return set
}

// calls reads the calls that a case wants; nil where there is no such field.
func (r *reader) calls(n *node) []ExpectedCall {
	if !r.is(n, "calls", kindList) {
		return nil
	}
	all := []ExpectedCall{}
	for _, item := range n.items {
		if !r.is(item, "a call", kindMap) {
			continue
		}
		r.known(item, "a call", "name", "arguments", "optional")
		e := ExpectedCall{Name: r.text(r.need(item, "a call", "name"), "name"), Arguments: map[string][]json.RawMessage{},
			Optional: r.texts(item.field("optional"), "optional")}
		if a := item.field("arguments"); r.is(a, "arguments", kindMap) {
			for _, f := range a.fields {
				e.Arguments[f.name] = r.acceptedSet(f)
			}
		}
		all = append(all, e)
	}
	return all
}
