package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"inferonce/contracts"
)

// refused says that the contract's own judgement of the calls has this code.
func (s *sight) refused(codes ...string) (*contracts.Failure, bool) {
	f := s.check()
	return f, s.failure == nil && f != nil && hasCode(codes...)(f)
}

func knownTool(s *sight) miss {
	f, bad := s.refused(contracts.CodeUnknownTool)
	if !bad {
		return miss{}
	}
	return placesMiss(f.Violations, "a tool is called that was not offered")
}

func argumentsDecode(s *sight) miss {
	f, bad := s.refused(contracts.CodeArguments)
	if !bad {
		return miss{}
	}
	return miss{message: f.Detail}
}

// argumentsHold owns a call that was required and did not come, too: the
// answer's schema asks for one.
func argumentsHold(s *sight) miss {
	f, bad := s.refused(contracts.CodeSchema, contracts.CodeNoCall)
	if !bad {
		return miss{}
	}
	return placesMiss(f.Violations, "the tools' schemas do not hold")
}

// callInText says that the server left a call in the content.
func callInText(s *sight) bool {
	_, bad := s.refused(contracts.CodeCallInText)
	return bad && s.offered()
}

// callsDistinct wants an id of its own for each of several calls: the second
// turn answers by id. The same call twice is one that was merged or repeated on
// its way, unless the case wants it twice. How many calls are right is a
// question of meaning.
func callsDistinct(s *sight) miss {
	calls := s.got.ToolCalls
	if s.failure != nil || len(calls) < 2 {
		return miss{}
	}
	ids := map[string]bool{}
	for _, c := range calls {
		if c.ID == "" || ids[c.ID] {
			return miss{message: fmt.Sprintf("%d calls share an id, or have none", len(calls))}
		}
		ids[c.ID] = true
	}
	if s.kase.Calls != nil && repeats(calls) && !wantedTwice(s.kase.Calls) {
		return miss{message: fmt.Sprintf("of %d calls two are the same", len(calls))}
	}
	return miss{}
}

func repeats(calls []contracts.ToolCall) bool {
	seen := map[string]bool{}
	for _, c := range calls {
		var arguments bytes.Buffer
		_ = json.Compact(&arguments, []byte(c.Arguments)) // TOOL-02 has read it
		call := c.Name + "\n" + plain(arguments.Bytes())
		if seen[call] {
			return true
		}
		seen[call] = true
	}
	return false
}

// wantedTwice says that the case wants one tool more than once with arguments
// that may be the same.
func wantedTwice(calls []contracts.ExpectedCall) bool {
	for i, a := range calls {
		if slices.ContainsFunc(calls[i+1:], func(b contracts.ExpectedCall) bool { return a.Name == b.Name && overlap(a, b) }) {
			return true
		}
	}
	return false
}

func overlap(a, b contracts.ExpectedCall) bool {
	for name, values := range a.Arguments {
		other, ok := b.Arguments[name]
		if ok && !slices.ContainsFunc(values, func(v json.RawMessage) bool {
			return slices.ContainsFunc(other, func(w json.RawMessage) bool { return plain(v) == plain(w) })
		}) {
			return false
		}
	}
	return true
}

// finishAgrees: an unknown reason has been refused by ENV-03. The provider's
// profile may say that it ends calls by "stop", never that it ends words by
// "tool_calls".
func finishAgrees(s *sight) miss {
	called, says := len(s.got.ToolCalls) > 0, s.got.FinishReason == "tool_calls"
	switch {
	case s.failure != nil || called == says || called && s.judge.calls.UnderStop:
		return miss{}
	case called:
		return miss{message: "there are calls, and the finish reason does not say so; if that is this provider's way, its profile can"}
	}
	return miss{message: "the finish reason says tool_calls, and there are none"}
}

// rightArguments owns the answers that call the right tools and pass them the
// wrong arguments; which tools are called is SEM-01's.
func rightArguments(s *sight) miss {
	if s.output == nil {
		return miss{}
	}
	wrong := slices.DeleteFunc(s.judge.contract.CheckCase(s.kase, s.output), func(v contracts.Violation) bool { return v.Rule != contracts.RuleArguments })
	return placesMiss(wrong, "the arguments are not the right ones")
}
