package contracts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// closedChecker finds the places of an output schema where a model could add
// members that nobody declared. Places are JSON pointers into the output, with
// * for any item or any member.
type closedChecker struct {
	doc    any
	raw    []byte
	open   []string        // places that the contract leaves open on purpose
	used   map[string]bool // which of them were needed
	seen   map[string]bool // $ref targets on the way, since a schema may refer to itself
	faults []schemaFault
}

// checkClosed reports every place that is neither closed nor listed in open,
// and every entry of open that no place needs.
func checkClosed(s *schema, open []string) []schemaFault {
	c := closedChecker{doc: s.doc, raw: s.raw, open: open, used: map[string]bool{}, seen: map[string]bool{}}
	c.check(s.doc, "", "")
	for _, p := range open {
		if !c.used[p] {
			c.faults = append(c.faults, schemaFault{LintMeaning, 0,
				fmt.Sprintf("open_paths lists %q, which is closed or not there", p), "remove it from open_paths"})
		}
	}
	return c.faults
}

func (c *closedChecker) check(s any, place, pointer string) {
	if !c.closed(s, 0) {
		c.report(place, pointer)
	}
	c.descend(s, place, pointer)
}

func (c *closedChecker) report(place, pointer string) {
	if slices.Contains(c.open, place) {
		c.used[place] = true
		return
	}
	c.faults = append(c.faults, schemaFault{LintMeaning, offsetOf(c.raw, pointer),
		fmt.Sprintf("the output may hold undeclared members at %q", place),
		fmt.Sprintf(`add "additionalProperties": false, or list %q in open_paths`, place)})
}

// closed says whether s alone keeps every undeclared member out.
func (c *closedChecker) closed(s any, depth int) bool {
	m, ok := s.(map[string]any)
	if !ok || depth > MaxDepth {
		return s == false
	}
	deeper := func(s any) bool { return c.closed(s, depth+1) }
	anyOf, _ := m["anyOf"].([]any)
	oneOf, _ := m["oneOf"].([]any)
	allOf, _ := m["allOf"].([]any)
	return has(m, "const") || has(m, "enum") || has(m, "type") && !allows(m, "object") ||
		m["additionalProperties"] == false || m["unevaluatedProperties"] == false ||
		has(m, "$ref") && deeper(c.target(m["$ref"])) ||
		slices.ContainsFunc(allOf, deeper) || every(anyOf, deeper) || every(oneOf, deeper)
}

// descend checks what lies below s: at the same place in the branches of s, at
// places of their own for members and items.
func (c *closedChecker) descend(s any, place, pointer string) {
	m, ok := s.(map[string]any)
	if !ok {
		return
	}
	c.descendItems(m, place, pointer)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := PointerTo(pointer, k)
		switch k {
		case "properties":
			eachNamed(m[k], func(name string, sub any) { c.check(sub, PointerTo(place, name), PointerTo(at, name)) })
		case "patternProperties":
			eachNamed(m[k], func(name string, sub any) { c.check(sub, place+"/*", PointerTo(at, name)) })
		case "additionalProperties", "unevaluatedProperties":
			if m[k] != false {
				c.check(m[k], place+"/*", at)
			}
		case "allOf", "anyOf", "oneOf":
			list, _ := m[k].([]any)
			for i, sub := range list {
				c.descend(sub, place, fmt.Sprintf("%s/%d", at, i))
			}
		case "then", "else":
			c.descend(m[k], place, at)
		case "dependentSchemas":
			eachNamed(m[k], func(name string, sub any) { c.descend(sub, place, PointerTo(at, name)) })
		case "$ref":
			c.descendRef(m[k], place)
		}
	}
}

func (c *closedChecker) descendItems(m map[string]any, place, pointer string) {
	prefix, _ := m["prefixItems"].([]any)
	for i, sub := range prefix {
		c.check(sub, fmt.Sprintf("%s/%d", place, i), fmt.Sprintf("%s/prefixItems/%d", pointer, i))
	}
	switch {
	case has(m, "items"):
		c.check(m["items"], place+"/*", pointer+"/items")
	case has(m, "type") && allows(m, "array") && !has(m, "enum") && !has(m, "const") && m["unevaluatedItems"] != false:
		c.report(place+"/*", pointer)
	}
}

func (c *closedChecker) descendRef(ref any, place string) {
	pointer, _ := ref.(string)
	pointer = strings.TrimPrefix(pointer, "#")
	if c.seen[pointer] {
		return
	}
	c.seen[pointer] = true
	c.descend(c.target(ref), place, pointer)
	delete(c.seen, pointer)
}

func (c *closedChecker) target(ref any) any {
	return refTarget(c.doc, ref)
}

// refTarget resolves a reference within doc; nil if there is nothing.
func refTarget(doc, ref any) any {
	text, _ := ref.(string)
	v, _ := LookUp(doc, PointerTokens(unescapeFragment(strings.TrimPrefix(text, "#"))))
	return v
}

func has(m map[string]any, k string) bool { _, ok := m[k]; return ok }

// allows says whether the type keyword lets t through.
func allows(m map[string]any, t string) bool {
	list, ok := m["type"].([]any)
	return ok && slices.Contains(list, any(t)) || m["type"] == t
}

func every(list []any, holds func(any) bool) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(s any) bool { return !holds(s) })
}

func eachNamed(v any, do func(name string, sub any)) {
	named, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		do(name, named[name])
	}
}
