package sim

import "slices"

// walker goes through a value and its schema side by side, in the value's
// order, until change has changed something.
type walker struct {
	root   *node
	change func(schema, n *node) bool
}

// visit reports whether something was changed. With whole, a value is offered
// before its parts, and under the branch of a choice that holds it; otherwise
// after its parts, and a choice is not entered: what one branch forbids another
// may allow.
func (w walker) visit(schema, n *node, whole bool) bool {
	schema = w.choose(schema, n, whole)
	if whole && w.change(schema, n) {
		return true
	}
	for i, item := range n.items {
		part := schema.get("items")
		if n.kind == '{' {
			part = schema.get("properties").get(n.names[i])
		}
		if part != nil && w.visit(part, item, whole) {
			return true
		}
	}
	return !whole && w.change(schema, n)
}

// choose follows references, and with branches takes the first that may hold n.
func (w walker) choose(schema, n *node, branches bool) *node {
	for range maxRefs {
		if t := target(w.root, schema); t != nil {
			schema = t
			continue
		}
		b := w.branch(schema, n)
		if b == nil || !branches {
			break
		}
		schema = b
	}
	return schema
}

func (w walker) branch(schema, n *node) *node {
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		for _, b := range schema.get(k).list() {
			if !forbids(w.root, b, n, 0) {
				return b
			}
		}
	}
	return nil
}

// maxRefs bounds how far references are followed, maxBranches how far into
// alternatives of alternatives.
const (
	maxRefs     = 64
	maxBranches = 12
)

func target(root, schema *node) *node {
	if r := schema.get("$ref"); r != nil {
		return resolve(root, r.text())
	}
	return nil
}

// forbids reports whether the schema surely forbids n. Where it answers false,
// n may still break a keyword that is not looked at here.
func forbids(root, schema, n *node, depth int) bool {
	if schema == nil || schema.kind == 't' || depth > maxBranches {
		return false
	}
	if schema.kind == 'f' {
		return true
	}
	if t := target(root, schema); t != nil {
		return forbids(root, t, n, depth+1)
	}
	if forbidsKind(schema, n) || forbidsValue(schema, n) {
		return true
	}
	refuses := func(b *node) bool { return forbids(root, b, n, depth+1) }
	accepts := func(b *node) bool { return !refuses(b) }
	for _, k := range []string{"anyOf", "oneOf"} {
		if l := schema.get(k).list(); len(l) > 0 && !slices.ContainsFunc(l, accepts) {
			return true
		}
	}
	return slices.ContainsFunc(schema.get("allOf").list(), refuses)
}

func forbidsValue(schema, n *node) bool {
	same := func(e *node) bool { return e.String() == n.String() }
	if c := schema.get("const"); c != nil && !same(c) {
		return true
	}
	if e := schema.get("enum").list(); len(e) > 0 && !slices.ContainsFunc(e, same) {
		return true
	}
	if n.kind != '{' {
		return false
	}
	return slices.ContainsFunc(schema.get("required").list(), func(r *node) bool { return n.get(r.text()) == nil })
}

func forbidsKind(schema, n *node) bool {
	t := schema.get("type")
	if t == nil {
		return false
	}
	types := t.list()
	if types == nil {
		types = []*node{t}
	}
	return !slices.ContainsFunc(types, func(t *node) bool { return n.is(t.text()) })
}

// is reports whether n has the JSON Schema type; 12.5 is the only fraction asked about.
func (n *node) is(typ string) bool {
	switch typ {
	case "object":
		return n.kind == '{'
	case "array":
		return n.kind == '['
	case "string":
		return n.kind == '"'
	case "number":
		return n.kind == '0'
	case "integer":
		return n.kind == '0' && n.raw != "12.5"
	case "boolean":
		return n.kind == 't' || n.kind == 'f'
	case "null":
		return n.kind == 'n'
	}
	return true
}
