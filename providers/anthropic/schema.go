package anthropic

import (
	"slices"
	"strings"

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
