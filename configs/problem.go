package configs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is one thing wrong with a configuration. It quotes settings'
// names and short words as they stand in the file; never a secret, and never
// what a variable of the environment expanded to.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`   // from 1; 0 if it is about no line
	Column  int    `json:"column,omitempty"` // from 1, in characters
	Path    string `json:"path,omitempty"`   // such as routes.ticket-triage.connect; "" for the whole file
	Message string `json:"message"`          // what is wrong
	Fix     string `json:"fix"`              // what to do
	Excerpt string `json:"excerpt,omitempty"`
}

// String is file:line:column: path: message; fix, then the excerpt.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message + "; " + p.Fix)
	if p.Excerpt != "" {
		b.WriteString("\n" + p.Excerpt)
	}
	return b.String()
}

// Error is everything that is wrong with a configuration, in the order of the file.
type Error struct{ Problems []Problem }

// Error prints one problem after the other.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func newError(ps []Problem) *Error {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path))
	})
	return &Error{ps}
}

// place is a stretch of one line of the file.
type place struct {
	line, column, width int
	public              bool // the text there may be shown
}

// widestExcerpt is the longest line that is shown, in characters.
const widestExcerpt = 160

var settingName = regexp.MustCompile(`[A-Za-z0-9_.-]+["']?:(\s|$)`)

// excerpt shows a line and a caret under the place. Only names of settings,
// punctuation and a public place are legible: a secret may stand anywhere,
// under a misspelt name too.
func excerpt(lines []string, at place) string {
	if at.line < 1 || at.line > len(lines) {
		return ""
	}
	line := strings.ReplaceAll(lines[at.line-1], "\t", " ")
	n := utf8.RuneCountInString(line)
	if n > widestExcerpt || at.column < 1 || at.column > n+1 {
		return ""
	}
	width := max(1, min(at.width, n+1-at.column))
	mark := strings.Repeat(" ", at.column-1) + strings.Repeat("^", width)
	return fmt.Sprintf("%5d | %s\n      | %s", at.line, mask(line, at, width), mark)
}

func mask(line string, at place, width int) string {
	var b strings.Builder
	names := settingName.FindAllStringIndex(line, -1)
	column := 0
	for i, r := range line {
		column++
		inPlace := at.public && column >= at.column && column < at.column+width
		inName := slices.ContainsFunc(names, func(n []int) bool { return i >= n[0] && i < n[1] })
		if inPlace || inName || strings.ContainsRune(" {}[],#", r) {
			b.WriteRune(r)
		} else {
			b.WriteByte('*')
		}
	}
	return b.String()
}
