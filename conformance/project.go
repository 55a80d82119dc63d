package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"inferonce/contracts"
)

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
	w.bound("properties that may be missing", w.optional, profile.MaxOptional)
	w.bound("places with several types", w.unions, profile.MaxUnions)
	w.bound("characters of names and listed values", w.text, profile.MaxText)
	if profile.Straight && circular(doc) {
		w.refuse("", "leads back to itself, which the provider does not take")
	}
	return w.Projection
}

// ProjectTool is Project for the parameters of a tool. The adapters offer tools
// without a strict mode, so that a provider enforces nothing of their schemas,
// and its bounds on strict ones do not apply.
func ProjectTool(parameters json.RawMessage, profile SchemaProfile) Projection {
	return Project(parameters, SchemaProfile{Name: profile.Name, ObjectRoot: profile.ObjectRoot})
}

type projector struct {
	Projection
	profile SchemaProfile

	members, values, optional, unions, text int // all of the schema
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
		case !slices.Contains(w.profile.Enforced, k) || k == "format" && !w.knows(m[k]):
			w.OnlyOurs = append(w.OnlyOurs, fmt.Sprintf("%s at %q", k, pointer))
		}
	}
	w.count(m)
	if n, ok := m["minItems"].(float64); ok && w.profile.FewItems && n > 1 {
		w.refuse(pointer, fmt.Sprintf("asks for %g items, and the provider takes a minItems of 0 or 1", n))
	}
	if properties := object(m["properties"]); properties != nil || m["type"] == "object" {
		w.object(pointer, m, properties, depth)
	}
	w.below(pointer, m, depth)
}

func (w *projector) knows(format any) bool {
	name, _ := format.(string)
	return w.profile.Formats == nil || slices.Contains(w.profile.Formats, name)
}

// count adds what a schema has of the things that providers bound.
func (w *projector) count(m map[string]any) {
	values, _ := m["enum"].([]any)
	w.values += len(values)
	for _, v := range append(slices.Clone(values), m["const"]) {
		s, _ := v.(string)
		w.text += utf8.RuneCountInString(s)
	}
	for _, k := range []string{"properties", "$defs"} {
		for name := range object(m[k]) {
			w.text += utf8.RuneCountInString(name)
		}
	}
	if types, _ := m["type"].([]any); len(types) > 1 || m["anyOf"] != nil {
		w.unions++
	}
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
		if slices.Contains(required, any(name)) {
			continue
		}
		w.optional++
		switch at := contracts.PointerTo(pointer, name); {
		case !w.profile.AllRequired:
		case nullable(properties[name]):
			w.refuse(at, "is not required, and the provider wants every member required; it takes null, so require it")
		default:
			w.refuse(at, "may be missing and not null, and the provider would make the model invent a value; let it be null, and require it")
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
