package configs

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is what every Secret prints as, set or not.
const redacted = "[redacted]"

// Secret is a text that prints as [redacted] through every verb of fmt, JSON,
// YAML, slog and whatever else marshals text. Reveal is the only way out.
// The zero Secret is unset.
type Secret struct {
	// A pointer, because fmt calls no method on an unexported field of
	// somebody else's struct: there it prints an address instead of the text.
	value *string
}

// NewSecret hides value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the text, "" if unset. What is done with it is the caller's care.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether the secret is unset or empty.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Format implements fmt.Formatter, which goes before every other method and verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// String returns the mask.
func (s Secret) String() string { return redacted }

// MarshalText returns the mask; JSON, YAML and XML use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }
