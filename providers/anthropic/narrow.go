package anthropic

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// narrow returns the schema in the form that the API compiles, every member in
// its own place, or a *providers.Unsupported.
func narrow(schema []byte) (jsontext.Value, error) {
	n := narrower{uses: map[string][]string{}}
	v := slices.Clone(jsontext.Value(schema))
	if v.Compact() != nil || v.Kind() != '{' {
		return nil, no("schema", "it is not a JSON Schema that is an object")
	}
	out, err := n.schema(v, "schema", "", 0)
	if err != nil {
		return nil, err
	}
	for def := range n.uses {
		if n.reaches(def, def, map[string]bool{}) {
			return nil, no("schema/$defs/"+def, "this API compiles no schema that holds itself")
		}
	}
	return out, nil
}

const maxDepth = 64

// narrower remembers which definition refers to which.
type narrower struct{ uses map[string][]string }

func (n *narrower) schema(v jsontext.Value, at, def string, depth int) (jsontext.Value, error) {
	switch {
	case depth > maxDepth:
		return nil, no("schema", fmt.Sprintf("it is nested deeper than %d levels", maxDepth))
	case v.Kind() != '{':
		return nil, no(at, "this API compiles schemas that are objects")
	}
	var out, bounds []member
	for _, m := range members(v) {
		here := at + "/" + m.name
		switch how(m.name, m.value) {
		case dropped:
			continue
		case refused:
			return nil, no(here, "this API does not compile it")
		case told:
			bounds = append(bounds, m)
			continue
		}
		value, err := n.value(m, here, def, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, member{m.name, value})
	}
	if err := checkClosed(out, at); err != nil {
		return nil, err
	}
	return object(tell(out, bounds)), nil
}

func (n *narrower) value(m member, at, def string, depth int) (jsontext.Value, error) {
	switch how(m.name, m.value) {
	case within:
		return n.schema(m.value, at, def, depth+1)
	case listed:
		return n.list(m.value, at, def, depth)
	case named:
		return n.byName(m, at, def, depth)
	}
	if m.name == "$ref" {
		var to string
		_ = json.Unmarshal(m.value, &to) // how has seen that it is a text
		n.uses[def] = append(n.uses[def], strings.TrimPrefix(to, "#/$defs/"))
	}
	return m.value, nil
}

func (n *narrower) byName(m member, at, def string, depth int) (jsontext.Value, error) {
	if m.value.Kind() != '{' {
		return nil, no(at, "it is no object")
	}
	var out []member
	for _, p := range members(m.value) {
		inside := def
		if m.name == "$defs" {
			inside = p.name
		}
		v, err := n.schema(p.value, at+"/"+p.name, inside, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, member{p.name, v})
	}
	return object(out), nil
}

func (n *narrower) list(v jsontext.Value, at, def string, depth int) (jsontext.Value, error) {
	var all []jsontext.Value
	if json.Unmarshal(v, &all) != nil {
		return nil, no(at, "it is no list of schemas")
	}
	for i := range all {
		one, err := n.schema(all[i], fmt.Sprintf("%s/%d", at, i), def, depth+1)
		if err != nil {
			return nil, err
		}
		all[i] = one
	}
	return json.Marshal(all)
}

func (n *narrower) reaches(from, to string, seen map[string]bool) bool {
	for _, next := range n.uses[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if n.reaches(next, to, seen) {
				return true
			}
		}
	}
	return false
}

// checkClosed wants what the API wants of every object.
func checkClosed(all []member, at string) error {
	object, closed := false, false
	for _, m := range all {
		object = object || m.name == "properties" || m.name == "type" && bytes.Contains(m.value, []byte(`"object"`))
		closed = closed || m.name == "additionalProperties"
	}
	if object && !closed {
		return no(at, `this API wants "additionalProperties": false in every object`)
	}
	return nil
}

// tell moves bounds into the description.
func tell(all, bounds []member) []member {
	if len(bounds) == 0 {
		return all
	}
	text := "It must also satisfy the JSON Schema " + string(object(bounds))
	at := slices.IndexFunc(all, func(m member) bool { return m.name == "description" })
	if at < 0 {
		return append(all, member{"description", quoted(text)})
	}
	var before string
	_ = json.Unmarshal(all[at].value, &before)
	all[at].value = quoted(strings.TrimSpace(before + "\n" + text))
	return all
}
