package contracts

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// parseYAML reads one YAML document into nodes. Of YAML it takes what JSON has
// too: anchors, aliases, merge keys and tags are refused, because a reviewer
// can't see what they expand to. Its error joins a *Finding for each fault; the
// node is nil only where nothing could be read.
func parseYAML(file string, raw []byte) (n *node, err error) {
	if at := invalidUTF8(raw); at >= 0 {
		return nil, placed(file, raw, at, "is not valid UTF-8", "save the file as UTF-8")
	}
	if at := tooDeep(raw); at >= 0 {
		return nil, placed(file, raw, at, "nests too deep", "flatten it")
	}
	defer func() {
		if r := recover(); r != nil { // the parser is not ours
			n, err = nil, &Finding{ID: FileFault, File: file, Message: "the YAML reader gave up on this file", Fix: "look for an unfinished line"}
		}
	}()
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return nil, yamlError(file, err)
	}
	if len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		return nil, &Finding{ID: FileFault, File: file, Message: "must hold exactly one YAML document", Fix: "remove `---` lines or fill the file"}
	}
	y := yamlReader{file: file, lines: strings.Split(string(raw), "\n")}
	n = y.node(tree.Docs[0].Body, 0)
	return n, errors.Join(y.faults...)
}

// maxYAML bounds what the parser sees: its time grows with the square of the
// depth, and a stack that runs out can't be recovered from.
const maxYAML = 1000

// tooDeep finds where brackets, or what begins a line, nest deeper than
// maxYAML; -1 if nowhere. It counts brackets in text too, which have to close
// less often than that.
func tooDeep(raw []byte) int {
	brackets, lead := 0, 0
	leading := true
	for at, c := range raw {
		switch {
		case c == '\n':
			leading, lead = true, 0
		case leading && (c == ' ' || c == '-' || c == '?'):
			lead++
		default:
			leading = false
		}
		switch c {
		case '[', '{':
			brackets++
		case ']', '}':
			brackets = max(0, brackets-1)
		}
		if brackets > maxYAML || lead > maxYAML {
			return at
		}
	}
	return -1
}

func placed(file string, raw []byte, at int, message, fix string) *Finding {
	before := string(raw[:at])
	return &Finding{ID: FileFault, File: file, Message: message, Fix: fix,
		Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[1+strings.LastIndexByte(before, '\n'):])}
}

func yamlError(file string, err error) error {
	f := &Finding{ID: FileFault, File: file, Message: "is not valid YAML", Fix: "correct it there"}
	if y, ok := errors.AsType[yaml.Error](err); ok {
		f.Message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			f.Line, f.Column = t.Position.Line, t.Position.Column
		}
	}
	return f
}
