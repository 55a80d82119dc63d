package contracts

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// parse is scan which also gives the value, in one pass: what the validator is
// handed can then be nothing but what was scanned. The value is the one that
// encoding/json makes with UseNumber: number literals stay as they are written.
func parse(raw []byte, number numberRule) (v any, end int64, err *CanonicalError) {
	if err := scanBytes(raw); err != nil {
		return nil, 0, err
	}
	p := valueReader{jsontext.NewDecoder(bytes.NewBuffer(raw)), number}
	if v, err = p.value(); err != nil {
		return nil, 0, err
	}
	return v, p.dec.InputOffset(), nil
}

type valueReader struct {
	dec    *jsontext.Decoder
	number numberRule
}

func (p valueReader) token() (jsontext.Token, *CanonicalError) {
	tok, err := p.dec.ReadToken()
	if err != nil {
		return tok, scanError(err, p.dec.InputOffset())
	}
	return tok, judge(p.dec, tok, p.number)
}

// value reads one value. Its recursion ends at MaxDepth, where judge refuses.
func (p valueReader) value() (any, *CanonicalError) {
	tok, err := p.token()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return tok.String(), nil
	case '0':
		return json.Number(tok.String()), nil
	case 't', 'f':
		return tok.Bool(), nil
	}
	return nil, nil
}

func (p valueReader) object() (any, *CanonicalError) {
	m := map[string]any{}
	for p.dec.PeekKind() != '}' {
		name, err := p.token()
		if err != nil {
			return nil, err
		}
		key := name.String() // the token is good until the next one is read
		if m[key], err = p.value(); err != nil {
			return nil, err
		}
	}
	_, err := p.token()
	return m, err
}

func (p valueReader) array() (any, *CanonicalError) {
	list := []any{}
	for p.dec.PeekKind() != ']' {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := p.token()
	return list, err
}
