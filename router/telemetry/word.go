package telemetry

import (
	"strings"
	"sync"
)

// other stands for a value that is neither a word of ours nor a configured name.
const other = "other"

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
	letters = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// word lets a word of ours pass, such as a class, a state or a code.
func word(s string) string { return within(s, lower+digits+"_", 40) }

// name lets a name pass that the configuration can give to a target or a
// contract, or an id that we made.
func name(s string) string { return within(s, letters+digits+"._@-", 80) }

// person lets an owner pass, also with the public part of an API key: visible
// ASCII, as the configuration checks it.
func person(s string) string {
	if len(s) > 160 || strings.ContainsFunc(s, func(r rune) bool { return r < '!' || r > '~' }) {
		return other
	}
	return s
}

// within gives s if it is at most most bytes long and made of alphabet only.
// An empty value stays empty: it says that there is none.
func within(s, alphabet string, most int) string {
	if len(s) > most || strings.Trim(s, alphabet) != "" {
		return other
	}
	return s
}

// maxValues bounds the values of one label. Each is a series for ever, and a
// configuration has far fewer names.
const maxValues = 256

// vocabulary holds the values that a label has had.
type vocabulary struct {
	mu   sync.Mutex
	seen map[string]bool
}

func newVocabulary() *vocabulary { return &vocabulary{seen: map[string]bool{}} }

// limit gives s back, or other if there are too many values already.
func (v *vocabulary) limit(s string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen[s] {
		return s
	}
	if len(v.seen) >= maxValues {
		return other
	}
	v.seen[s] = true
	return s
}
