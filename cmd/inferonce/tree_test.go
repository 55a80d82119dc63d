package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func newTestRoot() *cobra.Command {
	root := newRootCmd(func(string) (string, bool) { return "", false })
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root
}

// walk visits every command of ours, the root first.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
}

func TestEveryCommandExplainsItself(t *testing.T) {
	walk(newTestRoot(), func(c *cobra.Command) {
		name := c.CommandPath()
		switch {
		case c.Short == "" || c.Long == "" || c.Example == "":
			t.Errorf("%s lacks a short text, a long one or an example", name)
		case strings.HasSuffix(c.Short, ".") || strings.Contains(c.Short, "\n"):
			t.Errorf("%s: the short text is a line without a full stop, not %q", name, c.Short)
		case c.HasParent() && c.Args == nil:
			t.Errorf("%s takes any arguments", name)
		}
		for line := range strings.SplitSeq(c.Long, "\n") {
			if len([]rune(line)) > 90 {
				t.Errorf("%s: too wide for a terminal: %s", name, line)
			}
		}
	})
}

func TestEveryExampleIsACommandWithItsFlags(t *testing.T) {
	walk(newTestRoot(), func(c *cobra.Command) {
		if !c.HasParent() {
			return
		}
		for line := range strings.SplitSeq(c.Example, "\n") {
			words := splitWords(line)
			for len(words) > 1 && strings.Contains(words[0], "=") {
				words = words[1:] // a variable for this command alone
			}
			if len(words) > 0 && words[0] == "curl" {
				continue
			}
			if len(words) < 2 || words[0] != "inferonce" {
				t.Errorf("%s: the example %q does not begin with inferonce", c.CommandPath(), line)
				continue
			}
			found, rest, err := newTestRoot().Find(words[1:])
			if err != nil || !strings.HasPrefix(found.CommandPath(), c.CommandPath()) {
				t.Errorf("example %q is one of %s (%v), shown at %s", line, found.CommandPath(), err, c.CommandPath())
				continue
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("example %q: %v", line, err)
			}
			if err := found.ValidateArgs(found.Flags().Args()); err != nil {
				t.Errorf("example %q: %v", line, err)
			}
		}
	})
}

// splitWords reads a line as far as examples need it: double quotes, and what
// is redirected left out.
func splitWords(line string) (words []string) {
	word, quoted := "", false
	for _, r := range line + " " {
		switch {
		case r == '"':
			quoted = !quoted
		case r != ' ' || quoted:
			word += string(r)
		case word == "<" || word == ">":
			return words
		case word != "":
			words, word = append(words, word), ""
		}
	}
	return words
}

func TestTakesNamesTheArgumentThatIsMissingOrTooMuch(t *testing.T) {
	cmd := &cobra.Command{Use: "get JOB"}
	for name, row := range map[string]struct {
		names, args []string
		want        string // "" for fine
	}{
		"nothing wanted, nothing given":   {nil, nil, ""},
		"one too many":                    {nil, []string{"x"}, `unexpected argument "x"; usage: get JOB`},
		"the second is missing":           {[]string{"JOB", "ATTEMPT"}, []string{"x"}, "ATTEMPT is missing; usage: get JOB"},
		"all there":                       {[]string{"JOB"}, []string{"x"}, ""},
		"what may be left out is":         {[]string{"[PATH...]"}, nil, ""},
		"what may be repeated is":         {[]string{"[PATH...]"}, []string{"x", "y", "z"}, ""},
		"an argument may be empty, as is": {[]string{"JOB"}, []string{""}, ""},
	} {
		got := ""
		if err := takes(row.names...)(cmd, row.args); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
