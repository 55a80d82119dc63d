package contracts

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// PointerTokens splits a JSON pointer (RFC 6901) into its unescaped tokens.
func PointerTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

// PointerTo is the pointer of a member or item below base.
func PointerTo(base string, token string) string {
	return base + "/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// LookUp follows tokens into a decoded JSON value; false if they lead nowhere.
func LookUp(v any, tokens []string) (any, bool) {
	for _, t := range tokens {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[t]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// offsetOf finds the byte at which the value under pointer begins; 0 if it is
// not there. raw must be text that scan has accepted.
func offsetOf(raw []byte, pointer string) int64 {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return 0
		}
		if string(dec.StackPointer()) == pointer {
			return dec.InputOffset() - int64(len(tokenText(tok)))
		}
	}
}

// tokenText is as long as the token is in the text, escapes apart.
func tokenText(tok jsontext.Token) string {
	if tok.Kind() == '"' {
		return strconv.Quote(tok.String())
	}
	return tok.String()
}
