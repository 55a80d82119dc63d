package openaicompat

import (
	"net/http"
	"testing"
)

func TestTheSystemFingerprintIsReadAndNeverCostsAnAnswer(t *testing.T) {
	const rest = `,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"x"}}]}`
	stream := "data: {\"system_fingerprint\":\"fp_1\",\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n"
	for _, c := range []struct{ name, body, want string }{
		{"as text", `{"system_fingerprint":"fp_44709d6fcb"` + rest, "fp_44709d6fcb"},
		{"none", `{"id":"a"` + rest, ""},
		{"null", `{"system_fingerprint":null` + rest, ""},
		{"a number, which nobody promised", `{"system_fingerprint":7` + rest, ""},
		{"in the first part of a stream", stream, "fp_1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Replay(http.StatusOK, http.Header{}, []byte(c.body))
			if err != nil || got.SystemFingerprint != c.want || got.Content != "x" {
				t.Errorf("%q, %v; want %q", got.SystemFingerprint, err, c.want)
			}
		})
	}
}
