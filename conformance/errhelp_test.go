package conformance_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"inferonce/contracts"
)

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// undeclared is the sample contract without its words about probes.
func undeclared(t *testing.T) *contracts.Contract {
	t.Helper()
	dir := os.DirFS("../configs/contracts")
	all := fstest.MapFS{}
	for _, name := range []string{"ticket-triage.yaml", "cases/ticket-triage.jsonl"} {
		raw, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: regexp.MustCompile(`(?m)^probes:\n(  .*\n)+`).ReplaceAll(raw, nil)}
	}
	c, err := contracts.Load(all, "ticket-triage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}
