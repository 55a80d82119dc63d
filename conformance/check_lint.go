package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

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

// maxOurs bounds the list of keywords in a report.
const maxOurs = 100

// askable holds what the target is asked for against its part of JSON Schema.
// Nothing on the way changes a schema, so one that the provider would refuse, or
// that it would only take with another meaning, is a fault of the pair.
func askable(o Options) finding {
	p := projectionOf(o.Contract, o.Profile)
	profile := cmp.Or(o.Profile.Name, ProfileNone)
	values := map[string]string{"profile": profile, "only_ours": strings.Join(p.OnlyOurs[:min(len(p.OnlyOurs), maxOurs)], "; ")}
	detail := "profile " + profile
	if len(p.Refused) > 0 {
		return of(len(p.Refused), 0, detail+": "+someOf(p.Refused)).with(values)
	}
	switch {
	case profile == ProfileNone:
		detail += ": nothing is taken for enforced by the provider"
	case len(p.OnlyOurs) > 0:
		detail += "; only we enforce " + someOf(p.OnlyOurs)
	}
	return finding{verdict: contracts.Pass, n: 1, ok: 1, detail: detail, values: values}
}

func projectionOf(c *contracts.Contract, profile SchemaProfile) (all Projection) {
	if c.Chat {
		for _, s := range strictSchemas(c) {
			one := Project(s, profile)
			all.OnlyOurs, all.Refused = append(all.OnlyOurs, one.OnlyOurs...), append(all.Refused, one.Refused...)
		}
		return all
	}
	if len(c.Tools) == 0 {
		return Project(c.OutputSchema(), profile)
	}
	for _, t := range c.Tools {
		one := ProjectTool(t.Parameters(), profile)
		for _, where := range one.OnlyOurs {
			all.OnlyOurs = append(all.OnlyOurs, t.Name+": "+where)
		}
		for _, why := range one.Refused {
			all.Refused = append(all.Refused, t.Name+": "+why)
		}
	}
	return all
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
