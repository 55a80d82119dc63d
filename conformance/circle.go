package conformance

import (
	"slices"
	"strings"
)

// circular says that a reference of a schema leads to a place that holds it.
func circular(doc any) bool {
	c := &circle{doc: doc, open: map[string]bool{}, straight: map[string]bool{}}
	return c.in(doc)
}

// circle follows references: open are those on the way, straight those that are
// known to come to an end.
type circle struct {
	doc            any
	open, straight map[string]bool
}

func (c *circle) in(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, c.in)
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && c.behind(ref) {
			return true
		}
		for k, sub := range v {
			if k != "$defs" && k != "enum" && k != "const" && c.in(sub) {
				return true
			}
		}
	}
	return false
}

func (c *circle) behind(ref string) bool {
	switch {
	case c.open[ref] || ref == "#":
		return true
	case c.straight[ref]:
		return false
	}
	c.open[ref] = true
	target, _ := at(c.doc, strings.TrimPrefix(ref, "#"))
	round := c.in(target)
	delete(c.open, ref)
	c.straight[ref] = !round
	return round
}
