package sim

import (
	"strings"
	"sync"
)

// answer is what a completion says.
type answer struct {
	value  *node  // nil where the content is no JSON
	quoted []byte // the content as a JSON string
	words  int
	calls  []said // of tools, instead of the content
}

func jsonAnswer(v *node) *answer {
	text := v.String()
	return &answer{value: v, quoted: quote(text), words: countWords(text)}
}

func textAnswer(text string) *answer {
	return &answer{quoted: quote(text), words: countWords(text)}
}

// format is one shape that callers ask for: a schema, or any object, or (root
// nil) text. Its answers are made once.
type format struct {
	root   *node
	made   *answer
	err    error // why made is nil
	mu     sync.Mutex
	byLine map[*line]*answer
}

func newFormat(schema []byte) *format {
	f := &format{byLine: map[*line]*answer{}}
	if schema == nil {
		f.made = textAnswer("ok")
		return f
	}
	if f.root, f.err = parseNode(schema); f.err != nil {
		return f
	}
	g := generator{root: f.root, open: map[string]bool{}, left: maxInstance}
	v, err := g.value(f.root)
	if err != nil {
		f.err = err
		return f
	}
	f.made = jsonAnswer(v)
	return f
}

// answer is the line's, in the schema's order, or without one the made one.
func (f *format) answer(l *line) (*answer, error) {
	if l == nil {
		return f.made, f.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byLine[l] == nil {
		f.byLine[l] = f.fromLine(l)
	}
	return f.byLine[l], nil
}

func (f *format) fromLine(l *line) *answer {
	switch {
	case f.root != nil:
		return jsonAnswer(ordered(f.root, f.root, l.output))
	case l.output.kind == '"':
		return textAnswer(l.output.text())
	}
	return jsonAnswer(l.output)
}

// ordered returns v with the members of its objects in their schema's order;
// undeclared ones come last.
func ordered(root, schema, v *node) *node {
	if r := schema.get("$ref"); r != nil && resolve(root, r.text()) != nil {
		schema = resolve(root, r.text())
	}
	out := &node{kind: v.kind, raw: v.raw}
	if v.kind == '[' {
		for _, item := range v.items {
			out.items = append(out.items, ordered(root, schema.get("items"), item))
		}
		return out
	}
	props := schema.get("properties")
	if props != nil {
		for i, name := range props.names {
			if m := v.get(name); m != nil {
				out.set(name, ordered(root, props.items[i], m))
			}
		}
	}
	for i, name := range v.names {
		if props.get(name) == nil {
			out.set(name, v.items[i])
		}
	}
	return out
}

// formatCache remembers the formats asked for, by the bytes of their schema.
type formatCache struct {
	mu sync.RWMutex
	m  map[string]*format
}

// maxFormats bounds how many are remembered.
const maxFormats = 256

// get returns the format of a schema; nil stands for plain text.
func (f *formatCache) get(schema []byte) *format {
	f.mu.RLock()
	known := f.m[string(schema)]
	f.mu.RUnlock()
	if known != nil {
		return known
	}
	made := newFormat(schema)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m == nil || len(f.m) >= maxFormats {
		f.m = map[string]*format{}
	}
	f.m[string(schema)] = made
	return made
}

// countWords counts what white space separates: our unit of usage.
func countWords(s string) int {
	n, in := 0, false
	for _, r := range s {
		space := strings.ContainsRune(" \t\r\n", r)
		if !space && !in {
			n++
		}
		in = !space
	}
	return n
}
