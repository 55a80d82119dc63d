package contracts

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
)

// shortForms are assertions written as a map; each compiles to CEL. In all of
// them field is a dotted path into the output.
//
//	equals:      {field: status, value: open}
//	one_of:      {field: status, values: [open, closed]}
//	near:        {field: total, value: 12.5, tolerance: 0.01}
//	grounded_in: {field: order_id, source: text}    text that stands in input.text, or null
//	null_when:   {field: order_id, when: <CEL>}      null wherever the condition holds
var shortForms = []string{"equals", "one_of", "near", "grounded_in", "null_when"}

// assertions reads a list of assertions: CEL text, {name, cel}, or {name, <short form>}.
func (r *reader) assertions(n *node, env *cel.Env) []Assertion {
	if !r.is(n, "assertions", kindList) {
		return nil
	}
	if len(n.items) > maxAssertions {
		r.fault(n, LintAssertions, fmt.Sprintf("more than %d assertions", maxAssertions), "join or drop some")
		return nil
	}
	var all []Assertion
	for i, item := range n.items {
		if a, ok := r.assertion(item, env, i+1); ok {
			all = append(all, a)
		}
	}
	return all
}

func (r *reader) assertion(n *node, env *cel.Env, number int) (Assertion, bool) {
	a := Assertion{Name: fmt.Sprintf("assertion_%d", number)}
	source := n
	if n.kind == kindMap {
		r.known(n, "an assertion", append([]string{"name", "cel"}, shortForms...)...)
		if name := n.field("name"); name != nil {
			a.Name = r.text(name, "name")
		}
		source = n.field("cel")
		if source == nil {
			return r.shortForm(n, a, env)
		}
	}
	a.Source = r.text(source, "an assertion")
	return r.compiled(a, source, env)
}

func (r *reader) compiled(a Assertion, at *node, env *cel.Env) (Assertion, bool) {
	if a.Source == "" {
		r.fault(at, LintAssertions, "an assertion is empty", "write CEL or a short form")
		return a, false
	}
	program, fault := compileCEL(env, a.Source)
	if fault != nil {
		r.faultAt(at, fault.offset, LintAssertions, fmt.Sprintf("assertion %q: %s", a.Name, fault.message), fault.fix)
		return a, false
	}
	a.program = program
	return a, true
}

func (r *reader) shortForm(n *node, a Assertion, env *cel.Env) (Assertion, bool) {
	for _, form := range shortForms {
		body := n.field(form)
		if body == nil {
			continue
		}
		if !r.is(body, form, kindMap) {
			return a, false
		}
		before := len(r.faults)
		path := r.text(r.need(body, form, "field"), "field")
		a.Form = form
		a.Pointer = "/" + strings.ReplaceAll(path, ".", "/")
		a.Source = r.expand(form, body, celPath("output", path), env)
		if len(r.faults) > before {
			return a, false
		}
		return r.compiled(a, body, env)
	}
	r.fault(n, LintAssertions, "an assertion says nothing", "write CEL or one of: "+strings.Join(shortForms, ", "))
	return a, false
}

// expand writes the CEL of one short form; field is the CEL of its field.
func (r *reader) expand(form string, body *node, field string, env *cel.Env) string {
	switch form {
	case "equals":
		r.known(body, form, "field", "value")
		return field + " == " + celLiteral(r.need(body, form, "value"))
	case "one_of":
		r.known(body, form, "field", "values")
		r.is(body.field("values"), "values", kindList)
		return field + " in " + celLiteral(r.need(body, form, "values"))
	case "near":
		r.known(body, form, "field", "value", "tolerance")
		r.is(body.field("value"), "value", kindNumber)
		r.is(body.field("tolerance"), "tolerance", kindNumber)
		return fmt.Sprintf("near(%s, %s, %s)", field, celLiteral(r.need(body, form, "value")), celLiteral(r.need(body, form, "tolerance")))
	case "grounded_in":
		r.known(body, form, "field", "source")
		source := celPath("input", r.text(r.need(body, form, "source"), "source"))
		return fmt.Sprintf("%s == null || contains_norm(%s, string(%s))", field, source, field)
	}
	r.known(body, form, "field", "when")
	when := r.need(body, form, "when")
	condition := r.text(when, "when")
	if when != nil {
		if _, fault := compileCEL(env, condition); fault != nil {
			r.faultAt(when, fault.offset, LintAssertions, fault.message, fault.fix)
		}
	}
	return fmt.Sprintf("!(%s) || %s == null", condition, field)
}

func celPath(root, path string) string {
	for _, name := range strings.Split(path, ".") {
		root += "[" + strconv.Quote(name) + "]"
	}
	return root
}

// celLiteral writes a node as a CEL literal. Go's quoting of valid UTF-8 is
// understood by CEL.
func celLiteral(n *node) string {
	if n == nil {
		return "null"
	}
	switch n.kind {
	case kindString:
		return strconv.Quote(n.text)
	case kindList, kindMap:
		return celComposite(n)
	}
	return n.text
}

func celComposite(n *node) string {
	var parts []string
	for _, item := range n.items {
		parts = append(parts, celLiteral(item))
	}
	for _, f := range n.fields {
		parts = append(parts, strconv.Quote(f.name)+": "+celLiteral(f.value))
	}
	if n.kind == kindMap {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
