package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inferonce/jobstore/jobstoretest"
)

// One call records the job and its attempt before the request leaves, one its
// end. A third for every inference would be a third of the store's work.
func TestAnUntroubledInferenceIsTwoScriptCalls(t *testing.T) {
	provider := httptest.NewServer(benchProvider(0))
	t.Cleanup(provider.Close)
	addr, store := wholeRouter(t, provider.URL, jobstoretest.StartRedis(t).URL())
	for i := range 50 {
		before := store.Calls()
		askOnce(t, addr, fmt.Sprint("ticket-", i))
		if n := store.Calls() - before; n != 2 {
			t.Fatalf("inference %d took %d script calls, want 2", i+1, n)
		}
	}
	before := store.Calls()
	askOnce(t, addr, "ticket-0")
	if n := store.Calls() - before; n != 2 {
		t.Errorf("a repeat took %d script calls, want 2: one that finds the job, one that reads it", n)
	}
}

func askOnce(t *testing.T, addr, key string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr+"/v1/infer",
		strings.NewReader(`{"contract":"ticket-triage","input":{"text":"My card was stolen, block it!"}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+devKey)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("key %s: status %d", key, resp.StatusCode)
	}
}
