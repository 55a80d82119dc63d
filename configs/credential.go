package configs

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
)

// Scope is a permission of an API key.
type Scope string

// The scopes.
const (
	Infer   Scope = "infer"   // make jobs, see and cancel one's own
	Operate Scope = "operate" // settle unknown attempts, switch eligibility
	Report  Scope = "report"  // hand in conformance reports
	Admin   Scope = "admin"   // all of them
)

func allScopes() []Scope { return []Scope{Infer, Operate, Report, Admin} }

// Credential is who a request comes from.
type Credential struct {
	Owner  string  // jobs and idempotency keys belong to it
	KeyID  string  // the public part of the key, for logs
	Scopes []Scope // not to be changed
}

// Has reports whether the credential permits s; Admin permits everything.
func (c Credential) Has(s Scope) bool {
	return slices.Contains(c.Scopes, s) || slices.Contains(c.Scopes, Admin)
}

// Credentials knows the API keys of a router. It doesn't change once made and
// is safe for concurrent use.
type Credentials struct {
	keys    []storedKey // well-formed keys, from the configuration
	literal []storedKey // texts such as "dev", from options only
}

type storedKey struct {
	sum [sha256.Size]byte
	who Credential
}

// CredentialOption adds to what Credentials accepts.
type CredentialOption func(*Credentials)

// WithLiteralKey accepts key as it stands, for "inferonce dev" on loopback.
// No configuration file can do that: its keys must have the form that
// CheckAPIKey wants.
func WithLiteralKey(key, owner string, scopes ...Scope) CredentialOption {
	return func(c *Credentials) {
		who := Credential{Owner: owner, KeyID: "literal", Scopes: scopes}
		c.literal = append(c.literal, storedKey{sha256.Sum256([]byte(key)), who})
	}
}

// NewCredentials takes the keys of a checked configuration; one whose hash is
// malformed matches nothing.
func NewCredentials(keys []Key, opts ...CredentialOption) *Credentials {
	c := &Credentials{}
	for _, k := range keys {
		sum, ok := parseHash(k.Hash)
		if !ok {
			continue
		}
		c.keys = append(c.keys, storedKey{sum, Credential{Owner: k.Owner, Scopes: k.Scopes}})
	}
	for _, o := range opts {
		o(c)
	}
	return c
}

// Lookup returns whose key bearer is. Every stored hash is compared, in
// constant time, so that an answer's delay tells nothing about any of them;
// what has not the form of a key is compared with the literal ones only.
func (c *Credentials) Lookup(bearer string) (Credential, bool) {
	if !CheckAPIKey(bearer) {
		return match(c.literal, bearer)
	}
	who, ok := match(c.keys, bearer)
	if ok {
		who.KeyID = keyID(bearer)
	}
	return who, ok
}

func match(stored []storedKey, bearer string) (who Credential, ok bool) {
	sum := sha256.Sum256([]byte(bearer))
	for i := range stored {
		if subtle.ConstantTimeCompare(stored[i].sum[:], sum[:]) == 1 {
			who, ok = stored[i].who, true
		}
	}
	return who, ok
}

func parseHash(s string) (sum [sha256.Size]byte, ok bool) {
	digest, has := strings.CutPrefix(s, hashPrefix)
	// One spelling only, so that equal hashes are equal texts.
	if !has || digest != strings.ToLower(digest) || len(digest) != 2*len(sum) {
		return sum, false
	}
	_, err := hex.Decode(sum[:], []byte(digest))
	return sum, err == nil
}
