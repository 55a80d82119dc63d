package sim

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Duration is written in JSON as Go writes durations, "1.5s".
type Duration time.Duration

// AtGate is a wait that ends at the gate named in Fault.Until; true in JSON.
const AtGate Duration = -1

// MarshalJSON writes "1.5s", or true for AtGate.
func (d Duration) MarshalJSON() ([]byte, error) {
	if d == AtGate {
		return []byte("true"), nil
	}
	return json.Marshal(time.Duration(d).String())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Duration) UnmarshalJSON(b []byte) error {
	if string(b) == "true" {
		*d = AtGate
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a duration is a string such as \"1.5s\", or true with a gate in until")
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q is no duration; write one such as \"1.5s\"", s)
	}
	*d = Duration(v)
	return nil
}

// Reset says when the connection is reset, counted in the request's body. The
// first two execute nothing; the caller cannot know that.
type Reset string

// The resets. AfterBody does the work before it resets.
const (
	BeforeBody Reset = "before_body"
	HalfBody   Reset = "half_body"
	AfterBody  Reset = "after_body"
)

// Cut says how an answer is cut in its middle, after the work.
type Cut string

// The cuts: a Content-Length that is not kept (true in JSON), or a chunked body
// without its last chunk.
const (
	CutLength  Cut = "length"
	CutChunked Cut = "chunked"
)

// UnmarshalJSON reads true or the word.
func (c *Cut) UnmarshalJSON(b []byte) error {
	if string(b) == "true" {
		*c = CutLength
		return nil
	}
	if !bytes.HasPrefix(b, []byte(`"`)) {
		return fmt.Errorf("truncate is true or \"chunked\"")
	}
	return json.Unmarshal(b, (*string)(c))
}

// Body is the body of a refusal: in JSON its text as a string, or any other
// value, which is then sent as it stands.
type Body string

// UnmarshalJSON reads either form.
func (t *Body) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte(`"`)) {
		*t = Body(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// Settings are what every call of a provider does until they are changed.
type Settings struct {
	// Latency comes before the work of every call, and before its fault's own wait.
	Latency Duration `json:"latency,omitzero"`
	// Always is the fault of every call that finds the list empty.
	Always *Fault `json:"always,omitempty"`
}

// Validate refuses settings that cannot be carried out, and says what to write.
func (s Settings) Validate() error {
	if s.Latency < 0 || time.Duration(s.Latency) > MaxWait {
		return fmt.Errorf("latency: use a duration of 0s to %s", MaxWait)
	}
	if s.Always == nil {
		return nil
	}
	if err := s.Always.Validate(); err != nil {
		return fmt.Errorf("always: %w", err)
	}
	return nil
}

// strictly decodes the whole of b: unknown and doubled members, trailing data
// and bytes that are not UTF-8 are errors.
func strictly(b []byte, v any) error {
	return json.Unmarshal(b, v, json.RejectUnknownMembers(true))
}

// quote returns s as a JSON string; bytes that are not UTF-8 become U+FFFD.
func quote(s string) []byte {
	q, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	return q
}

// validName holds for the names of providers and gates.
func validName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		if !wordByte(c) && c != '.' {
			return false
		}
	}
	return true
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// validHeader holds for a field that net/http sends as it is (RFC 9110,
// section 5). The framing of the answer stays ours.
func validHeader(name, value string) bool {
	if name == "" || strings.ContainsAny(value, "\r\n\x00") {
		return false
	}
	for _, c := range []byte(name) {
		if !wordByte(c) && !strings.ContainsRune("!#$%&'*+.^`|~", rune(c)) {
			return false
		}
	}
	return !strings.EqualFold(name, "Content-Length") && !strings.EqualFold(name, "Transfer-Encoding")
}
