package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// holds says what a keyword's value consists of.
type holds int

const (
	plain      holds = iota // no schema
	oneSchema               // a schema
	listSchema              // a list of schemas
	mapSchema               // schemas by name
)

// keywords are the ones of draft 2020-12 that a contract may use. The ones
// that rename or re-base a schema are left out: a schema here stands alone.
var keywords = map[string]holds{
	"$schema": plain, "$ref": plain, "$comment": plain, "$defs": mapSchema,
	"title": plain, "description": plain, "default": plain, "examples": plain, "deprecated": plain, "readOnly": plain, "writeOnly": plain,
	"type": plain, "enum": plain, "const": plain, "format": plain,
	"multipleOf": plain, "maximum": plain, "exclusiveMaximum": plain, "minimum": plain, "exclusiveMinimum": plain,
	"maxLength": plain, "minLength": plain, "pattern": plain,
	"maxItems": plain, "minItems": plain, "uniqueItems": plain, "maxContains": plain, "minContains": plain,
	"maxProperties": plain, "minProperties": plain, "required": plain, "dependentRequired": plain,
	"properties": mapSchema, "patternProperties": mapSchema, "additionalProperties": oneSchema, "propertyNames": oneSchema,
	"unevaluatedProperties": oneSchema, "unevaluatedItems": oneSchema, "items": oneSchema, "prefixItems": listSchema, "contains": oneSchema,
	"allOf": listSchema, "anyOf": listSchema, "oneOf": listSchema, "not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema,
	"dependentSchemas": mapSchema,
}

// renamed are keywords of older drafts, which draft 2020-12 ignores in silence.
var renamed = map[string]string{
	"definitions": "$defs", "dependencies": "dependentRequired", "additionalItems": "items",
}

const (
	draftURI   = "https://json-schema.org/draft/2020-12/schema"
	maxPattern = 256 // characters; a longer pattern is a program that nobody reviews
)

// lintKeywords refuses what jsonschema would read as something else, or not at
// all: unknown keywords and formats, foreign drafts, external references.
func lintKeywords(doc any, raw []byte) []schemaFault {
	if _, ok := doc.(map[string]any); !ok {
		return []schemaFault{{LintSchema, 0, "the schema is not an object", `write {"type": "object", …}`}}
	}
	var faults []schemaFault
	walkSchema(doc, "", func(pointer string, s map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(s)) {
			if id, message, fix := lintKeyword(pointer, k, s[k]); id != "" {
				faults = append(faults, schemaFault{id, offsetOf(raw, PointerTo(pointer, k)), message, fix})
			}
		}
	})
	return faults
}

func lintKeyword(pointer, keyword string, value any) (id, message, fix string) {
	text, _ := value.(string)
	switch keyword {
	case "$schema":
		if text != draftURI || pointer != "" {
			return LintSchema, "names another draft of JSON Schema", "write " + draftURI + " at the top, or leave $schema out"
		}
	case "$ref":
		if !strings.HasPrefix(text, "#") {
			return LintSchema, "refers to another document", "copy what it names into $defs and refer to #/$defs/…"
		}
	case "enum":
		if list, ok := value.([]any); ok && len(list) == 0 { // jsonschema would let every value through
			return LintMeaning, "lists no value, so that nothing could ever be right", "list the values"
		}
	case "pattern":
		return lintPattern(text)
	case "patternProperties":
		names, _ := value.(map[string]any)
		for _, p := range slices.Sorted(maps.Keys(names)) {
			if id, message, fix := lintPattern(p); id != "" {
				return id, message, fix
			}
		}
	case "format":
		if _, ok := jsonschema.Formats[text]; !ok {
			return LintMeaning, fmt.Sprintf("the format %q is not checked by anybody", text), suggest(text, jsonschema.Formats, "use a pattern")
		}
	}
	if _, ok := keywords[keyword]; !ok {
		return LintMeaning, fmt.Sprintf("%q is no keyword that is checked", keyword), suggestKeyword(keyword)
	}
	return "", "", ""
}

func lintPattern(p string) (id, message, fix string) {
	if len(p) > maxPattern {
		return LintMeaning, fmt.Sprintf("a pattern has more than %d characters", maxPattern), "use enum or a shorter pattern"
	}
	return "", "", ""
}

func suggestKeyword(keyword string) string {
	if now, ok := renamed[keyword]; ok {
		return fmt.Sprintf("use %q", now)
	}
	if slices.Contains([]string{"id", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary"}, keyword) {
		return "remove it: a contract's schema stands alone, and refers to #/$defs/… only"
	}
	return suggest(keyword, keywords, "remove it")
}

func suggest[V any](name string, known map[string]V, otherwise string) string {
	if near := nearest(name, slices.Sorted(maps.Keys(known))); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// walkSchema visits every schema object in doc, parents first, in an order
// that depends on doc alone.
func walkSchema(doc any, pointer string, visit func(pointer string, s map[string]any)) {
	s, ok := doc.(map[string]any)
	if !ok {
		return
	}
	visit(pointer, s)
	for _, k := range slices.Sorted(maps.Keys(s)) {
		at := PointerTo(pointer, k)
		switch keywords[k] {
		case oneSchema:
			walkSchema(s[k], at, visit)
		case listSchema:
			list, _ := s[k].([]any)
			for i, sub := range list {
				walkSchema(sub, fmt.Sprintf("%s/%d", at, i), visit)
			}
		case mapSchema:
			named, _ := s[k].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(named)) {
				walkSchema(named[name], PointerTo(at, name), visit)
			}
		}
	}
}

// compactJSON renders a value of a schema for a message; long ones are cut.
func compactJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "…"
	}
	const most = 200
	if len(b) > most {
		return strings.ToValidUTF8(string(b[:most]), "") + "…"
	}
	return string(b)
}
