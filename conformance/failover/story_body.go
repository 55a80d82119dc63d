package failover

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

var badBodies = Story{
	ID:     "request/bad-bodies",
	Title:  "a body that cannot be one intent is refused, and the key stays free",
	Proves: []string{"R4", "R17"},
	Asks:   "bodies that are no JSON, ambiguous, too deep, too exact, too large or compressed; then a good one under the same key",
	Run: func(w *World) {
		in := w.Intent(w.d.Hold)
		for _, b := range bodies(in) {
			r := in.request()
			r.body = b.body
			if b.encoding != "" {
				r.header.Set("Content-Encoding", b.encoding)
			}
			a := w.Ask(r)
			w.Check(slices.Contains(b.status, a.Status), "%s is refused with %v (%s)", b.says, b.status, a.line())
		}
		a := w.Ask(request{method: http.MethodPost, path: "/v1/infer", header: in.request().header, body: []byte(`{"contract":"no-such-contract","input":{}}`)})
		w.Check(a.Status == http.StatusNotFound && a.code() == "contract_unknown" && len(a.Problem.Known) > 0,
			"an unknown contract is refused with the known names (%s)", a.line())
		w.keyIsFree(in)
	},
}

type badBody struct {
	says     string
	body     []byte
	encoding string
	status   []int
}

func bodies(in *Intent) []badBody {
	name, input := in.Contract.Name, string(in.Contract.Input(in.Ref))
	with := func(more string) []byte {
		return fmt.Appendf(nil, `{"contract":%q,"input":%s%s}`, name, input, more)
	}
	refused := []int{http.StatusBadRequest}
	return []badBody{
		{"text that is no JSON", []byte(`{"contract":`), "", refused},
		{"a doubled member", with(`,"input":{}`), "", refused},
		{"a member of 65 levels", with(`,"metadata":` + strings.Repeat("[", 65) + strings.Repeat("]", 65)), "", refused},
		{"an integer beyond 2^53", with(`,"metadata":9007199254740993`), "", refused},
		{"text that is not UTF-8", with(",\"metadata\":{\"a\":\"\xff\"}"), "", refused},
		{"data after the body", append(with(""), "{}"...), "", refused},
		{"a body beyond 4 MiB", with(`,"metadata":{"a":"` + string(bytes.Repeat([]byte("a"), 5<<20)) + `"}`), "", []int{http.StatusRequestEntityTooLarge}},
		{"a compressed body", with(""), "gzip", []int{http.StatusUnsupportedMediaType}},
	}
}
