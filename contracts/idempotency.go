package contracts

import "strings"

// The codes of a KeyError.
const (
	CodeKeyRequired = "idempotency_key_required" // the header is not there
	CodeKeyInvalid  = "idempotency_key_invalid"  // it is there and can't be a key
)

// KeyError says why a request has no usable idempotency key. It never holds the key.
type KeyError struct {
	Code    string
	Message string
}

func (e *KeyError) Error() string { return e.Code + ": " + e.Message }

// maxKey is the longest key, in bytes after unquoting.
const maxKey = 255

// CheckIdempotencyKey returns the key that the header lines of one request
// name, or a *KeyError. A key is one line of 1 to 255 printable ASCII
// characters without space (0x21 to 0x7E), case-sensitive. A line that begins
// with a double quote must be one structured-field string (RFC 8941 3.3.3)
// without parameters, and is unquoted: "abc" and abc are the same key.
func CheckIdempotencyKey(values []string) (string, error) {
	if len(values) == 0 {
		return "", &KeyError{CodeKeyRequired, "send an Idempotency-Key header that names the event, such as an order number"}
	}
	if len(values) > 1 {
		return "", &KeyError{CodeKeyInvalid, "send exactly one Idempotency-Key header"}
	}
	key := values[0]
	if strings.HasPrefix(key, `"`) {
		var ok bool
		if key, ok = unquote(key); !ok {
			return "", &KeyError{CodeKeyInvalid, "begins with a quote but is not one well-formed quoted string"}
		}
	}
	if len(key) == 0 || len(key) > maxKey {
		return "", &KeyError{CodeKeyInvalid, "must have 1 to 255 characters"}
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < 0x21 || r > 0x7E }) {
		return "", &KeyError{CodeKeyInvalid, "must consist of printable ASCII characters without spaces"}
	}
	return key, nil
}

// unquote reads a structured-field string. Only the quote and the backslash
// can be escaped, and nothing may follow the closing quote.
func unquote(s string) (string, bool) {
	var key strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return key.String(), i == len(s)-1
		case '\\':
			if i++; i == len(s) || s[i] != '"' && s[i] != '\\' {
				return "", false
			}
		}
		key.WriteByte(s[i])
	}
	return "", false
}
