package contracts

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
)

// The limits of assertions.
const (
	maxAssertions  = 32
	maxAssertion   = 2 << 10 // bytes of CEL source
	maxAssertSteps = 10_000  // CEL's cost units
)

// ruleAssertionError marks an assertion that could not be evaluated. It
// counts as failed: an answer that trips its check has not passed it.
const ruleAssertionError = "assertion_error"

// Assertion is one condition on an answer, in CEL (cel.dev). It is safe for
// concurrent use and bounded in time.
type Assertion struct {
	Name    string // the rule word of its violation
	Source  string // CEL; also for the short forms, which compile to it
	Pointer string // JSON pointer of the output field it is about, "" for the whole
	Form    string // the short form it was written in, such as "grounded_in"; "" for CEL
	program cel.Program
}

// vars are what an assertion sees; expected is nil outside cases.
type vars map[string]any

// check returns nil if the assertion holds. Messages never hold a value.
func (a *Assertion) check(v vars) (broken *Violation) {
	defer func() {
		if r := recover(); r != nil {
			broken = &Violation{a.Pointer, ruleAssertionError, fmt.Sprintf("assertion %q can't be evaluated", a.Name)}
		}
	}()
	result, _, err := a.program.Eval(map[string]any(v))
	if err != nil {
		return &Violation{a.Pointer, ruleAssertionError, fmt.Sprintf("assertion %q %s", a.Name, evalFault(err))}
	}
	if result.Value() != true {
		return &Violation{a.Pointer, a.Name, fmt.Sprintf("assertion %q does not hold", a.Name)}
	}
	return nil
}

// evalFault puts CEL's error into words that hold nothing of the answer.
func evalFault(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "no such key"):
		return "reads a field that is not there"
	case strings.Contains(text, "cost limit"):
		return "takes too many steps"
	case strings.Contains(text, "no such overload"):
		return "meets a value of another type"
	}
	return "can't be evaluated"
}

func checkAll(assertions []Assertion, v vars) []Violation {
	var broken []Violation
	for i := range assertions {
		if b := assertions[i].check(v); b != nil {
			broken = append(broken, *b)
		}
	}
	return broken
}

// languages are CEL for live answers and CEL for cases, which may also see
// what a case expects.
type languages struct {
	live  *cel.Env
	cases *cel.Env
}

func newLanguages() (languages, error) {
	live, err := newCEL(false)
	if err != nil {
		return languages{}, fmt.Errorf("build the assertion language: %w", err)
	}
	cases, err := newCEL(true)
	if err != nil {
		return languages{}, fmt.Errorf("build the assertion language for cases: %w", err)
	}
	return languages{live, cases}, nil
}

// compileCEL compiles source to a bounded program that yields a bool.
func compileCEL(env *cel.Env, source string) (cel.Program, *templateFault) {
	if len(source) > maxAssertion {
		return nil, &templateFault{0, fmt.Sprintf("an assertion has more than %d bytes", maxAssertion), "split it"}
	}
	ast, issues := env.Compile(source)
	if issues.Err() != nil {
		return nil, celFault(source, issues)
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return nil, &templateFault{0, fmt.Sprintf("yields %s, not a boolean", ast.OutputType()), "compare it with something"}
	}
	program, err := env.Program(ast, cel.CostLimit(maxAssertSteps), cel.CostTracking(celCost{}))
	if err != nil {
		return nil, &templateFault{0, "can't be planned: " + err.Error(), "simplify it"}
	}
	return program, nil
}

func celFault(source string, issues *cel.Issues) *templateFault {
	f := &templateFault{0, "is not valid CEL", "correct it"}
	if errs := issues.Errors(); len(errs) > 0 {
		f.message = errs[0].Message
		lines := strings.SplitAfter(source, "\n")
		line, column := errs[0].Location.Line()-1, errs[0].Location.Column()
		for _, before := range lines[:max(0, min(line, len(lines)))] {
			f.offset += int64(len(before))
		}
		f.offset += int64(max(0, column))
	}
	if strings.Contains(f.message, "reference to 'expected'") {
		f.message, f.fix = "uses expected, which a live answer does not have", "move it into a case"
	}
	return f
}
