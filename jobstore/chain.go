package jobstore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"inferonce/contracts"
)

// AuditHead is where the audit chain ends: the number and the hash of its
// newest entry. The zero AuditHead is that of an empty chain. Whoever keeps a
// head elsewhere can prove later that nothing before it was written anew.
type AuditHead struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// String is the head as it is stored; "" for an empty chain.
func (h AuditHead) String() string {
	if h.Seq == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", h.Seq, h.Hash)
}

func (e AuditEntry) head() AuditHead { return AuditHead{Seq: e.Seq, Hash: e.Hash} }

// chain makes e the entry that follows head.
func chain(head AuditHead, e AuditEntry) (AuditEntry, error) {
	e.ID, e.Seq, e.Prev = "", head.Seq+1, head.Hash
	e.At = e.At.UTC()
	hash, err := e.sum()
	e.Hash = hash
	return e, err
}

// sum is the SHA-256 of the entry's canonical JSON (RFC 8785), without its id
// and its hash. The hash of the entry before is part of it.
func (e AuditEntry) sum() (string, error) {
	e.ID, e.Hash = "", ""
	text, err := contracts.Canonical([]byte(encode(e)))
	if err != nil {
		return "", fmt.Errorf("audit entry: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// ChainSpan is how much of the audit chain is there and holds.
type ChainSpan struct {
	Entries int       // checked, and all in order
	From    int64     // number of the oldest one there; 1 unless older ones were trimmed
	Since   time.Time // when it was written
	Before  int       // older entries, from before there was a chain
}

// ChainError names the first entry, from the oldest on, that does not fit.
type ChainError struct {
	Entry  string // its id; "" where an entry is missing at the end
	Reason string
}

func (e *ChainError) Error() string {
	if e.Entry == "" {
		return e.Reason
	}
	return "entry " + e.Entry + ": " + e.Reason
}

// CheckChain holds a whole audit log, newest first as Audit gives it, against
// its head. The oldest entries may have been trimmed, and only while the log is
// at its limit; that leaves the rest provable. The error is a *ChainError.
func CheckChain(log []AuditEntry, head AuditHead) (ChainSpan, error) {
	return checkChain(log, head, maxAudit)
}

func checkChain(log []AuditEntry, head AuditHead, most int) (ChainSpan, error) {
	var span ChainSpan
	var last AuditHead
	for i := len(log) - 1; i >= 0; i-- {
		e := log[i]
		switch {
		case span.Entries == 0 && e.Seq == 0 && e.Hash == "":
			span.Before++
			continue
		case span.Entries == 0:
			if e.Seq > 1 && len(log) < most {
				return span, &ChainError{e.ID, fmt.Sprintf("the %d entries before it are gone, and the log is not long enough to be trimmed", e.Seq-1)}
			}
			if e.Seq < 1 || (e.Seq == 1) != (e.Prev == "") {
				return span, &ChainError{e.ID, "it does not begin a chain"}
			}
			span.From, span.Since = e.Seq, e.At
		case e.Seq != last.Seq+1 || e.Prev != last.Hash:
			return span, &ChainError{e.ID, fmt.Sprintf("it does not follow entry number %d: something was taken out, put in or edited before it", last.Seq)}
		}
		if sum, err := e.sum(); err != nil || sum != e.Hash {
			return span, &ChainError{e.ID, "it was edited: its content does not give its hash"}
		}
		last = e.head()
		span.Entries++
	}
	if last != head {
		return span, &ChainError{"", fmt.Sprintf("the newest entries are gone: the log ends with number %d, the chain with number %d", last.Seq, head.Seq)}
	}
	return span, nil
}
