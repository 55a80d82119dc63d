package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep objects and arrays may nest, in intents, in answers and
// in schemas. Validation costs grow with depth; real data stays far below.
const MaxDepth = 64

// The reasons of a CanonicalError. They are stable words for an API's clients.
const (
	ReasonSyntax          = "syntax"            // not JSON (RFC 8259), or cut
	ReasonEmpty           = "empty"             // nothing but white space
	ReasonBOM             = "bom"               // begins with a byte order mark
	ReasonUTF8            = "utf8"              // invalid UTF-8, or half of a surrogate pair
	ReasonDuplicateKey    = "duplicate_key"     // one member twice, also when spelt with escapes
	ReasonIntegerTooLarge = "integer_too_large" // beyond 2^53, where two integers share a double
	ReasonNumber          = "number"            // a number that a double does not hold
	ReasonDepth           = "depth"             // nests deeper than MaxDepth
	ReasonTrailing        = "trailing"          // something follows the value
)

// CanonicalError says why bytes have no canonical form, and where. Error
// leaves the pointer out, because a pointer is made of the sender's own keys.
type CanonicalError struct {
	Offset  int64  // in bytes, from the beginning of the text
	Pointer string // JSON pointer (RFC 6901) of the place, "" for the whole
	Reason  string // one of the Reason constants
	Message string // one sentence for the sender, without the value itself
}

func (e *CanonicalError) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", e.Reason, e.Offset, e.Message)
}

// numberRule judges one number literal; an empty reason accepts it.
type numberRule func(literal string) (reason, message string)

// scan reads the first JSON value of raw token by token and returns the offset
// at which it ends. It refuses what encoding/json lets pass in silence:
// duplicate members, invalid UTF-8, lone surrogates, depth and odd numbers.
func scan(raw []byte, number numberRule) (end int64, err *CanonicalError) {
	if err := scanBytes(raw); err != nil {
		return 0, err
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	for {
		tok, readErr := dec.ReadToken()
		if readErr != nil {
			return 0, scanError(readErr, dec.InputOffset())
		}
		if e := judge(dec, tok, number); e != nil {
			return 0, e
		}
		if dec.StackDepth() == 0 {
			return dec.InputOffset(), nil
		}
	}
}

// scanBytes refuses what shows before any token is read.
func scanBytes(raw []byte) *CanonicalError {
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		return &CanonicalError{Reason: ReasonBOM, Message: "begins with a byte order mark; send plain UTF-8"}
	}
	if len(bytes.Trim(raw, jsonSpace)) == 0 {
		return &CanonicalError{Reason: ReasonEmpty, Message: "is empty; send one JSON value"}
	}
	if at := invalidUTF8(raw); at >= 0 {
		return &CanonicalError{Offset: int64(at), Reason: ReasonUTF8, Message: "is not valid UTF-8"}
	}
	return nil
}

// jsonSpace is the white space of RFC 8259; Unicode's own is not white space in JSON.
const jsonSpace = " \t\r\n"

func invalidUTF8(raw []byte) int {
	if utf8.Valid(raw) {
		return -1
	}
	for at := 0; at < len(raw); {
		r, n := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// judge places a refusal at the first byte of the number or bracket.
func judge(dec *jsontext.Decoder, tok jsontext.Token, number numberRule) *CanonicalError {
	var reason, message string
	length := 1
	switch tok.Kind() {
	case '{', '[':
		if dec.StackDepth() > MaxDepth {
			reason, message = ReasonDepth, fmt.Sprintf("nests deeper than %d levels", MaxDepth)
		}
	case '0':
		literal := tok.String()
		length = len(literal)
		reason, message = number(literal)
	}
	if reason == "" {
		return nil
	}
	return &CanonicalError{dec.InputOffset() - int64(length), clipPointer(string(dec.StackPointer())), reason, message}
}

// scanError puts the decoder's error into our words. Its text is looked at for
// surrogates only, for which jsontext exports no error value.
func scanError(err error, offset int64) *CanonicalError {
	e := &CanonicalError{Offset: offset, Reason: ReasonSyntax, Message: "is not valid JSON"}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		e.Offset, e.Pointer = s.ByteOffset, clipPointer(string(s.JSONPointer))
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Reason, e.Message = ReasonDuplicateKey, "holds one member twice, and nobody can say which one counts"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Message = "ends in the middle of a JSON value"
	case strings.Contains(err.Error(), "surrogate"):
		e.Reason, e.Message = ReasonUTF8, "holds half of a surrogate pair, which is no character"
	}
	return e
}

// maxPointer bounds a pointer, since its parts are keys that somebody else chose.
const maxPointer = 256

func clipPointer(p string) string {
	if len(p) <= maxPointer {
		return p
	}
	return strings.ToValidUTF8(p[:maxPointer], "") + "…"
}
