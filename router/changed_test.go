package router

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"inferonce/contracts"
)

// changedBy is the sample contracts with one byte more at the first place where
// ticket-triage has the text at.
func changedBy(t *testing.T, at string) *contracts.Catalog {
	t.Helper()
	files, changed := fstest.MapFS{}, false
	sample := os.DirFS("../configs/contracts")
	err := fs.WalkDir(sample, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(sample, name)
		if i := bytes.Index(raw, []byte(at)); name == "ticket-triage.yaml" && i >= 0 {
			raw, changed = append(append(bytes.Clone(raw[:i+len(at)]), ' '), raw[i+len(at):]...), true
		}
		files[name] = &fstest.MapFile{Data: raw}
		return err
	})
	if err != nil || !changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	catalog, err := contracts.LoadDir(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func TestAContractThatChangedByOneByteHasNoFallbackUntilItIsCertified(t *testing.T) {
	for part, at := range map[string]string{"its prompt": "TRIAGE. JSON.", "its schema": `"urgent": {`} {
		t.Run(part, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.prove()
				w.a.answer = fails(tooLong)
				w.expect(w.infer(w.router, "ticket-triage", "before", time.Minute), "succeeded by 2: a failed, b succeeded")
				w.config.Contracts = changedBy(t, at)
				for i := range w.config.Routes {
					c, err := w.config.Contracts.Get(w.config.Routes[i].Contract.Ref())
					if err != nil {
						t.Fatal(err)
					}
					w.config.Routes[i].Contract = c
				}
				changed := w.start("changed", w.open())
				j := w.infer(changed, "ticket-triage", "after", time.Minute)
				w.expect(j, "failed no_eligible_fallback: a failed")
				if reason := j.Error.Excluded[0].Reason; !strings.Contains(reason, "contract") || !strings.Contains(reason, "conformance") {
					t.Errorf("the reason says %q", reason)
				}
				c, _ := w.config.Contracts.Get("ticket-triage")
				if _, err := changed.AcceptReport(context.Background(), report(c, "b", contracts.Pass), "ci"); err != nil {
					t.Fatal(err)
				}
				w.expect(w.infer(changed, "ticket-triage", "certified", time.Minute), "succeeded by 2: a failed, b succeeded")
			})
		})
	}
}
