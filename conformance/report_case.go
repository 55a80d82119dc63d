package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// wanted says in words what a case asks of an answer beyond the contract's
// schema, such as `category is "card"; urgent is true or false`.
func wanted(k contracts.Case) string {
	var all []string
	for _, field := range slices.Sorted(maps.Keys(k.Expected)) {
		all = append(all, fmt.Sprintf("%s is %s", field, k.Expected[field]))
	}
	for _, field := range slices.Sorted(maps.Keys(k.Accepted)) {
		var values []string
		for _, v := range k.Accepted[field] {
			values = append(values, string(v))
		}
		all = append(all, fmt.Sprintf("%s is %s", field, strings.Join(values, " or ")))
	}
	for _, a := range k.Assertions {
		all = append(all, a.Name)
	}
	return strings.Join(all, "; ")
}

// maxReproduce bounds a reproducer, in bytes. A shell takes no longer line
// gladly, and a report should not grow by its inputs.
const maxReproduce = 16 << 10

// reproduce is the call of a case as a shell command; "" where the provider
// can't say or the command would be too long.
func (s *suite) reproduce(k contracts.Case) string {
	p, able := s.Provider.(providers.Reproducer)
	if !able {
		return ""
	}
	r, err := providers.BuildRequest(s.Contract, k.Input, s.Target)
	if err != nil {
		return ""
	}
	if text := p.Reproduce(r); len(text) <= maxReproduce {
		return text
	}
	return ""
}
