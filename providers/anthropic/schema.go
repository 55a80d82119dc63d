package anthropic

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The API compiles a part of JSON Schema and answers 400 to the rest
// (platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON
// Schema limitations"). As the vendor's own SDKs do, a bound that it refuses is
// moved into the description, where the model reads it; the answer is held
// against the whole schema by the router. What says more than a bound is not
// moved: the request is refused then.

// handling says what becomes of a keyword.
type handling int

const (
	refused handling = iota
	kept             // as it is
	within           // a schema
	listed           // a list of schemas
	named            // schemas by name
	told             // in the description
	dropped          // it says nothing about the answer
)

var keywords = map[string]handling{
	"type": kept, "const": kept, "default": kept, "title": kept, "description": kept, "required": kept,
	"items": within, "properties": named, "$defs": named, "anyOf": listed, "allOf": listed,
	"minimum": told, "maximum": told, "exclusiveMinimum": told, "exclusiveMaximum": told, "multipleOf": told,
	"minLength": told, "maxLength": told, "maxItems": told, "uniqueItems": told, "minProperties": told, "maxProperties": told,
	"examples": told, "deprecated": told, "readOnly": told, "writeOnly": told,
	"$schema": dropped, "$comment": dropped,
}

// formats are the ones that the API compiles.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

// how decides by the value where the keyword alone does not.
func how(keyword string, v jsontext.Value) handling {
	s := string(v)
	switch keyword {
	case "additionalProperties":
		return either(s == "false", kept, refused)
	case "enum": // "no complex types"
		return either(!strings.ContainsAny(strings.TrimPrefix(withoutStrings(s), "["), "{["), kept, refused)
	case "minItems":
		return either(s == "0" || s == "1", kept, told)
	case "format":
		return either(slices.Contains(formats, strings.Trim(s, `"`)), kept, told)
	case "pattern": // no assertions, no word boundaries
		return either(!strings.Contains(s, `\\b`) && !strings.Contains(s, `\\B`) && !strings.Contains(s, "(?"), kept, told)
	case "$ref":
		return either(strings.HasPrefix(s, `"#/$defs/`), kept, refused)
	}
	return keywords[keyword]
}

func either(yes bool, a, b handling) handling {
	if yes {
		return a
	}
	return b
}

// withoutStrings empties the texts of a JSON value, so that only its structure is left.
func withoutStrings(s string) string {
	var out strings.Builder
	in, escaped := false, false
	for _, r := range s {
		switch {
		case escaped:
			escaped = false
		case in && r == '\\':
			escaped = true
		case r == '"':
			in = !in
		case !in:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// narrow returns the schema in the form that the API compiles, every member in
// its own place, or a *providers.Unsupported.
func narrow(schema []byte) (jsontext.Value, error) {
	n := narrower{uses: map[string][]string{}}
	v := slices.Clone(jsontext.Value(schema))
	if v.Compact() != nil || v.Kind() != '{' {
		return nil, no("schema", "it is not a JSON Schema that is an object")
	}
	out, err := n.schema(v, "schema", "", 0)
	if err != nil {
		return nil, err
	}
	for def := range n.uses {
		if n.reaches(def, def, map[string]bool{}) {
			return nil, no("schema/$defs/"+def, "this API compiles no schema that holds itself")
		}
	}
	return out, nil
}

const maxDepth = 64

// narrower remembers which definition refers to which.
type narrower struct{ uses map[string][]string }

type member struct {
	name  string
	value jsontext.Value
}

func (n *narrower) schema(v jsontext.Value, at, def string, depth int) (jsontext.Value, error) {
	switch {
	case depth > maxDepth:
		return nil, no("schema", fmt.Sprintf("it is nested deeper than %d levels", maxDepth))
	case v.Kind() != '{':
		return nil, no(at, "this API compiles schemas that are objects")
	}
	var out, bounds []member
	for _, m := range members(v) {
		here := at + "/" + m.name
		switch how(m.name, m.value) {
		case dropped:
			continue
		case refused:
			return nil, no(here, "this API does not compile it")
		case told:
			bounds = append(bounds, m)
			continue
		}
		value, err := n.value(m, here, def, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, member{m.name, value})
	}
	if err := checkClosed(out, at); err != nil {
		return nil, err
	}
	return object(tell(out, bounds)), nil
}

func (n *narrower) value(m member, at, def string, depth int) (jsontext.Value, error) {
	switch how(m.name, m.value) {
	case within:
		return n.schema(m.value, at, def, depth+1)
	case listed:
		return n.list(m.value, at, def, depth)
	case named:
		return n.byName(m, at, def, depth)
	}
	if m.name == "$ref" {
		var to string
		_ = json.Unmarshal(m.value, &to) // how has seen that it is a text
		n.uses[def] = append(n.uses[def], strings.TrimPrefix(to, "#/$defs/"))
	}
	return m.value, nil
}

func (n *narrower) byName(m member, at, def string, depth int) (jsontext.Value, error) {
	if m.value.Kind() != '{' {
		return nil, no(at, "it is no object")
	}
	var out []member
	for _, p := range members(m.value) {
		inside := def
		if m.name == "$defs" {
			inside = p.name
		}
		v, err := n.schema(p.value, at+"/"+p.name, inside, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, member{p.name, v})
	}
	return object(out), nil
}

func (n *narrower) list(v jsontext.Value, at, def string, depth int) (jsontext.Value, error) {
	var all []jsontext.Value
	if json.Unmarshal(v, &all) != nil {
		return nil, no(at, "it is no list of schemas")
	}
	for i := range all {
		one, err := n.schema(all[i], fmt.Sprintf("%s/%d", at, i), def, depth+1)
		if err != nil {
			return nil, err
		}
		all[i] = one
	}
	return json.Marshal(all)
}

func (n *narrower) reaches(from, to string, seen map[string]bool) bool {
	for _, next := range n.uses[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if n.reaches(next, to, seen) {
				return true
			}
		}
	}
	return false
}

// checkClosed wants what the API wants of every object.
func checkClosed(all []member, at string) error {
	object, closed := false, false
	for _, m := range all {
		object = object || m.name == "properties" || m.name == "type" && bytes.Contains(m.value, []byte(`"object"`))
		closed = closed || m.name == "additionalProperties"
	}
	if object && !closed {
		return no(at, `this API wants "additionalProperties": false in every object`)
	}
	return nil
}

// tell moves bounds into the description.
func tell(all, bounds []member) []member {
	if len(bounds) == 0 {
		return all
	}
	text := "It must also satisfy the JSON Schema " + string(object(bounds))
	at := slices.IndexFunc(all, func(m member) bool { return m.name == "description" })
	if at < 0 {
		return append(all, member{"description", quoted(text)})
	}
	var before string
	_ = json.Unmarshal(all[at].value, &before)
	all[at].value = quoted(strings.TrimSpace(before + "\n" + text))
	return all
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
