package anthropic

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one of an object, whose order counts here.
type member struct {
	name  string
	value jsontext.Value
}

func quoted(s string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // the text came out of JSON, so that it is UTF-8
		return jsontext.Value(`""`)
	}
	return b
}

// members are those of a valid object, in their order.
func members(v jsontext.Value) (all []member) {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return all
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return all
		}
		all = append(all, member{key, slices.Clone(value)})
	}
	return all
}

func object(all []member) jsontext.Value {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
