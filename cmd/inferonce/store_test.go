package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
)

// A store that was set back is found out, shown, and goes on by an operator's word.
func TestAnOperatorLetsAStoreGoOn(t *testing.T) {
	redis := jobstoretest.StartRedis(t)
	file := filepath.Join(t.TempDir(), "router.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, storeConfig, redis.URL(), "http://127.0.0.1:1"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string) {
		root := newRootCmd(func(string) (string, bool) { return "", false })
		var said bytes.Buffer
		root.SetOut(&said)
		root.SetErr(&said)
		root.SetArgs(append(append([]string{"store"}, args...), "-c", file))
		err := root.ExecuteContext(t.Context())
		return codeOf(err), said.String() + fmt.Sprint(err)
	}
	s, err := jobstore.Open(t.Context(), jobstore.Options{URL: redis.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	submit := func(key string) error {
		_, err := s.Submit(t.Context(), jobstore.Submission{Owner: "o", Key: key, Fingerprint: "f", Intent: []byte("{}"), Budget: time.Hour, Lease: time.Hour})
		return err
	}
	for i := range 3 {
		if err := submit(fmt.Sprint("k", i)); err != nil {
			t.Fatal(err)
		}
	}
	if code, said := run("status"); code != 0 || !strings.Contains(said, "nothing that any router noticed") {
		t.Errorf("before: %d, %s", code, said)
	}
	redis.Do(t, "SET", "inferonce:seq", "1") // an old backup was restored
	if err := submit("late"); err == nil {
		t.Error("a job was taken by a store that had been set back")
	}
	if code, said := run("status"); code != 1 || !strings.Contains(said, "stands at 2 and was at 3") || !strings.Contains(said, "accept-rollback") {
		t.Errorf("found: %d, %s", code, said)
	}
	if code, said := run("accept-rollback"); code != 2 || !strings.Contains(said, "--reason") {
		t.Errorf("without a reason: %d, %s", code, said)
	}
	for range 2 { // the second changes nothing
		if code, said := run("accept-rollback", "--reason", "asked them all"); code != 0 {
			t.Errorf("accepting: %d, %s", code, said)
		}
	}
	if code, said := run("status"); code != 0 || strings.Count(said, "asked them all") != 1 {
		t.Errorf("accepted: %d, %s", code, said)
	}
	if err := submit("after"); err != nil {
		t.Errorf("after: %v", err)
	}
}
