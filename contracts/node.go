package contracts

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// kind is what a node of a contract file is, in JSON's words.
type kind string

const (
	kindNull   kind = "null"
	kindBool   kind = "a boolean"
	kindNumber kind = "a number"
	kindString kind = "text"
	kindList   kind = "a list"
	kindMap    kind = "a map"
	kindFaulty kind = "" // already reported, so nothing more is said about it
)

// node is one value of a contract or cases file with its place. YAML and JSON
// files both become nodes, so that everything after reading is written once.
type node struct {
	kind   kind
	file   string
	line   int
	column int
	text   string // of a scalar; a number keeps its literal
	fields []field
	items  []*node
	block  *block // set where text is a literal block, whose lines are the file's own
}

type field struct {
	name  string
	key   *node
	value *node
}

// block places the text of a YAML literal block in its file.
type block struct {
	line   int // of the block's first line
	indent int // columns before the text on each line
}

func (n *node) field(name string) *node {
	for _, f := range n.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// json renders the node as compact JSON, members in the file's order.
func (n *node) json() json.RawMessage {
	var b bytes.Buffer
	n.writeJSON(&b)
	return b.Bytes()
}

func (n *node) writeJSON(b *bytes.Buffer) {
	switch n.kind {
	case kindString:
		b.Write(quoteJSON(n.text))
	case kindList:
		b.WriteByte('[')
		for i, item := range n.items {
			writeComma(b, i)
			item.writeJSON(b)
		}
		b.WriteByte(']')
	case kindMap:
		b.WriteByte('{')
		for i, f := range n.fields {
			writeComma(b, i)
			b.Write(quoteJSON(f.name))
			b.WriteByte(':')
			f.value.writeJSON(b)
		}
		b.WriteByte('}')
	default:
		b.WriteString(n.text)
	}
}

func writeComma(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

// quoteJSON writes s as a JSON string, leaving <, > and & alone.
func quoteJSON(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string always encodes, and a Buffer always writes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// at is the place of a byte of the node's text: exact in a literal block, the
// node's own place elsewhere, where escapes and folding move characters.
func (n *node) at(offset int64) (line, column int) {
	if n.block == nil {
		return n.line, n.column
	}
	before := n.text[:min(int(offset), len(n.text))]
	lastLine := before[1+strings.LastIndexByte(before, '\n'):]
	return n.block.line + strings.Count(before, "\n"), n.block.indent + 1 + utf8.RuneCountInString(lastLine)
}
