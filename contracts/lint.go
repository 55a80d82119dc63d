package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/checker"
)

// Lint returns what a loaded contract still lacks before it can prove a
// target: sound cases (LINT-04), cases that tell a wrong answer from a right
// one (LINT-05), assertions within their cost (LINT-06). The faults of LINT-01,
// 02 and 07 are errors of Load. It does no input or output.
func Lint(c *Contract) []Finding {
	l := &linter{c: c}
	for _, k := range c.Cases {
		l.caseInput(k)
		l.caseValues(k)
		l.caseGolden(k)
	}
	l.costs(c.places["assertions"], c.assertions)
	l.mutants()
	return l.found
}

type linter struct {
	c     *Contract
	found []Finding
}

func (l *linter) find(n *node, id, message, fix string) {
	f := Finding{ID: id, File: l.c.file, Message: message, Fix: fix}
	if n != nil {
		f.File, f.Line, f.Column = n.file, n.line, n.column
	}
	l.found = append(l.found, f)
}

func (l *linter) caseInput(k Case) {
	for _, v := range l.c.CheckInput(k.Input) {
		l.find(k.place, LintCases, fmt.Sprintf("case %q: its input breaks the input schema at %q: %s", k.ID, v.Pointer, v.Message), "correct the input")
	}
}

// caseValues checks each value that a case calls right against the output
// schema: an answer that the schema refuses can never come.
func (l *linter) caseValues(k Case) {
	if len(k.Expected)+len(k.Accepted)+len(k.Assertions) == 0 && k.Calls == nil {
		l.find(k.place, LintCases, fmt.Sprintf("case %q says nothing about the answer", k.ID), "add expected, accepted, calls or assertions")
	}
	if l.c.Chat {
		l.caseChat(k)
		return
	}
	if len(l.c.Tools) > 0 || k.Calls != nil {
		l.caseCalls(k)
		return
	}
	for _, field := range slices.Sorted(maps.Keys(k.Expected)) {
		l.caseValue(k, field, k.Expected[field])
	}
	for _, field := range slices.Sorted(maps.Keys(k.Accepted)) {
		for _, value := range k.Accepted[field] {
			l.caseValue(k, field, value)
		}
	}
}

func (l *linter) caseValue(k Case, field string, value json.RawMessage) {
	path := strings.Split(field, ".")
	for _, v := range l.c.validateOutput(nest(path, value)) {
		if v.Rule == "required" { // the other fields are not this case's business
			continue
		}
		l.find(k.place, LintCases, fmt.Sprintf("case %q: the value of %s %s", k.ID, field, v.Message), "correct it, or the output schema")
	}
}

// nest wraps a value into the objects of its path.
func nest(path []string, value json.RawMessage) json.RawMessage {
	for _, name := range slices.Backward(path) {
		value = slices.Concat([]byte("{"), quoteJSON(name), []byte(":"), value, []byte("}"))
	}
	return value
}

// caseGolden runs the assertions over the answer that the case calls right,
// where the case says enough to know it whole.
func (l *linter) caseGolden(k Case) {
	golden, ok := l.c.golden(k)
	if !ok {
		return
	}
	broken := checkAll(l.c.assertions, liveVars(k.Input, golden))
	for _, v := range append(broken, l.c.CheckCase(k, golden)...) {
		id := LintCases
		if v.Rule == ruleAssertionError {
			id = LintAssertions
		}
		l.find(k.place, id, fmt.Sprintf("case %q: the right answer fails: %s", k.ID, v.Message), "correct the assertion or the case")
	}
}

// golden is the right answer to a case, made of its expected values and the
// first of each accepted set. False where that is not a whole answer.
func (c *Contract) golden(k Case) (json.RawMessage, bool) {
	if k.Calls != nil && !c.Chat {
		raw, err := json.Marshal(k.goldenCalls())
		return raw, err == nil && len(c.validateOutput(raw)) == 0
	}
	tree := map[string]any{}
	if len(k.Calls) > 0 {
		tree = k.goldenCalls()
	}
	for field, values := range k.Accepted {
		plant(tree, strings.Split(field, "."), values[0])
	}
	for field, value := range k.Expected {
		plant(tree, strings.Split(field, "."), value)
	}
	raw, err := json.Marshal(tree)
	return raw, err == nil && len(c.validateOutput(raw)) == 0 && (!c.Chat || c.answers(raw, k.Input))
}

func plant(tree map[string]any, path []string, value json.RawMessage) {
	for _, name := range path[:len(path)-1] {
		next, ok := tree[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			tree[name] = next
		}
		tree = next
	}
	tree[path[len(path)-1]] = value
}

// costs reports assertions whose cheapest evaluation is over the limit. What
// an expensive one costs depends on the answer and is bounded when it runs.
func (l *linter) costs(at *node, assertions []Assertion) {
	env, err := newCEL(true)
	if err != nil {
		l.find(at, LintAssertions, "the assertion language can't be built", "report this as a fault of the program")
		return
	}
	for _, a := range assertions {
		ast, issues := env.Compile(a.Source)
		if issues.Err() != nil {
			continue // Load has compiled it
		}
		if cost, err := env.EstimateCost(ast, unknownSizes{}); err == nil && cost.Min > maxAssertSteps {
			l.find(at, LintAssertions, fmt.Sprintf("assertion %q always takes too many steps", a.Name), "simplify it")
		}
	}
}

// unknownSizes leaves every estimate to CEL.
type unknownSizes struct{}

func (unknownSizes) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }

func (unknownSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
