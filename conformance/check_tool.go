package conformance

import (
	"slices"

	"inferonce/contracts"
)

// form is how a contract is answered, where a check speaks of one form only.
type form string

const (
	inText  form = "text"  // in JSON, as the content
	inCalls form = "calls" // in calls of the contract's tools
	inChat  form = "chat"  // as each request of a chat asks
)

// The ids of the checks of calls that rules name.
const (
	idArguments = "TOOL-04"
	idNoCall    = "TOOL-05"
	idSecond    = "TOOL-07"
)

// toolForm are the checks of a call's form, before its meaning is looked at.
// The first three are exclusive: a call breaks at most one of them.
func toolForm() []Check {
	return []Check{
		{ID: "TOOL-01", Class: Hard, Proves: "R24", Says: "every call is of a tool that was offered", form: inCalls, run: knownTool},
		{ID: "TOOL-02", Class: Hard, Proves: "R24", Says: "a call's arguments are text that decodes once to one object", form: inCalls, run: argumentsDecode},
		{ID: "TOOL-03", Class: Hard, Proves: "R24", Says: "a call's arguments keep the tool's schema", form: inCalls, run: argumentsHold},
		{ID: "TOOL-06", Class: Hard, Proves: "R24", Says: "parallel calls are told apart, by id and by what they ask", form: inCalls, run: callsDistinct},
		{ID: idSecond, Class: Hard, Proves: "R24", Says: "results of calls can be sent back, and are answered", form: inCalls, probe: secondTurn},
		{ID: "TOOL-08", Class: Hard, Proves: "R24", Says: "the finish reason says whether there are calls", form: inCalls, run: finishAgrees},
	}
}

// toolMeaning are the checks of what the calls ask for.
func toolMeaning() []Check {
	return []Check{
		{ID: idNoCall, Class: Hard, Proves: "R24", Says: "where no tool fits, none is called", form: inCalls, run: rightAnswer, applies: negative},
		{ID: idArguments, Class: Statistical, Proves: "R24", Says: "the right tools get the right arguments", form: inCalls, run: rightArguments, applies: wantsCalls},
	}
}

func wantsCalls(k contracts.Case) bool { return len(k.Calls) > 0 }

// checksFor is the catalogue as it applies to a contract: a check of the other
// form says so and looks at no run.
func checksFor(c *contracts.Contract) []Check {
	checks := Catalog()
	for i := range checks {
		switch {
		case c.Chat && (checks[i].form == inText || checks[i].form == inCalls):
			checks[i].idle = "each chat request says itself how it is answered"
		case !c.Chat && checks[i].form == inChat:
			checks[i].idle = "the contract is no chat"
		case checks[i].form == inCalls && len(c.Tools) == 0:
			checks[i].idle = "the contract offers no tools"
		case checks[i].form == inText && len(c.Tools) > 0:
			checks[i].idle = "the contract is answered in calls"
		default:
			if slices.Contains([]string{idGrounded, idAgree, idFits}, checks[i].ID) {
				checks[i].applies = asserts(c, checks[i].ID)
			}
			continue
		}
		checks[i].applies = func(contracts.Case) bool { return false }
	}
	return checks
}

// argumentsVerdict is the rule of TOOL-04: the bound that the contract asks of
// right answers in certify, two thirds of the runs in quick, or the contract's
// share where that is less.
func (r rules) argumentsVerdict(t counts) contracts.Verdict {
	if r.mode == Certify {
		return passIf(LowerBound(t.ok, t.n) >= r.minSuccess)
	}
	return passIf(float64(t.ok) >= min(r.minSuccess, 2.0/3)*float64(t.n))
}
