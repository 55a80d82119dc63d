package conformance

import (
	"encoding/json"
	"fmt"

	"inferonce/contracts"
)

// lintChecks look at the contract alone. What Load refuses can't get here, so
// those pass; they stand in the report because a reader asks for them.
func lintChecks() []Check {
	return []Check{
		{ID: "LINT-01", Class: Hard, Proves: "R24", Says: "the schemas compile, and need nothing from outside", offline: refusedByLoad},
		{ID: "LINT-02", Class: Hard, Proves: "R24", Says: "the schemas mean what they say", offline: refusedByLoad},
		{ID: "LINT-03", Class: Hard, Proves: "R24", Says: "the target can be asked for the output as the contract means it", offline: askable},
		{ID: contracts.LintCases, Class: Hard, Proves: "R24", Says: "the cases are sound", offline: linted(contracts.LintCases)},
		{ID: contracts.LintMutants, Class: Hard, Proves: "R24", Says: "the cases tell a wrong answer from a right one", offline: linted(contracts.LintMutants)},
		{ID: contracts.LintAssertions, Class: Hard, Proves: "R24", Says: "assertions are typed and bounded", offline: linted(contracts.LintAssertions)},
		{ID: "LINT-07", Class: Hard, Proves: "R24", Says: "the prompt uses what the input has, and nothing else", offline: refusedByLoad},
	}
}

func refusedByLoad(Options) finding { return of(1, 1, "") }

// linted counts the findings of one rule.
func linted(id string) func(Options) finding {
	return func(o Options) finding {
		found := 0
		detail := ""
		for _, f := range o.lint {
			if f.ID != id {
				continue
			}
			if found++; found == 1 {
				detail = f.Error()
			}
		}
		if found == 0 {
			return of(1, 1, "")
		}
		return of(found, 0, detail)
	}
}

// askable holds the output schema against the target's part of JSON Schema.
func askable(o Options) finding {
	schemas := []json.RawMessage{o.Contract.OutputSchema()}
	if len(o.Contract.Tools) > 0 {
		schemas = nil
	}
	for _, t := range o.Contract.Tools {
		schemas = append(schemas, t.Parameters())
	}
	if o.Contract.Chat {
		schemas = strictSchemas(o.Contract)
	}
	var p Projection
	for _, s := range schemas {
		one := Project(s, o.Profile)
		p.OnlyOurs, p.Refused = append(p.OnlyOurs, one.OnlyOurs...), append(p.Refused, one.Refused...)
	}
	values := map[string]string{"profile": o.Profile.Name, "only_ours": someOf(p.OnlyOurs)}
	if len(p.Refused) > 0 {
		return of(len(p.Refused), 0, someOf(p.Refused)).with(values)
	}
	return of(1, 1, "").with(values)
}

// strictSchemas are those of a chat's cases that the provider is asked to enforce.
func strictSchemas(c *contracts.Contract) (all []json.RawMessage) {
	for _, k := range c.Cases {
		if q, broken := c.ReadChat(k.Input); len(broken) == 0 && q.Format.Strict {
			all = append(all, q.Format.Schema())
		}
	}
	return all
}

// lint runs the checks that need no call and says whether there may be any.
func (s *suite) lint() bool {
	s.Options.lint = contracts.Lint(s.Contract)
	for _, c := range s.checks {
		if c.offline != nil {
			s.keep(c, c.offline(s.Options))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hard {
		s.stopped = ""
		s.stop(fmt.Sprintf("%s is not fit to prove anything; correct it first", s.Contract.Ref()))
	}
	return !s.hard
}
