package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// parseJSONL reads a file of one JSON object a line into a list of nodes.
// Empty lines are passed over. Its error joins a *Finding for each bad line,
// and the list holds the others.
func parseJSONL(file string, raw []byte) (*node, error) {
	list := &node{kind: kindList, file: file, line: 1, column: 1}
	var faults []error
	for i, line := range bytes.Split(raw, []byte("\n")) {
		if len(bytes.Trim(line, jsonSpace)) == 0 {
			continue
		}
		n, err := parseJSONLine(file, i+1, line)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		list.items = append(list.items, n)
	}
	return list, errors.Join(faults...)
}

func parseJSONLine(file string, line int, raw []byte) (*node, error) {
	end, err := scan(raw, boundedNumber)
	if err == nil && len(bytes.Trim(raw[end:], jsonSpace)) > 0 {
		err = &CanonicalError{Offset: end, Reason: ReasonTrailing, Message: "goes on after the JSON value"}
	}
	if err != nil {
		column := 1 + utf8.RuneCount(raw[:min(int(err.Offset), len(raw))])
		return nil, &Finding{ID: FileFault, File: file, Line: line, Column: column,
			Message: err.Message, Fix: "write one JSON object a line"}
	}
	j := jsonReader{file: file, line: line, dec: jsontext.NewDecoder(bytes.NewBuffer(raw))}
	return j.node(), nil
}

// jsonReader turns text that scan has accepted into nodes, so that no read of
// it can fail.
type jsonReader struct {
	file string
	line int
	dec  *jsontext.Decoder
}

func (j *jsonReader) node() *node {
	tok, err := j.dec.ReadToken()
	if err != nil {
		panic(fmt.Sprintf("contracts: a scanned line can't be read: %v", err))
	}
	n := &node{file: j.file, line: j.line, column: 1}
	switch tok.Kind() {
	case 'n':
		n.kind, n.text = kindNull, "null"
	case 't', 'f':
		n.kind, n.text = kindBool, tok.String()
	case '0':
		n.kind, n.text = kindNumber, tok.String()
	case '"':
		n.kind, n.text = kindString, tok.String()
	case '[':
		n.kind = kindList
		for j.dec.PeekKind() != ']' {
			n.items = append(n.items, j.node())
		}
		j.dec.ReadToken()
	case '{':
		n.kind = kindMap
		for j.dec.PeekKind() != '}' {
			key := j.node()
			n.fields = append(n.fields, field{key.text, key, j.node()})
		}
		j.dec.ReadToken()
	}
	return n
}

// decodeJSON decodes text that scan has accepted, keeping number literals.
func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
