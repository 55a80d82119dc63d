package contracts

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The codes of a Failure from ParseOutput and CheckOutput, beside the Reason
// constants that both share with Canonical.
const (
	CodeNotJSON   = "not_json"  // prose, a tag, anything that begins no JSON value
	CodeCut       = "cut"       // begins as JSON and does not end
	CodeFence     = "fence"     // wrapped in a Markdown fence
	CodePadding   = "padding"   // more white space around the value than maxPadding
	CodeSchema    = "schema"    // breaks the output schema
	CodeAssertion = "assertion" // breaks an assertion of the contract
)

// maxPadding is how much white space may surround an answer, in bytes: a
// newline or two is a habit, more is a model that has lost its way.
const maxPadding = 8

// ParseOutput accepts content that is exactly one JSON value, and returns that
// value's bytes as they came. It repairs nothing: no fence is taken off, no
// first of two values chosen, because the second may say the opposite. The
// failure is of class bad_response, its effect ended.
func ParseOutput(content string) (json.RawMessage, *Failure) {
	raw, _, failure := parseOutput(content)
	return raw, failure
}

// parseOutput is ParseOutput which also gives the decoded value.
func parseOutput(content string) (json.RawMessage, any, *Failure) {
	trimmed := strings.Trim(content, jsonSpace)
	if strings.HasPrefix(trimmed, "```") {
		return nil, nil, badOutput(CodeFence, "the answer is wrapped in a Markdown fence")
	}
	v, end, err := parse([]byte(content), boundedNumber)
	if err != nil {
		return nil, nil, badOutput(outputCode(err, trimmed), "the answer "+err.Message)
	}
	if strings.Trim(content[end:], jsonSpace) != "" {
		return nil, nil, badOutput(ReasonTrailing, "the answer goes on after its JSON value")
	}
	if len(content)-len(trimmed) > maxPadding {
		return nil, nil, badOutput(CodePadding, fmt.Sprintf("the answer has more than %d bytes of white space around it", maxPadding))
	}
	return json.RawMessage(trimmed), v, nil
}

func badOutput(code, detail string) *Failure {
	return &Failure{Class: BadResponse, Effect: Ended, Code: code, Detail: detail}
}

// outputCode tells prose from JSON that went wrong, because they have different cures.
func outputCode(err *CanonicalError, trimmed string) string {
	if err.Reason != ReasonSyntax {
		return err.Reason
	}
	if strings.HasPrefix(err.Message, "ends in") {
		return CodeCut
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		return ReasonSyntax
	}
	return CodeNotJSON
}

// CheckOutput judges a live answer to input: its structure (ParseOutput), the
// output schema, the contract's assertions, in this order and no further than
// the first that fails. It returns the answer's own bytes, or a failure of
// class bad_response or contract_violation with effect ended. A checker that
// breaks down is a failure, never a pass.
func (c *Contract) CheckOutput(content string, input json.RawMessage) (output json.RawMessage, failure *Failure) {
	defer func() {
		if r := recover(); r != nil {
			output, failure = nil, violated(CodeSchema, []Violation{{"", ruleValidatorFailed, "can't be validated"}})
		}
	}()
	var value any
	output, value, failure = parseOutput(content)
	if failure != nil {
		return nil, failure
	}
	if broken := c.validateOutputValue(value); len(broken) > 0 {
		return nil, violated(CodeSchema, broken)
	}
	if c.Chat {
		if failure := c.checkAnswer(value, input); failure != nil {
			return nil, failure
		}
	}
	if len(c.assertions) == 0 {
		return output, nil
	}
	in, _ := decodeJSON(input)
	if broken := checkAll(c.assertions, varsOf(in, value)); len(broken) > 0 {
		return nil, violated(CodeAssertion, broken)
	}
	return output, nil
}

func violated(code string, broken []Violation) *Failure {
	return &Failure{Class: ContractViolation, Effect: Ended, Code: code, Violations: broken,
		Detail: fmt.Sprintf("the answer breaks the contract in %d places", len(broken))}
}

// liveVars decodes what an assertion sees. What can't be decoded is null, and
// an assertion that needs it fails.
func liveVars(input, output json.RawMessage) vars {
	in, _ := decodeJSON(input)
	out, _ := decodeJSON(output)
	return varsOf(in, out)
}

func varsOf(in, out any) vars { return vars{"input": celValue(in), "output": celValue(out)} }
