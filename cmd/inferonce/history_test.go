package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"inferonce/jobstore"
)

// Somebody wrote to the log behind the routers' back: the first entry that does
// not fit is named, with exit code 1.
func TestABrokenAuditLogIsNamed(t *testing.T) {
	page, err := json.Marshal(map[string]any{"object": "list", "next": nil, "head": jobstore.AuditHead{Seq: 2, Hash: strings.Repeat("b", 64)},
		"data": []jobstore.AuditEntry{{ID: "5-1", Seq: 2, Prev: strings.Repeat("a", 64), Hash: strings.Repeat("b", 64)},
			{ID: "5-0", Seq: 1, Hash: strings.Repeat("a", 64), Reason: "edited"}}})
	if err != nil {
		t.Fatal(err)
	}
	code, out, talk := runAgainst(t, says(http.StatusOK, "application/json", string(page)), "eligibility", "history", "--verify")
	if code != exitChecksFailed || !strings.Contains(talk, "entry 5-0") || !strings.Contains(out, "no") {
		t.Errorf("exit code %d\n%s%s", code, out, talk)
	}
}
