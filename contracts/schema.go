package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// schema is one compiled JSON Schema (draft 2020-12). It is safe for
// concurrent use.
type schema struct {
	raw      json.RawMessage // as written, so that providers see the author's property order
	doc      any             // decoded, for messages and look-ups
	compiled *jsonschema.Schema
}

// schemaFault is a fault of a schema text, at a byte of it.
type schemaFault struct {
	id      string
	offset  int64
	message string
	fix     string
}

// compileSchema compiles raw under the absolute uri. The draft is pinned and
// format is asserted, whatever $schema says. Nothing outside raw is ever read:
// jsonschema would load file:// references if asked to.
func compileSchema(uri string, raw []byte) (*schema, []schemaFault) {
	raw = bytes.Trim(raw, jsonSpace)
	end, bad := scan(raw, boundedNumber)
	if bad == nil && int(end) < len(raw) {
		bad = &CanonicalError{Offset: end, Message: "goes on after the JSON value"}
	}
	if bad != nil {
		return nil, []schemaFault{{LintSchema, bad.Offset, "the schema " + bad.Message, "write one JSON object"}}
	}
	doc, err := decodeJSON(raw)
	if err != nil {
		return nil, []schemaFault{{LintSchema, 0, "the schema is not JSON", "write one JSON object"}}
	}
	if faults := lintKeywords(doc, raw); len(faults) > 0 {
		return nil, faults
	}
	compiled, err := compileGuarded(uri, raw)
	if err != nil {
		return nil, []schemaFault{compileFault(err, raw)}
	}
	return &schema{raw: raw, doc: doc, compiled: compiled}, nil
}

func compileGuarded(uri string, raw []byte) (s *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, errors.New("the schema compiler gave up on it")
		}
	}()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("a schema may refer to itself only") }
	if err := c.AddResource(uri, bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	return c.Compile(uri)
}

// compileFault takes the innermost cause, at the place in the schema that it is about.
func compileFault(err error, raw []byte) schemaFault {
	f := schemaFault{id: LintSchema, fix: "correct it"}
	if s, ok := errors.AsType[*jsonschema.SchemaError](err); ok && s.Err != nil {
		err = s.Err
	}
	text := strings.TrimPrefix(err.Error(), "jsonschema: ")
	if v, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		for len(v.Causes) > 0 {
			v = v.Causes[0]
		}
		f.offset, text = offsetOf(raw, unescapeFragment(v.InstanceLocation)), v.Message
	}
	f.message = "the schema does not compile: " + text
	return f
}

// validate checks one JSON value. nil means that the schema holds. Text that
// could hurt the validator (number bombs, depth, duplicate members) is a
// violation by itself and never reaches it.
func (s *schema) validate(raw []byte) []Violation {
	v, end, bad := parse(raw, boundedNumber)
	if bad == nil && len(bytes.Trim(raw[end:], jsonSpace)) > 0 {
		bad = &CanonicalError{Reason: ReasonTrailing, Message: "goes on after the JSON value"}
	}
	if bad != nil {
		return []Violation{{bad.Pointer, bad.Reason, bad.Message}}
	}
	return s.validateValue(v)
}

// ruleValidatorFailed marks a value on which the validator itself failed.
const ruleValidatorFailed = "validator_failed"

// validateValue checks a decoded value. A panic of the validator is a
// violation: never a pass, and never the end of the process.
func (s *schema) validateValue(v any) (found []Violation) {
	defer func() {
		if r := recover(); r != nil {
			found = []Violation{{"", ruleValidatorFailed, "can't be validated"}}
		}
	}()
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return s.violations(v, e)
	}
	return []Violation{{"", ruleValidatorFailed, "can't be validated"}}
}

// schemaURI is absolute, because jsonschema resolves a relative one against
// the working directory.
func schemaURI(name string, version int, what string) string {
	return fmt.Sprintf("inferonce:///%s/%d/%s", name, version, what)
}
