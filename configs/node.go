package configs

import (
	"fmt"
	"iter"

	"github.com/goccy/go-yaml/ast"
)

// pairs returns the entries of a mapping; false for any other node.
func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// named yields the entries that have a proper name of their own, reports the
// others, and notes where each name stands. Of two entries of one name the
// first counts.
func (d *decoder) named(ps []*ast.MappingValueNode, path string) iter.Seq2[string, *ast.MappingValueNode] {
	return func(yield func(string, *ast.MappingValueNode) bool) {
		seen := map[string]int{}
		for _, p := range ps {
			key, ok := p.Key.(*ast.StringNode)
			at := tokenPlace(p.Key.GetToken())
			if !ok {
				d.report(at, path, "expected a name before the colon", "write it as plain text; put quotes round a number")
				continue
			}
			if line, twice := seen[key.Value]; twice {
				d.report(at, child(path, key.Value), fmt.Sprintf("given twice, first on line %d", line), "keep one of the two")
				continue
			}
			seen[key.Value] = at.line
			d.names[child(path, key.Value)] = at
			if !yield(key.Value, p) {
				return
			}
		}
	}
}

// startOf is where a node begins; the parser puts a block mapping at its first colon.
func startOf(n ast.Node) place {
	if ps, ok := pairs(n); ok && len(ps) > 0 {
		return tokenPlace(ps[0].Key.GetToken())
	}
	return tokenPlace(n.GetToken())
}

// describe names the type of a node for a message.
func describe(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "settings"
	case *ast.AnchorNode:
		return "an anchor"
	case *ast.AliasNode:
		return "an alias"
	case *ast.TagNode:
		return "a type tag"
	}
	return "something else"
}
