package jobstore

import (
	"strings"
	"testing"
	"time"
)

// A script that is slow, on a busy machine, runs its commands after the clock
// should have moved. Moving it there would wait for the script itself.
func TestTimeDoesNotPassInsideAScript(t *testing.T) {
	for _, c := range []struct {
		name  string
		cmd   string
		args  []string
		moves bool
	}{
		{"a script is about to run", "EVALSHA", []string{"sha", "0"}, true},
		{"a script that is not known yet", "EVAL", []string{"text", "0"}, true},
		{"a lease is asked for", "SET", []string{"key", "holder", "px", "60000", "nx"}, true},
		{"a script writes its reply", "SET", []string{"key", "reply", "PX", "60000"}, false},
		{"a script takes a key", "SET", []string{"key", "value", "NX"}, false},
		{"a script writes what stays", "SET", []string{"key", "value"}, false},
		{"a script reads", "HGET", []string{"key", "field"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := NewEmbedded()
			long := time.Now().Add(-time.Hour)
			e.last = long
			e.pass(nil, c.cmd, c.args...)
			if moved := !e.last.Equal(long); moved != c.moves {
				t.Errorf("the clock moved: %t, want %t", moved, c.moves)
			}
		})
	}
}

func TestNoScriptLooksLikeALease(t *testing.T) {
	for _, s := range loadScripts(true).all() {
		for line := range strings.Lines(strings.ToUpper(s.text)) {
			if strings.Contains(line, "'SET'") && strings.Contains(line, "'NX'") && (strings.Contains(line, "'PX'") || strings.Contains(line, "'EX'")) {
				t.Errorf("%s: %s is how the embedded store knows a lease", s.name, strings.TrimSpace(line))
			}
		}
	}
}
