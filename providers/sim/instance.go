package sim

import (
	"errors"
	"fmt"
	"slices"
)

// errRecursive stops an instance that would contain itself.
var errRecursive = errors.New("the schema has no finite instance")

// maxInstance bounds an instance, in bytes: references can multiply. So can
// alternatives that fail, and each is counted as costOfFailure bytes.
const (
	maxInstance   = 1 << 20
	costOfFailure = 100
)

// beyond are keywords for which no instance is made. A schema that uses one can
// state an instance itself, as its first example.
var beyond = []string{"not", "if", "pattern", "contains", "propertyNames", "minProperties",
	"maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "$dynamicRef"}

// generator makes an instance of a schema, the same each time: first
// alternative, smallest length, zero or the nearest bound, all declared
// properties in the schema's order. Keywords beside a reference or a choice are
// not looked at, nor is what a choice's other branches say.
type generator struct {
	root *node
	open map[string]bool // references being followed
	left int
}

func (g *generator) value(s *node) (*node, error) {
	switch {
	case g.left < 0:
		return nil, fmt.Errorf("an instance of the schema is larger than %d bytes", maxInstance)
	case s.kind == 'f':
		return nil, errors.New("the schema false has no instance")
	case s.kind == 't':
		return g.spend(stringNode("text")), nil
	case s.kind != '{':
		return nil, errors.New("a schema is an object or a boolean")
	case len(s.get("examples").list()) > 0:
		return g.spend(s.get("examples").items[0].clone()), nil
	}
	for _, k := range beyond {
		if s.get(k) != nil {
			return nil, fmt.Errorf("no instance is made for %q: give that schema examples, or an answer file", k)
		}
	}
	return g.stated(s)
}

// stated follows what names the value or another schema before the type does.
func (g *generator) stated(s *node) (*node, error) {
	if c := s.get("const"); c != nil {
		return g.spend(c.clone()), nil
	}
	if e := s.get("enum").list(); len(e) > 0 {
		return g.spend(e[0].clone()), nil
	}
	if r := s.get("$ref"); r != nil {
		return g.reference(r.text())
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if branches := s.get(k).list(); len(branches) > 0 {
			return g.first(branches)
		}
	}
	if all := s.get("allOf").list(); len(all) > 0 {
		if len(all) == 1 && s.get("properties") == nil {
			return g.value(all[0])
		}
		return nil, errors.New("no instance is made for allOf: give that schema examples, or an answer file")
	}
	v, err := g.typed(s)
	if err != nil {
		return nil, err
	}
	return g.spend(v), nil
}

// spend takes the size of v, which may count its parts a second time, from
// what is left.
func (g *generator) spend(v *node) *node {
	g.left -= v.size()
	return v
}

func (g *generator) reference(ref string) (*node, error) {
	target := resolve(g.root, ref)
	if target == nil {
		return nil, fmt.Errorf("$ref %q names nothing in this schema; only references such as #/$defs/x are followed", ref)
	}
	if g.open[ref] {
		return nil, errRecursive
	}
	g.open[ref] = true
	defer delete(g.open, ref)
	return g.value(target)
}

// first returns an instance of the first branch that has one.
func (g *generator) first(branches []*node) (v *node, err error) {
	for _, b := range branches {
		if v, err = g.value(b); err == nil {
			return v, nil
		}
		g.left -= costOfFailure
	}
	return nil, err
}

func (g *generator) typed(s *node) (*node, error) {
	switch typeOf(s) {
	case "object":
		return g.object(s)
	case "array":
		return g.array(s)
	case "string":
		return text(s)
	case "integer":
		return number(s, true)
	case "number":
		return number(s, false)
	case "boolean":
		return literal("false"), nil
	case "null":
		return literal("null"), nil
	}
	return nil, fmt.Errorf("type %q is unknown", typeOf(s))
}

// typeOf is the schema's first type, or the one that its keywords speak of.
func typeOf(s *node) string {
	t := s.get("type")
	if l := t.list(); len(l) > 0 {
		t = l[0]
	}
	if t != nil {
		return t.text()
	}
	for _, k := range []struct{ keyword, typ string }{
		{"properties", "object"}, {"required", "object"}, {"items", "array"}, {"minItems", "array"},
		{"minimum", "number"}, {"maximum", "number"},
	} {
		if s.get(k.keyword) != nil {
			return k.typ
		}
	}
	return "string"
}

// object holds every declared property, but for optional ones without an
// instance, and then what is required beyond them.
func (g *generator) object(s *node) (*node, error) {
	obj := &node{kind: '{'}
	var required []string
	for _, r := range s.get("required").list() {
		required = append(required, r.text())
	}
	if props := s.get("properties"); props != nil {
		for i, name := range props.names {
			v, err := g.value(props.items[i])
			if err != nil && slices.Contains(required, name) {
				return nil, err
			}
			if err == nil {
				obj.set(name, v)
			}
		}
	}
	for _, name := range required {
		if obj.get(name) == nil {
			v, err := g.value(cmpOr(s.get("additionalProperties"), literal("true")))
			if err != nil {
				return nil, err
			}
			obj.set(name, v)
		}
	}
	return obj, nil
}

func cmpOr(a, b *node) *node {
	if a != nil {
		return a
	}
	return b
}
