package contracts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Finding is one fault of a contract file: where it is and what to do. Load
// returns findings as errors, Lint as a list.
type Finding struct {
	// ID is the rule of the conformance suite, such as "LINT-02", or FileFault
	// for a file that can't be read as a contract at all.
	ID   string `json:"id"`
	File string `json:"file,omitempty"`
	// Line and Column count from 1; 0 where the place is not known. Column
	// counts characters.
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	// Fix says what to do about it, as an imperative.
	Fix string `json:"fix,omitempty"`
}

// The rules that a finding can name.
const (
	FileFault        = "FILE"    // not a contract: YAML, a field, a reference
	LintSchema       = "LINT-01" // the schemas compile, without anything from outside
	LintMeaning      = "LINT-02" // a schema means what it says: closed, no unknown keyword, bounded patterns
	LintCases        = "LINT-04" // the cases are sound
	LintMutants      = "LINT-05" // the cases tell a wrong answer from a right one
	LintAssertions   = "LINT-06" // assertions are typed and bounded
	LintTemplate     = "LINT-07" // the prompt uses what the input has, and nothing else
	LintIdentity     = "LINT-08" // the identity makes a key that a repeat has too
	LintRepeatPolicy = "LINT-09" // what may be repeated is declared harmless to repeat
)

// Error is "file:line:column: ID: message; fix".
func (f *Finding) Error() string {
	var s strings.Builder
	if f.File != "" {
		s.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&s, ":%d:%d", f.Line, f.Column)
		}
		s.WriteString(": ")
	}
	fmt.Fprintf(&s, "%s: %s", f.ID, f.Message)
	if f.Fix != "" {
		s.WriteString("; " + f.Fix)
	}
	return s.String()
}

// Findings returns every finding that err holds, in order of file and line;
// nil if it holds none.
func Findings(err error) []Finding {
	var found []Finding
	collect(err, &found)
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found
}

func collect(err error, into *[]Finding) {
	if f, ok := err.(*Finding); ok {
		*into = append(*into, *f)
		return
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			collect(e, into)
		}
		return
	}
	if next := errors.Unwrap(err); next != nil {
		collect(next, into)
	}
}
