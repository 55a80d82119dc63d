package contracts

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

type yamlReader struct {
	file   string
	lines  []string
	faults []error
}

func (y *yamlReader) fault(n *node, message, fix string) *node {
	y.faults = append(y.faults, &Finding{ID: FileFault, File: y.file, Line: n.line, Column: n.column, Message: message, Fix: fix})
	n.kind, n.text = kindFaulty, "null"
	return n
}

func (y *yamlReader) node(v ast.Node, depth int) *node {
	n := y.place(v)
	if depth > MaxDepth {
		return y.fault(n, fmt.Sprintf("nests deeper than %d levels", MaxDepth), "flatten it")
	}
	switch v := v.(type) {
	case *ast.NullNode:
		n.kind, n.text = kindNull, "null"
	case *ast.BoolNode:
		n.kind, n.text = kindBool, fmt.Sprint(v.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		return y.number(n, v)
	case *ast.StringNode:
		n.kind, n.text = kindString, v.Value
	case *ast.LiteralNode:
		n.kind, n.text = kindString, v.Value.Value
		n.block = y.block(v)
	case *ast.SequenceNode:
		n.kind = kindList
		for _, item := range v.Values {
			n.items = append(n.items, y.node(item, depth+1))
		}
	case *ast.MappingNode:
		return y.mapping(n, v, depth)
	case *ast.InfinityNode, *ast.NanNode:
		return y.fault(n, "is not a number that JSON has", "write a finite number")
	default:
		return y.fault(n, "uses an anchor, alias, merge key or tag", "write the value out")
	}
	return n
}

// place takes a mapping's place from its first key, since its own token is a colon.
func (y *yamlReader) place(v ast.Node) *node {
	if m, ok := v.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		v = m.Values[0].Key
	}
	n := &node{file: y.file}
	if t := v.GetToken(); t != nil && t.Position != nil {
		n.line, n.column = t.Position.Line, t.Position.Column
	}
	return n
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// number keeps the literal as written; YAML's octal, hexadecimal and 1_000
// mean other things to other readers.
func (y *yamlReader) number(n *node, v ast.Node) *node {
	n.kind, n.text = kindNumber, v.GetToken().Value
	if !jsonNumber.MatchString(n.text) {
		return y.fault(n, "is a number in a form that JSON does not have", "write it in decimal, or quote it if it is text")
	}
	if reason, message := boundedNumber(n.text); reason != "" {
		return y.fault(n, message, "write a shorter number, or quote it")
	}
	return n
}

func (y *yamlReader) mapping(n *node, m *ast.MappingNode, depth int) *node {
	n.kind = kindMap
	for _, pair := range m.Values {
		key := y.place(pair.Key)
		name, ok := keyName(pair.Key)
		switch {
		case !ok:
			y.fault(key, "is not a plain name", "write the name, quoted if it is a YAML word")
		case n.field(name) != nil:
			y.fault(key, fmt.Sprintf("%q stands here twice", name), "keep one of them")
		default:
			n.fields = append(n.fields, field{name, key, y.node(pair.Value, depth+1)})
		}
	}
	return n
}

func keyName(key ast.MapKeyNode) (string, bool) {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode:
		return k.GetToken().Value, true
	}
	return "", false
}

// block finds where the text of a literal block stands. A folded block (>)
// joins lines, so its places would be wrong.
func (y *yamlReader) block(v *ast.LiteralNode) *block {
	if !strings.HasPrefix(v.Start.Value, "|") || v.Start.Position == nil {
		return nil
	}
	b := &block{line: v.Start.Position.Line + 1}
	for _, line := range y.lines[min(b.line-1, len(y.lines)):] {
		if text := strings.TrimLeft(line, " "); strings.TrimSpace(text) != "" {
			b.indent = len(line) - len(text)
			break
		}
	}
	return b
}
