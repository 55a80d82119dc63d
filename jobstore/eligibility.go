package jobstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// EligibilityState is where a (target, contract digest) pair stands.
type EligibilityState string

// The states of eligibility.
const (
	Eligible EligibilityState = "eligible" // conformance passed; it may take over
	Disabled EligibilityState = "disabled" // an operator switched it off
	Revoked  EligibilityState = "revoked"  // conformance failed
)

// Eligibility says whether a target may take over for a contract, and on what
// proof. It is bound to the contract's digest: a contract changed by one byte
// has no record.
type Eligibility struct {
	Version  int64            `json:"-"` // bumped by every change; 0 before the first
	Target   string           `json:"target"`
	Contract string           `json:"contract"` // "name@version"
	Digest   string           `json:"digest"`
	State    EligibilityState `json:"state"`
	Proof    *Proof           `json:"proof,omitempty"` // of the newest conformance run that counted
	Reason   string           `json:"reason"`
	By       string           `json:"by"`
	Changed  time.Time        `json:"changed"`
}

// Proof is what a conformance run showed.
type Proof struct {
	Report       string    `json:"report"` // id of the report
	SHA256       string    `json:"report_sha256"`
	SuiteVersion string    `json:"suite_version"`
	Mode         string    `json:"mode"`
	Verdict      string    `json:"verdict"`
	Provider     string    `json:"provider"`
	Model        string    `json:"model"`
	Served       []string  `json:"served,omitempty"`
	Runs         int       `json:"runs"`
	Issued       time.Time `json:"issued"`
	Expires      time.Time `json:"expires"`
}

// AuditEntry is one change, with who made it and why.
type AuditEntry struct {
	ID       string           `json:"id"`
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
}

// maxAudit bounds the audit log; older entries go first.
const maxAudit = 100_000

func eligibilityField(target, digest string) string { return target + "\n" + digest }

// SetEligibility writes a record and its audit entry in one step, if the
// current version is still rec.Version (0 for a first record). It returns the
// new version, or a *ConflictError with the current one.
func (s *Store) SetEligibility(ctx context.Context, rec Eligibility, entry AuditEntry) (int64, error) {
	op := token()
	keys := []string{s.keys.eligibility(), s.keys.audit(), s.keys.operation(op)}
	w, err := s.words(ctx, s.scripts.eligibility, keys, eligibilityField(rec.Target, rec.Digest), rec.Version,
		encode(rec), encode(entry), maxAudit)
	if err != nil {
		return 0, err
	}
	if w[0] == "changed" {
		return number(w[1]), nil
	}
	return 0, refusal(s.scripts.eligibility, w)
}

// EligibilityOf reads one record; its Version is 0 if there is none.
func (s *Store) EligibilityOf(ctx context.Context, target, digest string) (Eligibility, error) {
	text, err := s.client.HGet(ctx, s.keys.eligibility(), eligibilityField(target, digest)).Result()
	if err == redis.Nil {
		return Eligibility{Target: target, Digest: digest}, nil
	}
	if err != nil {
		return Eligibility{}, fmt.Errorf("eligibility: %w: %w", ErrUnavailable, err)
	}
	return decodeEligibility(text)
}

// AllEligibility reads every record, ordered by contract and target.
func (s *Store) AllEligibility(ctx context.Context) ([]Eligibility, error) {
	all, err := s.client.HGetAll(ctx, s.keys.eligibility()).Result()
	if err != nil {
		return nil, fmt.Errorf("eligibility: %w: %w", ErrUnavailable, err)
	}
	out := make([]Eligibility, 0, len(all))
	for _, text := range all {
		rec, err := decodeEligibility(text)
		if err != nil {
			return nil, err
		}
		out = append(out, rec)
	}
	slices.SortFunc(out, func(a, b Eligibility) int {
		return strings.Compare(a.Contract+"\n"+a.Target+"\n"+a.Digest, b.Contract+"\n"+b.Target+"\n"+b.Digest)
	})
	return out, nil
}

func decodeEligibility(text string) (Eligibility, error) {
	version, body, _ := strings.Cut(text, "\n")
	var rec Eligibility
	if err := json.Unmarshal([]byte(body), &rec); err != nil {
		return Eligibility{}, fmt.Errorf("eligibility record: %w", err)
	}
	rec.Version = number(version)
	return rec, nil
}

// Audit reads the audit log, newest first. before continues a listing with the
// id of its last entry.
func (s *Store) Audit(ctx context.Context, before string, limit int) ([]AuditEntry, error) {
	end := "+"
	if before != "" {
		end = "(" + before
	}
	messages, err := s.client.XRevRangeN(ctx, s.keys.audit(), end, "-", int64(limit)).Result()
	if isReply(err) && err != nil && err != redis.Nil {
		return nil, ErrCursor
	}
	if err != nil {
		return nil, fmt.Errorf("audit: %w: %w", ErrUnavailable, err)
	}
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
