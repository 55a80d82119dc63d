package configs

import (
	"errors"
	"io/fs"
	"testing"
)

// FuzzParse holds Parse to what it promises whatever the file: it answers with
// a configuration or with problems that say where and what to do.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"example.yaml", "verify.yaml"} {
		b, err := fs.ReadFile(Samples, name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, s := range []string{valid, "", "a", "- a", "{a: ${X}}", "? a\n: b", "a: &x [*x]", "<<: {a: b}", "a: |\n  b", "a: !!binary x", "--- \n--- a", "\"\\x", "\t", "routes: {\"\": {}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		cfg, err := Parse("c.yaml", b, testEnv)
		if err == nil {
			if _, err := cfg.Show(); err != nil {
				t.Fatalf("a configuration that can't be shown: %v", err)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) || cfg != nil || len(e.Problems) == 0 {
			t.Fatalf("neither a configuration nor problems: %v", err)
		}
		for _, p := range e.Problems {
			if p.Message == "" || p.Fix == "" || p.String() == "" {
				t.Fatalf("a problem that doesn't help: %+v", p)
			}
		}
	})
}
