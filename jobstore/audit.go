package jobstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// AuditEntry is one change, with who made it and why. Each names the hash of
// the one before it, so that none can be edited or taken out unseen.
type AuditEntry struct {
	ID       string           `json:"id"` // given by the store; not part of the hash
	Seq      int64            `json:"seq"`
	At       time.Time        `json:"at"`
	By       string           `json:"by"`
	Action   string           `json:"action"`
	Target   string           `json:"target"`
	Contract string           `json:"contract"`
	Digest   string           `json:"digest"`
	From     EligibilityState `json:"from,omitempty"`
	To       EligibilityState `json:"to"`
	Reason   string           `json:"reason"`
	Report   string           `json:"report,omitempty"`
	Evidence *Evidence        `json:"evidence,omitempty"`
	// EvidenceSHA256 is the hash of Evidence as it stands here. Record names the
	// record after the change and RecordSHA256 is the hash of its bytes, so that a
	// record that was edited in place shows. Proof is there if the change brought one.
	EvidenceSHA256 string `json:"evidence_sha256,omitempty"`
	Record         string `json:"record,omitempty"`
	RecordSHA256   string `json:"record_sha256,omitempty"`
	Proof          *Proof `json:"proof,omitempty"`
	Prev           string `json:"prev"` // hash of the entry before; "" for the first
	Hash           string `json:"hash"`
}

// Evidence is what made a machine change a pair: numbers and names of ours,
// never a part of an answer.
type Evidence struct {
	Rule   string         `json:"rule,omitempty"`          // that moved the pair
	Calls  int            `json:"calls,omitempty"`         // classified, in the window
	Failed int            `json:"failed,omitempty"`        // of these
	Row    int            `json:"in_a_row,omitempty"`      // the newest, without a success between
	Checks map[string]int `json:"checks,omitempty"`        // failures by check id
	Served string         `json:"served_sha256,omitempty"` // hash of a model name that no proof has
	System string         `json:"system_sha256,omitempty"` // hash of a provider's mark that no proof has
	Report string         `json:"report_sha256,omitempty"` // of a canary run
	// Tokens and Answers are the counts and the answers of a canary run that were as
	// the proof has them, OK of N. Score is its cumulative sum.
	Tokens  *Share `json:"token_counts,omitempty"`
	Answers *Share `json:"answers,omitempty"`
	Score   int    `json:"cusum,omitempty"`
}

// Sum is the hash of the evidence; "" for none.
func (e *Evidence) Sum() string {
	if e == nil {
		return ""
	}
	return shaOf(encode(e))
}

// maxAudit bounds the audit log; older entries go first.
const maxAudit = 100_000

// Audit reads the audit log, newest first, and where its chain ends. before
// continues a listing with the id of its last entry.
func (s *Store) Audit(ctx context.Context, before string, limit int) ([]AuditEntry, AuditHead, error) {
	end := "+"
	if before != "" {
		end = "(" + before
	}
	// Both in one step: a change between the two would look like a fault.
	pipe := s.client.TxPipeline()
	last := pipe.Get(ctx, s.keys.auditHead())
	messages := pipe.XRevRangeN(ctx, s.keys.audit(), end, "-", int64(limit))
	_, err := pipe.Exec(ctx)
	if _, bad := messages.Result(); isReply(bad) && bad != redis.Nil {
		return nil, AuditHead{}, ErrCursor
	}
	if err != nil && err != redis.Nil {
		return nil, AuditHead{}, fmt.Errorf("audit: %w: %w", ErrUnavailable, err)
	}
	head, err := parseHead(last.Val())
	if err != nil {
		return nil, head, err
	}
	entries, err := decodeAudit(messages.Val())
	return entries, head, err
}

func decodeAudit(messages []redis.XMessage) ([]AuditEntry, error) {
	out := make([]AuditEntry, 0, len(messages))
	for _, m := range messages {
		var e AuditEntry
		text, _ := m.Values["entry"].(string)
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return nil, fmt.Errorf("audit entry %s: %w", m.ID, err)
		}
		e.ID = m.ID
		out = append(out, e)
	}
	return out, nil
}

func (s *Store) auditHead(ctx context.Context) (AuditHead, error) {
	text, err := s.client.Get(ctx, s.keys.auditHead()).Result()
	if err != nil && err != redis.Nil {
		return AuditHead{}, fmt.Errorf("audit: %w: %w", ErrUnavailable, err)
	}
	return parseHead(text)
}

// parseHead reads "seq hash"; nothing is the head of a chain without entries.
func parseHead(text string) (AuditHead, error) {
	if strings.TrimSpace(text) == "" {
		return AuditHead{}, nil
	}
	seq, hash, ok := strings.Cut(text, " ")
	if !ok || number(seq) < 1 || len(hash) != 64 {
		return AuditHead{}, fmt.Errorf("the head of the audit chain is damaged")
	}
	return AuditHead{Seq: number(seq), Hash: hash}, nil
}
