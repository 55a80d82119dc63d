package conformance_test

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"inferonce/contracts"
)

// declared is the sample contract with words about probes.
func declared(t *testing.T) *contracts.Contract {
	t.Helper()
	dir := os.DirFS("../configs/contracts")
	all := fstest.MapFS{}
	for _, name := range []string{"ticket-triage.yaml", "cases/ticket-triage.jsonl"} {
		raw, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: raw}
	}
	all["ticket-triage.yaml"].Data = append([]byte("probes: {rendering: not_applicable, reason: it can't repeat text}\n"), all["ticket-triage.yaml"].Data...)
	c, err := contracts.Load(all, "ticket-triage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}
