package conformance

import (
	"encoding/json"
	"fmt"
	"slices"

	"inferonce/contracts"
)

// SchemaProfile is the part of JSON Schema that a provider's schema mode
// understands, as data. The zero profile takes every schema and enforces
// nothing of it.
type SchemaProfile struct {
	Name string
	// Enforced are the keywords that the provider makes an answer keep.
	Enforced []string
	// Refused are the keywords for which it refuses the whole request.
	Refused []string
	// AllRequired says that every property has to be required: what a contract
	// leaves optional, the provider forces out of the model.
	AllRequired bool
	// Closed says that every object has to forbid other members.
	Closed bool
	// ObjectRoot says that the root is an object, and no alternative.
	ObjectRoot bool
	MaxDepth   int // of objects in objects; 0: no bound
	MaxMembers int // of all properties together; 0: no bound
	MaxValues  int // of all enums together; 0: no bound
}

// OpenAIStrict is what OpenAI documents of "strict": true
// (platform.openai.com/docs/guides/structured-outputs, "Supported schemas").
func OpenAIStrict() SchemaProfile {
	return SchemaProfile{
		Name: "openai-strict",
		Enforced: []string{"$ref", "$defs", "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
			"pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"},
		Refused:     []string{"allOf", "oneOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "patternProperties", "default"},
		AllRequired: true, Closed: true, ObjectRoot: true, MaxDepth: 10, MaxMembers: 5000, MaxValues: 1000,
	}
}

// Projection is what becomes of a schema at a provider.
type Projection struct {
	// OnlyOurs are keywords, each with a place, that nobody but us enforces.
	OnlyOurs []string
	// Refused say why the provider can't be asked for this schema without a change
	// of its meaning; empty if it can.
	Refused []string
}

// annotating mean nothing for validation.
var annotating = []string{"title", "description", "$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly"}

// Project holds a schema that Load has accepted against a profile. It is a pure
// function and lists places in the order of their pointers.
func Project(schema json.RawMessage, profile SchemaProfile) Projection {
	w := &projector{profile: profile}
	var doc any
	if json.Unmarshal(schema, &doc) != nil {
		w.refuse("", "is no JSON")
		return w.Projection
	}
	if root := object(doc); profile.ObjectRoot && (root["type"] != "object" || root["anyOf"] != nil) {
		w.refuse("", "is not one object at the root")
	}
	w.visit("", doc, 0)
	w.bound("properties", w.members, profile.MaxMembers)
	w.bound("listed values", w.values, profile.MaxValues)
	return w.Projection
}

type projector struct {
	Projection
	profile         SchemaProfile
	members, values int
}

func (w *projector) refuse(pointer, why string) {
	w.Refused = append(w.Refused, fmt.Sprintf("%q %s", pointer, why))
}

func (w *projector) bound(what string, n, most int) {
	if most > 0 && n > most {
		w.refuse("", fmt.Sprintf("has %d %s, more than %d", n, what, most))
	}
}

func (w *projector) visit(pointer string, sub any, depth int) {
	m := object(sub)
	for _, k := range sortedKeys(m) {
		switch {
		case slices.Contains(w.profile.Refused, k):
			w.refuse(pointer, "uses "+k+", for which the provider refuses the request")
		case slices.Contains(annotating, k):
		case !slices.Contains(w.profile.Enforced, k):
			w.OnlyOurs = append(w.OnlyOurs, fmt.Sprintf("%s at %q", k, pointer))
		}
	}
	list, _ := m["enum"].([]any)
	w.values += len(list)
	if properties := object(m["properties"]); properties != nil || m["type"] == "object" {
		w.object(pointer, m, properties, depth)
	}
	w.below(pointer, m, depth)
}

// object checks what a profile asks of every object.
func (w *projector) object(pointer string, m, properties map[string]any, depth int) {
	w.members += len(properties)
	if w.profile.MaxDepth > 0 && depth+1 > w.profile.MaxDepth {
		w.refuse(pointer, fmt.Sprintf("is nested deeper than %d objects", w.profile.MaxDepth))
	}
	if w.profile.Closed && m["additionalProperties"] != false {
		w.refuse(pointer, "is open, and the provider takes closed objects only")
	}
	required, _ := m["required"].([]any)
	for _, name := range sortedKeys(properties) {
		if w.profile.AllRequired && !slices.Contains(required, any(name)) && !nullable(properties[name]) {
			w.refuse(contracts.PointerTo(pointer, name), "may be missing and not null, and the provider would make the model invent a value")
		}
	}
}

// nullable says that a schema takes null: then a member that had to be there can
// still say that there is none.
func nullable(sub any) bool {
	m := object(sub)
	types, _ := m["type"].([]any)
	values, _ := m["enum"].([]any)
	alternatives, _ := m["anyOf"].([]any)
	return m["type"] == "null" || slices.Contains(types, any("null")) && (values == nil || slices.Contains(values, nil)) ||
		m["type"] == nil && slices.Contains(values, nil) || slices.ContainsFunc(alternatives, nullable)
}

func (w *projector) below(pointer string, m map[string]any, depth int) {
	for _, k := range []string{"properties", "$defs", "patternProperties", "dependentSchemas"} {
		for _, name := range sortedKeys(object(m[k])) {
			w.visit(contracts.PointerTo(contracts.PointerTo(pointer, k), name), object(m[k])[name], depth+1)
		}
	}
	for _, k := range []string{"anyOf", "allOf", "oneOf", "prefixItems"} {
		list, _ := m[k].([]any)
		for i, sub := range list {
			w.visit(contracts.PointerTo(contracts.PointerTo(pointer, k), fmt.Sprint(i)), sub, depth)
		}
	}
	for _, k := range []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"} {
		if object(m[k]) != nil {
			w.visit(contracts.PointerTo(pointer, k), m[k], depth)
		}
	}
}
