package jobstore

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// logOf is a log of n chained entries, newest first, and its head.
func logOf(t *testing.T, n int) ([]AuditEntry, AuditHead) {
	t.Helper()
	var log []AuditEntry
	var head AuditHead
	for i := range n {
		e, err := chain(head, AuditEntry{At: time.Unix(int64(i), 0), By: "ops", Target: "mini", To: Disabled, Reason: "because",
			Evidence: &Evidence{Calls: i, Checks: map[string]int{"STR-01": i, "ENV-01": 1}}})
		if err != nil {
			t.Fatal(err)
		}
		head = e.head()
		e.ID = string(rune('a' + i))
		log = append([]AuditEntry{e}, log...)
	}
	return log, head
}

func TestTheAuditChainShowsWhatWasDoneToIt(t *testing.T) {
	const ok = "holds"
	for _, c := range []struct {
		name string
		do   func(log []AuditEntry, head *AuditHead) []AuditEntry
		most int
		want string // the entry that is named
	}{
		{"an untouched log holds", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return l }, 100, ok},
		{"an empty chain holds", func(_ []AuditEntry, h *AuditHead) []AuditEntry { *h = AuditHead{}; return nil }, 100, ok},
		{"an edited reason", func(l []AuditEntry, _ *AuditHead) []AuditEntry { l[2].Reason = "another"; return l }, 100, "c"},
		{"edited evidence", func(l []AuditEntry, _ *AuditHead) []AuditEntry { l[2].Evidence.Checks["STR-01"]++; return l }, 100, "c"},
		{"an edit with a hash that fits it breaks at the next entry", func(l []AuditEntry, _ *AuditHead) []AuditEntry {
			l[2].By = "nobody"
			l[2].Hash, _ = l[2].sum()
			return l
		}, 100, "d"},
		{"an edit of the newest with a hash that fits it breaks at the head", func(l []AuditEntry, _ *AuditHead) []AuditEntry {
			l[0].By = "nobody"
			l[0].Hash, _ = l[0].sum()
			return l
		}, 100, ""},
		{"an entry taken out of the middle", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return slices.Delete(l, 2, 3) }, 100, "d"},
		{"two entries swapped", func(l []AuditEntry, _ *AuditHead) []AuditEntry { l[1], l[2] = l[2], l[1]; return l }, 100, "d"},
		{"an entry given twice", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return slices.Insert(l, 2, l[2]) }, 100, "c"},
		{"the newest taken out", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return l[1:] }, 100, ""},
		{"all taken out", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return nil }, 100, ""},
		{"the oldest taken out of a short log", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return l[:4] }, 100, "b"},
		{"the oldest trimmed from a log at its limit", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return l[:4] }, 4, ok},
		{"a trimmed log whose oldest entry was edited", func(l []AuditEntry, _ *AuditHead) []AuditEntry { l[3].Reason = "x"; return l[:4] }, 4, "b"},
		{"entries from before there was a chain", func(l []AuditEntry, _ *AuditHead) []AuditEntry { return append(l, AuditEntry{ID: "0"}) }, 100, ok},
		{"an entry without hash within the chain", func(l []AuditEntry, _ *AuditHead) []AuditEntry {
			return slices.Insert(l, 2, AuditEntry{ID: "new"})
		}, 100, "new"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log, head := logOf(t, 5)
			log = c.do(log, &head)
			_, err := checkChain(log, head, c.most)
			var broken *ChainError
			switch {
			case c.want == ok && err != nil:
				t.Errorf("%v", err)
			case c.want != ok && (!errors.As(err, &broken) || broken.Entry != c.want):
				t.Errorf("%v, want entry %q named", err, c.want)
			}
		})
	}
}

func TestATrimmedChainSaysHowFarItReaches(t *testing.T) {
	log, head := logOf(t, 5)
	span, err := checkChain(log[:3], head, 3)
	if err != nil || span.Entries != 3 || span.From != 3 || !span.Since.Equal(time.Unix(2, 0)) {
		t.Errorf("%+v, %v; want entries 3 to 5", span, err)
	}
}

// The hash is computed here by hand from RFC 8785 and FIPS 180-4, so that other
// programs can check a log too.
func TestTheHashOfAnEntry(t *testing.T) {
	e, err := chain(AuditHead{}, AuditEntry{ID: "5-0", At: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC), By: "ops", Action: "disable",
		Target: "mini", Contract: "c@1", Digest: "sha256:aa", From: Eligible, To: Disabled, Reason: "drifts"})
	// printf '%s' '{"action":"disable","at":"2026-01-15T12:00:00Z","by":"ops","contract":"c@1","digest":"sha256:aa","from":"eligible","hash":"","id":"","prev":"","reason":"drifts","seq":1,"target":"mini","to":"disabled"}' | sha256sum
	const want = "efd5c7d984dec5acc75400c0ab00ee4080af62234c1c855f156e3d081bafa082"
	if err != nil || e.Hash != want {
		t.Errorf("%s, %v; want %s", e.Hash, err, want)
	}
}
