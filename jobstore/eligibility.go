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

// The states of eligibility. Expired is never stored: it follows from a
// proof's end and the time.
const (
	Pending   EligibilityState = "pending"   // nothing is proved for this state of the contract
	Eligible  EligibilityState = "eligible"  // conformance passed; it may take over
	Suspended EligibilityState = "suspended" // live traffic or the canary showed a fault; a passing report brings it back
	Revoked   EligibilityState = "revoked"   // conformance failed
	Expired   EligibilityState = "expired"   // the pass is too old
	Disabled  EligibilityState = "disabled"  // an operator switched it off
)

// Eligibility says whether a target may take over for a contract, and on what
// proof. It is bound to the contract's digest: a contract changed by one byte
// has no record.
type Eligibility struct {
	Version int64 `json:"-"` // bumped by every change; 0 before the first
	// ID names the record as it stands, and PreviousID as it stood before; what that
	// was is in the audit log. Both are "" in records from before they were kept.
	ID         string           `json:"id,omitempty"`
	PreviousID string           `json:"previous_id,omitempty"`
	Target     string           `json:"target"`
	Contract   string           `json:"contract"` // "name@version"
	Digest     string           `json:"digest"`
	State      EligibilityState `json:"state"`
	// Under is the state that comes back when an operator lifts Disabled; ""
	// in every other state. Reports and drift go on changing it meanwhile.
	Under EligibilityState `json:"under,omitempty"`
	// Suspended is when the pair was last suspended; zero if it never was, or
	// has passed since.
	Suspended time.Time `json:"suspended_at,omitzero"`
	// Certify says that only a run in mode certify brings the pair back.
	Certify  bool      `json:"certify,omitempty"`
	Override *Override `json:"override,omitempty"`
	Proof    *Proof    `json:"proof,omitempty"` // of the newest conformance run that counted
	Reason   string    `json:"reason"`
	By       string    `json:"by"`
	Changed  time.Time `json:"changed"`
}

// Override is an operator's word that a pair may take over without a valid
// pass. It ends by itself.
type Override struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"until"`
}

func eligibilityField(target, digest string) string { return target + "\n" + digest }

// SetEligibility writes a record and its audit entry in one step, if the
// current version is still rec.Version (0 for a first record). fresh also
// forgets what live traffic showed so far. The entry is put at the end of the
// audit chain, whoever else writes there. It returns the new version, or a
// *ConflictError with the current one.
func (s *Store) SetEligibility(ctx context.Context, rec Eligibility, entry AuditEntry, fresh bool) (int64, error) {
	entry.Record, entry.RecordSHA256 = rec.ID, shaOf(encode(rec))
	op, field := token(), eligibilityField(rec.Target, rec.Digest)
	keys := []string{s.keys.eligibility(), s.keys.audit(), s.keys.auditHead(), s.keys.window(rec.Target, rec.Digest), s.keys.operation(op)}
	head, err := s.auditHead(ctx)
	if err != nil {
		return 0, err
	}
	for range maxChainTries {
		link, err := chain(head, entry)
		if err != nil {
			return 0, err
		}
		w, err := s.words(ctx, s.scripts.eligibility, keys, field, rec.Version, encode(rec), encode(link), maxAudit,
			head.String(), link.head().String(), flag(fresh))
		switch {
		case err != nil:
			return 0, err
		case w[0] == "changed":
			return number(w[1]), nil
		case w[0] != "moved":
			return 0, refusal(s.scripts.eligibility, w)
		}
		if head, err = parseHead(strings.Join(w[1:], " ")); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("eligibility: %w: the audit chain kept moving", ErrUnavailable)
}

// maxChainTries bounds the races for the end of the chain: each is lost to
// somebody who got further.
const maxChainTries = 100

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

// Pair names a target and a state of a contract.
type Pair struct{ Target, Digest string }

// EligibilityOfEach reads the records of pairs in one call, in their order.
func (s *Store) EligibilityOfEach(ctx context.Context, pairs []Pair) ([]Eligibility, error) {
	out, fields := make([]Eligibility, len(pairs)), make([]string, len(pairs))
	if len(pairs) == 0 {
		return out, nil
	}
	for i, p := range pairs {
		out[i], fields[i] = Eligibility{Target: p.Target, Digest: p.Digest}, eligibilityField(p.Target, p.Digest)
	}
	values, err := s.client.HMGet(ctx, s.keys.eligibility(), fields...).Result()
	if err != nil {
		return nil, fmt.Errorf("eligibility: %w: %w", ErrUnavailable, err)
	}
	for i, v := range values {
		text, found := v.(string)
		if !found {
			continue
		}
		if out[i], err = decodeEligibility(text); err != nil {
			return nil, err
		}
	}
	return out, nil
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
