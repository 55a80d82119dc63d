package contracts

import (
	"path"
	"slices"
	"strings"
)

// schemas compiles both schemas and checks that the output is closed. With
// tools, theirs take the place of the output's.
func (l *loader) schemas(c *Contract, root *node) {
	c.input = l.schema(c, l.need(root, "the contract", "input_schema"), "input")
	if root.field("tools") != nil {
		l.tools(c, root)
		return
	}
	if choice := root.field("tool_choice"); choice != nil {
		l.fault(choice, FileFault, "tool_choice stands without tools", "add tools, or remove it")
	}
	c.output = l.schema(c, l.need(root, "the contract", "output_schema"), "output")
	open := l.texts(root.field("open_paths"), "open_paths")
	if c.output == nil {
		return
	}
	c.shown = c.output.raw
	at := c.places["output_schema"]
	for _, f := range checkClosed(c.output, open) {
		l.faultAt(at, f.offset, f.id, f.message, f.fix)
	}
}

// schema compiles the JSON text of a literal block, or of the file that
// "file:…" names. JSON and not YAML, so that the bytes and the order of the
// properties stay the author's.
func (l *loader) schema(c *Contract, n *node, what string) *schema {
	if !l.is(n, what+"_schema", kindString) {
		return nil
	}
	if name, ok := strings.CutPrefix(n.text, "file:"); ok {
		if n = l.textFile(n, strings.TrimSpace(name)); n == nil {
			return nil
		}
		c.places[what+"_schema"] = n
	}
	s := l.made(schemaURI(c.Name, c.Version, what), n.text, n)
	if s != nil && what == "input" && !isObject(s) {
		l.fault(n, LintSchema, "the input is not an object", `write "type": "object"`)
		return nil
	}
	return s
}

// made compiles a schema that stands in n, and reports its faults there.
func (l *loader) made(uri, text string, n *node) *schema {
	lead := len(text) - len(strings.TrimLeft(text, jsonSpace))
	s, faults := compileSchema(uri, []byte(text))
	for _, f := range faults {
		l.faultAt(n, int64(lead)+f.offset, f.id, f.message, f.fix)
	}
	return s
}

func isObject(s *schema) bool {
	m, _ := s.doc.(map[string]any)
	return m["type"] == "object"
}

// textFile makes a named file look like a literal block, so that places in it
// are found the same way.
func (l *loader) textFile(n *node, name string) *node {
	raw, full := l.refer(n, name)
	if raw == nil {
		return nil
	}
	return &node{kind: kindString, file: full, line: 1, column: 1, text: string(raw), block: &block{line: 1}}
}

func (l *loader) prompt(c *Contract, n *node) {
	if !l.is(n, "prompt", kindMap) {
		return
	}
	l.known(n, "prompt", "system", "user")
	c.system = &template{}
	if system := n.field("system"); system != nil {
		c.system = l.template(c, system, "prompt.system")
	}
	c.user = l.template(c, l.need(n, "prompt", "user"), "prompt.user")
}

func (l *loader) template(c *Contract, n *node, what string) *template {
	if !l.is(n, what, kindString) {
		return nil
	}
	t, faults := parseTemplate(n.text)
	if c.input != nil {
		faults = append(faults, t.undeclared(c.input)...)
	}
	for _, f := range faults {
		l.faultAt(n, f.offset, LintTemplate, f.message, f.fix)
	}
	return t
}

func (l *loader) identity(c *Contract, n *node) {
	if n == nil || !l.is(n, "identity", kindList) {
		return
	}
	for _, item := range n.items {
		field := l.text(item, "an identity field")
		if c.input == nil {
			continue
		}
		if slices.Contains(c.Identity, field) {
			l.fault(item, LintIdentity, "stands here twice", "keep one of them")
		}
		if message, fix := lintIdentity(field, c.input); message != "" {
			l.fault(item, LintIdentity, message, fix)
		}
		c.Identity = append(c.Identity, field)
	}
}

// caseList returns the list of cases, from the contract or from its cases file.
func (l *loader) caseList(root *node) *node {
	inline, named := root.field("cases"), root.field("cases_file")
	if named == nil {
		return inline
	}
	if inline != nil {
		l.fault(named, FileFault, "both cases and cases_file are there", "keep one of them")
		return nil
	}
	name := l.text(named, "cases_file")
	if name == "" {
		return nil
	}
	raw, full := l.refer(named, name)
	if raw == nil {
		return nil
	}
	list, err := parseCases(full, raw)
	if err != nil {
		l.faults = append(l.faults, err)
	}
	return list
}

func parseCases(file string, raw []byte) (*node, error) {
	if path.Ext(file) == ".jsonl" {
		return parseJSONL(file, raw)
	}
	return parseYAML(file, raw)
}
