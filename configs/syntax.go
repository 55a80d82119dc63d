package configs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxDepth bounds how deeply a file may nest. The parser recurses: 200,000
// opening brackets exhaust the memory of the machine.
const maxDepth = 32

// maxTokens bounds the words and signs of a file: the parser's time grows with
// the square of them. A thousand API keys need about 15,000.
const maxTokens = 30_000

// parse returns the one mapping that a file must hold; nil after a problem.
func (d *decoder) parse(text string) (root ast.Node) {
	// The parser is others' code and reads what anybody may have written.
	defer func() {
		if recover() != nil {
			d.report(place{line: 1, column: 1}, "", "this is not readable as YAML", "compare it with example.yaml")
			root = nil
		}
	}()
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens {
		d.report(tokenPlace(tokens[maxTokens]), "", "the file goes on too long", "keep contracts and data in files of their own")
		return nil
	}
	if deep := tooDeep(tokens); deep != nil {
		d.report(tokenPlace(deep), "", fmt.Sprintf("nested more than %d levels deep", maxDepth), "no setting needs that; look for a bracket that isn't closed")
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.syntax(err)
		return nil
	}
	return d.single(file)
}

func (d *decoder) syntax(err error) {
	at, message := place{line: 1, column: 1}, "unreadable"
	var y yaml.Error
	if errors.As(err, &y) {
		if t := y.GetToken(); t != nil {
			at = tokenPlace(t)
			at.width = 1
		}
		message = quoteless(y.GetMessage())
	}
	fix := "correct the YAML here or on the line before"
	if at.line <= len(d.lines) && strings.Contains(d.lines[at.line-1], "${") {
		fix = `put quotes round a variable, as in "${NAME}"`
	}
	d.report(at, "", "invalid YAML: "+message, fix)
}

func (d *decoder) single(file *ast.File) ast.Node {
	if len(file.Docs) > 1 && file.Docs[1].Body != nil {
		d.report(startOf(file.Docs[1].Body), "", "a second document begins here", "keep one document in the file")
		return nil
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		d.report(place{line: 1, column: 1}, "", "the file is empty", "start from example.yaml")
		return nil
	}
	return file.Docs[0].Body
}

// tooDeep returns the token at which brackets, or indicators on one line, nest
// too deeply. Nesting by indentation needs no look: it costs a line a level
// and ever longer ones, so that maxFile bounds it.
func tooDeep(tokens token.Tokens) *token.Token {
	brackets, indicators, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			indicators, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.AliasType:
			indicators++
		}
		if brackets > maxDepth || indicators > maxDepth {
			return t
		}
	}
	return nil
}

func tokenPlace(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{line: 1, column: 1}
	}
	width := utf8.RuneCountInString(firstLine(strings.TrimSpace(t.Origin)))
	return place{line: max(1, t.Position.Line), column: max(1, t.Position.Column), width: width}
}

// quoteless cuts a message of the parser off where it begins to quote the file.
func quoteless(message string) string {
	message, _, _ = strings.Cut(firstLine(message), `"`)
	if message = strings.TrimRight(message, " :"); message == "" {
		return "unexpected character"
	}
	return message
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
