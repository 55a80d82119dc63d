package transport

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// envelope is a provider's own account of a failure, in the shapes that occur:
// {"error":{"message","type","code","status"}} of OpenAI and Anthropic with a
// text or a number as code, the error as a bare string or in an array, and the
// bare {"object":"error",…} of older vLLM.
type envelope struct {
	Code, Type, Status, Message string
	Number                      int // a numeric code, where it looks like an HTTP status
}

// parseEnvelope says whether body is such an account. HTML, an empty body, a
// gateway's plain text, and JSON without an error are none. Neither is a bare
// {"message":…}, the form in which API gateways speak for themselves.
func parseEnvelope(body []byte) (envelope, bool) {
	if !bytes.Contains(body, []byte("error")) {
		return envelope{}, false // spares every good answer two readings
	}
	raw := first(body)
	var top struct {
		Object string          `json:"object"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &top) != nil {
		return envelope{}, false
	}
	if top.Object == "error" && present(top.Error) == nil {
		return fromObject(raw), true
	}
	if present(top.Error) == nil {
		return envelope{}, false
	}
	inner := first(top.Error)
	if s, ok := text(inner); ok {
		return envelope{Message: s}, true
	}
	return fromObject(inner), true
}

// first is the first element of an array, and raw itself otherwise.
func first(raw []byte) []byte {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return raw
	}
	return list[0]
}

// present drops what says that there was no error: null, false, "" and {}.
func present(raw json.RawMessage) json.RawMessage {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "false", `""`, "{}", "[]":
		return nil
	}
	return raw
}

func fromObject(raw []byte) envelope {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return envelope{Message: string(raw)}
	}
	e := envelope{Message: words(o["message"])}
	e.Code, _ = text(o["code"])
	e.Type, _ = text(o["type"])
	e.Status, _ = text(o["status"])
	for _, member := range []string{"code", "status"} {
		if n, err := strconv.Atoi(strings.Trim(string(o[member]), `"`)); err == nil && n >= 400 && n <= 599 {
			e.Number = n
			break
		}
	}
	return e
}

func text(raw json.RawMessage) (string, bool) {
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// words reads a message that is a string, a list of strings, or neither; then
// it is kept as it is written.
func words(raw json.RawMessage) string {
	if s, ok := text(raw); ok {
		return s
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, ", ")
	}
	return string(raw)
}

const maxDetail = 300

// Detail makes one line of at most 300 characters from a provider's words:
// control and invisible characters go, and so does every secret, before the
// line is cut, so that no part of one is left at its end.
func Detail(s string, secrets ...string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	for _, secret := range secrets {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
	}
	if runes := []rune(s); len(runes) > maxDetail {
		return string(runes[:maxDetail-1]) + "…"
	}
	return s
}
