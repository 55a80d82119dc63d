package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// members are the members of a body. Names are compared exactly, unlike
// encoding/json's structs, which would take "Input" for "input".
type members map[string]json.RawMessage

// The reasons of body_invalid beside those of contracts.CanonicalError.
const (
	reasonNotObject = "not_object"
	reasonUnknown   = "unknown_member"
	reasonMissing   = "missing_member"
	reasonType      = "member_type"
	reasonTooLong   = "member_too_long"
	reasonValue     = "member_value"
)

func membersOf(canonical []byte, names []string) (members, error) {
	var m members
	if err := json.Unmarshal(canonical, &m); err != nil || m == nil {
		return nil, bodyProblem(reasonNotObject, "", "the body must be a JSON object")
	}
	var odd []string
	for name := range m {
		if !slices.Contains(names, name) {
			odd = append(odd, name)
		}
	}
	if len(odd) > 0 {
		first := slices.Min(odd)
		return nil, bodyProblem(reasonUnknown, pointer(first),
			fmt.Sprintf("the body has an unknown member %q; it takes %s", clip(first), strings.Join(names, ", ")))
	}
	return m, nil
}

// pointer is the JSON pointer (RFC 6901) of a path of names.
func pointer(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(n)))
	}
	return b.String()
}

// text reads a string of at most most bytes; "" if it is absent.
func (m members) text(name string, most int) (string, error) {
	raw, ok := m[name]
	if !ok {
		return "", nil
	}
	return readText(raw, most, name)
}

func readText(raw json.RawMessage, most int, path ...string) (string, error) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", bodyProblem(reasonType, pointer(path...), fmt.Sprintf("%q must be a string", clip(path[len(path)-1])))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", err
	}
	if len(s) > most {
		return "", bodyProblem(reasonTooLong, pointer(path...), fmt.Sprintf("%q may have %d bytes", clip(path[len(path)-1]), most))
	}
	return s, nil
}

// time reads a point in time as of RFC 3339; zero if it is absent.
func (m members) time(name string) (time.Time, error) {
	text, err := m.text(name, 64)
	if err != nil || text == "" && m[name] == nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, bodyProblem(reasonValue, pointer(name), fmt.Sprintf("%q must be a time such as 2026-01-15T12:00:00Z", name))
	}
	return at, nil
}

// require refuses a body that lacks the member.
func (m members) require(name string) error {
	if _, ok := m[name]; ok {
		return nil
	}
	return bodyProblem(reasonMissing, pointer(name), fmt.Sprintf("the body lacks the member %q", name))
}
