package sim

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a JSON value that keeps the order of an object's members.
type node struct {
	kind  jsontext.Kind // '{' '[' '"' '0' 't' 'f' 'n'
	raw   string        // the text of a scalar
	names []string      // of an object's members
	items []*node       // the members' values, or an array's items
}

// parseNode reads b, which must hold one value and nothing else.
func parseNode(b []byte) (*node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(b))
	n, err := readNode(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("data after the JSON value")
	}
	return n, nil
}

func readNode(d *jsontext.Decoder) (*node, error) {
	n := &node{kind: d.PeekKind()}
	if n.kind != '{' && n.kind != '[' {
		v, err := d.ReadValue()
		n.raw = string(v)
		return n, err
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for k := d.PeekKind(); k != '}' && k != ']'; k = d.PeekKind() {
		if n.kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			n.names = append(n.names, name.String())
		}
		item, err := readNode(d)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err := d.ReadToken()
	return n, err
}

// append writes n without white space.
func (n *node) append(b []byte) []byte {
	switch n.kind {
	case '{':
		b = append(b, '{')
		for i, item := range n.items {
			b = item.append(append(append(comma(b, i), quote(n.names[i])...), ':'))
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, item := range n.items {
			b = item.append(comma(b, i))
		}
		return append(b, ']')
	}
	return append(b, n.raw...)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

func (n *node) String() string { return string(n.append(nil)) }

// get returns the member of an object, nil if there is none.
func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	if i := slices.Index(n.names, name); i >= 0 {
		return n.items[i]
	}
	return nil
}

func (n *node) set(name string, v *node) {
	if i := slices.Index(n.names, name); i >= 0 {
		n.items[i] = v
		return
	}
	n.names, n.items = append(n.names, name), append(n.items, v)
}

// list returns an array's items; nil for anything else.
func (n *node) list() []*node {
	if n == nil || n.kind != '[' {
		return nil
	}
	return n.items
}

// text returns a string's value; "" for anything else.
func (n *node) text() string {
	if n == nil || n.kind != '"' {
		return ""
	}
	b, _ := jsontext.AppendUnquote(nil, n.raw)
	return string(b)
}

func (n *node) clone() *node {
	c := &node{n.kind, n.raw, slices.Clone(n.names), make([]*node, len(n.items))}
	for i, item := range n.items {
		c.items[i] = item.clone()
	}
	return c
}

// literal returns the node of a JSON text that we wrote ourselves.
func literal(raw string) *node {
	n := &node{kind: jsontext.Kind(raw[0]), raw: raw}
	switch c := raw[0]; {
	case c == '-' || c >= '0' && c <= '9':
		n.kind = '0'
	case c == '{' || c == '[':
		n.raw = "" // the empty object or array
	}
	return n
}

// size is about the length of n's text.
func (n *node) size() int {
	total := 1 + len(n.raw)
	for i, item := range n.items {
		total += item.size()
		if n.kind == '{' {
			total += len(n.names[i])
		}
	}
	return total
}

// resolve follows a JSON pointer in a URI fragment (RFC 6901, section 6); nil
// if it leads nowhere.
func resolve(root *node, ref string) *node {
	path, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil || !strings.HasPrefix(ref, "#") || path != "" && path[0] != '/' {
		return nil
	}
	n := root
	for _, part := range strings.Split(path, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.list()) {
			n = n.items[i]
			continue
		}
		n = n.get(part)
	}
	return n
}

func stringNode(s string) *node { return &node{kind: '"', raw: string(quote(s))} }
