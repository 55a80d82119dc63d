package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// template is a text with placeholders {{ input.field }}. It has no
// conditions, no loops and no functions, and what it puts in is never read
// as a template again: an input that holds {{x}} appears as {{x}}.
type template struct {
	parts []part
}

// part is literal text, or the path of an input field where path is set.
type part struct {
	text   string
	path   []string
	offset int64 // of the placeholder in the template
}

type templateFault struct {
	offset  int64
	message string
	fix     string
}

var placeholder = regexp.MustCompile(`^\{\{[ \t]*input((?:\.[A-Za-z_][A-Za-z0-9_-]*)+)[ \t]*\}\}`)

// parseTemplate reads text. Every {{ must begin a placeholder.
func parseTemplate(text string) (*template, []templateFault) {
	t := &template{}
	var faults []templateFault
	for at := 0; at < len(text); {
		next := strings.Index(text[at:], "{{")
		if next < 0 {
			t.parts = append(t.parts, part{text: text[at:]})
			break
		}
		t.parts = append(t.parts, part{text: text[at : at+next]})
		at += next
		m := placeholder.FindStringSubmatch(text[at:])
		if m == nil {
			faults = append(faults, templateFault{int64(at), "{{ begins no placeholder", "write {{input.field}}, or keep the braces apart"})
			at += 2
			continue
		}
		t.parts = append(t.parts, part{path: strings.Split(m[1][1:], "."), offset: int64(at)})
		at += len(m[0])
	}
	return t, faults
}

// undeclared reports the placeholders that the input schema does not declare.
func (t *template) undeclared(input *schema) []templateFault {
	var faults []templateFault
	for _, p := range t.parts {
		if p.path != nil && len(input.properties(p.path)) == 0 {
			faults = append(faults, templateFault{p.offset,
				fmt.Sprintf("the input has no field %q", strings.Join(p.path, ".")), "declare it in input_schema's properties, or correct the name"})
		}
	}
	return faults
}

// render fills the placeholders from input, one JSON object. Text goes in as
// it is, anything else as compact JSON; a field that is not there leaves nothing.
func (t *template) render(input json.RawMessage) (string, error) {
	var out strings.Builder
	for _, p := range t.parts {
		if p.path == nil {
			out.WriteString(p.text)
			continue
		}
		value, err := rawAt(input, p.path)
		if err != nil {
			return "", fmt.Errorf("render input.%s: %w", strings.Join(p.path, "."), err)
		}
		if err := writeValue(&out, value); err != nil {
			return "", fmt.Errorf("render input.%s: %w", strings.Join(p.path, "."), err)
		}
	}
	return out.String(), nil
}

func writeValue(out *strings.Builder, value json.RawMessage) error {
	if len(value) == 0 {
		return nil
	}
	if value[0] == '"' {
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return errNotJSON
		}
		out.WriteString(s)
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return errNotJSON
	}
	out.Write(b.Bytes())
	return nil
}
