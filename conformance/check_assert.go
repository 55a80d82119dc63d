package conformance

import (
	"regexp"
	"slices"

	"inferonce/contracts"
)

// saysAbout tells which check an assertion belongs to by what it compares: an
// output with the input's text, an output with the input, or fields of an output
// with each other. "" for one field alone, which is a question of the right answer.
func saysAbout(a contracts.Assertion) string {
	switch {
	case a.Form == "grounded_in":
		return idGrounded
	case readsInput.MatchString(a.Source):
		return idFits
	}
	fields := map[string]bool{}
	for _, m := range readsOutput.FindAllStringSubmatch(a.Source, -1) {
		fields[m[1]] = true
	}
	if len(fields) > 1 {
		return idAgree
	}
	return ""
}

var (
	readsInput  = regexp.MustCompile(`\binput[.\[]`)
	readsOutput = regexp.MustCompile(`\boutput(?:\.|\[")([A-Za-z0-9_-]+)`)
)

// asserts says whether the contract or the case has an assertion of a check.
func asserts(c *contracts.Contract, id string) func(contracts.Case) bool {
	is := func(a contracts.Assertion) bool { return saysAbout(a) == id }
	all := slices.ContainsFunc(c.Assertions(), is)
	return func(k contracts.Case) bool { return all || slices.ContainsFunc(k.Assertions, is) }
}

// keepsAssertions finds the broken assertions of one check.
func keepsAssertions(id string, message string) func(*sight) miss {
	return func(s *sight) miss {
		mine := map[string]bool{}
		for _, a := range slices.Concat(s.judge.contract.Assertions(), s.kase.Assertions) {
			if saysAbout(a) == id {
				mine[a.Name] = true
			}
		}
		var places []contracts.Violation
		if f := s.check(); f != nil && f.Code == contracts.CodeAssertion {
			places = f.Violations
		} else if s.output != nil {
			places = s.judge.contract.CheckCase(s.kase, s.output)
		}
		return placesMiss(slices.DeleteFunc(slices.Clone(places), func(v contracts.Violation) bool { return !mine[v.Rule] }), message)
	}
}
