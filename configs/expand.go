package configs

import (
	"regexp"
	"strings"
)

// fault is a problem that doesn't know yet where it is.
type fault struct{ message, fix string }

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand puts variables in place of ${NAME} and a dollar in place of $$. What
// a variable holds is taken as it is and not expanded again.
func expand(source string, env func(string) (string, bool)) (string, *fault) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(source, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		if after, ok := strings.CutPrefix(rest, "$"); ok {
			b.WriteByte('$')
			source = after
			continue
		}
		value, after, f := variable(rest, env)
		if f != nil {
			return "", f
		}
		b.WriteString(value)
		source = after
	}
}

// variable reads {NAME} at the beginning of rest.
func variable(rest string, env func(string) (string, bool)) (value, after string, f *fault) {
	name, after, closed := strings.Cut(strings.TrimPrefix(rest, "{"), "}")
	if !strings.HasPrefix(rest, "{") || !closed {
		return "", "", &fault{"a dollar that begins no variable", "write ${NAME} for a variable, $$ for a dollar"}
	}
	if !variableName.MatchString(name) {
		return "", "", &fault{"not the name of a variable between ${ and }", "use letters, digits and underscores; there are no defaults such as ${NAME:-value}"}
	}
	value, set := env(name)
	if !set {
		return "", "", &fault{"the environment variable " + name + " is not set", "export " + name + " before starting, or take the setting out"}
	}
	return value, after, nil
}
