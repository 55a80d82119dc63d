package httpapi

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

// badKeys are headers that name no key, or none that is usable.
var badKeys = []struct {
	name   string
	values []string
	code   string
}{
	{"a missing key, where the contract derives none", nil, codeKeyRequired},
	{"an empty key", []string{""}, codeKeyInvalid},
	{"a key of 256 bytes", []string{strings.Repeat("k", 256)}, codeKeyInvalid},
	{"a key outside ASCII", []string{"bestellung-ä"}, codeKeyInvalid},
	{"a key with a space", []string{"order 8841"}, codeKeyInvalid},
	{"two keys", []string{"order-1", "order-2"}, codeKeyInvalid},
	{"the same key twice", []string{"order-1", "order-1"}, codeKeyInvalid},
	{"a quoted key without its end", []string{`"order-1`}, codeKeyInvalid},
}

func TestABadKeyStoresNothing(t *testing.T) {
	f := newFace(t)
	for _, row := range badKeys {
		t.Run(row.name, func(t *testing.T) {
			f := f.in(t)
			before := len(f.router.submissions())
			f.want(inferAsk().with("Idempotency-Key", row.values...), 400, row.code)
			// The contract may derive a key, so that one refusal is the router's.
			if after := len(f.router.submissions()); row.code == codeKeyInvalid && after != before {
				t.Error("the request reached the router")
			}
		})
	}
}

// in is the face for a subtest.
func (f *face) in(t *testing.T) *face {
	g := *f
	g.t = t
	return &g
}

func TestAMissingKeyIsExplainedWithAnExample(t *testing.T) {
	r := newFace(t).want(inferAsk().without("Idempotency-Key"), 400, codeKeyRequired)
	for _, part := range []string{"curl", "/v1/infer", `-H "Idempotency-Key: `, "ticket-triage"} {
		if !strings.Contains(r.text("detail"), part) {
			t.Errorf("the detail lacks %q: %s", part, r.text("detail"))
		}
	}
}

// NUL in a header is refused by Go's server itself, before any handler.
func TestAKeyWithNULIsRefused(t *testing.T) {
	f := newFace(t)
	r := f.raw(ask{method: "POST", path: "/v1/infer", key: "key-infer"}, "Idempotency-Key: a\x00b\r\nContent-Length: 0\r\n\r\n", false)
	if r.status != 400 || len(f.router.submissions()) != 0 {
		t.Errorf("%d, %d submissions", r.status, len(f.router.submissions()))
	}
}

func TestAQuotedKeyIsTheBareKey(t *testing.T) {
	f := newFace(t)
	for _, spelt := range []string{`order-8841`, `"order-8841"`} {
		f.want(inferAsk().with("Idempotency-Key", spelt), 200, "")
	}
	if seen := f.router.submissions(); seen[0].Key != "order-8841" || seen[1].Key != "order-8841" {
		t.Errorf("keys %q and %q", seen[0].Key, seen[1].Key)
	}
}

// badBodies are bodies that are no intent. place is the pointer, "-" for none.
var badBodies = []struct {
	name, body, reason, place string
}{
	{"nothing", "", "empty", ""},
	{"white space", "  \n", "empty", ""},
	{"not JSON", `{contract: 1}`, "syntax", "-"},
	{"JSON that is cut", `{"contract":"ticket-triage","input":{"te`, "syntax", "-"},
	{"a duplicate member", `{"contract":"a","contract":"b","input":1}`, "duplicate_key", "/contract"},
	{"a duplicate member spelt with an escape", `{"contract":"a","input":{"x":1,"\u0078":2}}`, "duplicate_key", "/input/x"},
	{"65 levels", `{"contract":"a","input":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "depth", "-"},
	{"100,000 levels", strings.Repeat("[", 100_000), "depth", "-"},
	{"2^53+1", `{"contract":"a","input":{"ticket":9007199254740993}}`, "integer_too_large", "/input/ticket"},
	{"a number beyond a double", `{"contract":"a","input":{"n":1e400}}`, "number", "/input/n"},
	{"bad UTF-8", "{\"contract\":\"a\",\"input\":\"\xff\"}", "utf8", "-"},
	{"half of a surrogate pair", `{"contract":"a","input":"\ud800"}`, "utf8", "-"},
	{"a byte order mark", "\xef\xbb\xbf{}", "bom", "-"},
	{"trailing data", `{"contract":"a","input":1} {}`, "trailing", "-"},
	{"an array", `[]`, "not_object", ""},
	{"null", `null`, "not_object", ""},
	{"an unknown member", `{"contract":"a","input":1,"owner":"globex"}`, "unknown_member", "/owner"},
	{"a member in another case", `{"contract":"a","Input":1}`, "unknown_member", "/Input"},
	{"an unknown member with a slash", `{"a/b~c":1}`, "unknown_member", "/a~1b~0c"},
	{"no contract", `{"input":1}`, "missing_member", "/contract"},
	{"no input", `{"contract":"a"}`, "missing_member", "/input"},
	{"a contract that is no string", `{"contract":7,"input":1}`, "member_type", "/contract"},
	{"an empty contract", `{"contract":"","input":1}`, "member_value", "/contract"},
	{"a contract of 257 bytes", `{"contract":"` + strings.Repeat("c", 257) + `","input":1}`, "member_too_long", "/contract"},
	{"metadata that is no object", `{"contract":"a","input":1,"metadata":[]}`, "member_type", "/metadata"},
	{"metadata that is null", `{"contract":"a","input":1,"metadata":null}`, "member_type", "/metadata"},
	{"a metadata value that is no string", `{"contract":"a","input":1,"metadata":{"n":1}}`, "member_type", "/metadata/n"},
	{"a metadata value of 513 bytes", `{"contract":"a","input":1,"metadata":{"n":"` + strings.Repeat("v", 513) + `"}}`, "member_too_long", "/metadata/n"},
	{"a metadata name of 65 bytes", `{"contract":"a","input":1,"metadata":{"` + strings.Repeat("n", 65) + `":""}}`, "member_too_long", "-"},
	{"17 members of metadata", `{"contract":"a","input":1,"metadata":{` + manyMembers(17) + `}}`, "member_too_long", "/metadata"},
}

func manyMembers(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"m%d":"v"`, i))
	}
	return strings.Join(all, ",")
}

func TestABodyThatIsNoIntentIsRefusedWithItsPlace(t *testing.T) {
	f := newFace(t)
	for _, row := range badBodies {
		t.Run(row.name, func(t *testing.T) {
			r := f.in(t).want(inferAsk().saying(row.body), 400, codeBodyInvalid)
			at, ok := r.body["pointer"].(string)
			if r.text("reason") != row.reason || !ok || row.place != "-" && at != row.place {
				t.Errorf("reason %q pointer %q: want %q %q", r.text("reason"), at, row.reason, row.place)
			}
		})
	}
	if n := len(f.router.submissions()); n != 0 {
		t.Errorf("%d of them reached the router", n)
	}
}

func TestTheOffsetOfAFaultIsNamed(t *testing.T) {
	r := newFace(t).want(inferAsk().saying(`{"contract":"a"} x`), 400, codeBodyInvalid)
	if r.body["offset"] != 17.0 {
		t.Errorf("offset %v, want 17", r.body["offset"])
	}
}

func TestTheLargestMetadataIsTaken(t *testing.T) {
	members := manyMembers(15) + `,"` + strings.Repeat("n", 64) + `":"` + strings.Repeat("v", 512) + `"`
	newFace(t).want(inferAsk().saying(`{"contract":"a","input":1,"metadata":{`+members+`}}`), 200, "")
}

func TestACallbackIsRefusedUntilThereAreAny(t *testing.T) {
	for _, url := range []string{`"https://app.example/done"`, `null`} {
		r := newFace(t).want(inferAsk().saying(`{"contract":"a","input":1,"callback_url":`+url+`}`), 422, codeCallbacks)
		if r.text("pointer") != "/callback_url" {
			t.Errorf("pointer %q", r.text("pointer"))
		}
	}
}

func TestTheBodysTypeMustBePlainJSON(t *testing.T) {
	f := newFace(t)
	for _, row := range []struct {
		name   string
		types  []string
		status int
	}{
		{"JSON", []string{"application/json"}, 200},
		{"JSON in UTF-8", []string{"application/json; charset=UTF-8"}, 200},
		{"in another case", []string{"Application/JSON"}, 200},
		{"no type", nil, 415},
		{"two types", []string{"application/json", "application/json"}, 415},
		{"text", []string{"text/plain"}, 415},
		{"a form", []string{"application/x-www-form-urlencoded"}, 415},
		{"another charset", []string{"application/json; charset=latin1"}, 415},
		{"another parameter", []string{"application/json; profile=x"}, 415},
		{"another kind of JSON", []string{"application/vnd.api+json"}, 415},
		{"garbage", []string{";;"}, 415},
	} {
		t.Run(row.name, func(t *testing.T) {
			code := map[int]string{415: codeMediaType}[row.status]
			f.in(t).want(inferAsk().with("Content-Type", row.types...), row.status, code)
		})
	}
}

func TestACompressedBodyIsRefused(t *testing.T) {
	f := newFace(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(inferAsk().body))
	z.Close()
	for _, encoding := range []string{"gzip", "br", "identity, gzip"} {
		r := f.want(inferAsk().saying(packed.String()).with("Content-Encoding", encoding), 415, codeEncoding)
		if r.header.Get("Accept-Encoding") != "identity" {
			t.Errorf("Accept-Encoding %q", r.header.Get("Accept-Encoding"))
		}
	}
	f.want(inferAsk().with("Content-Encoding", "identity"), 200, "")
}

func TestABodyMayHaveFourMebibytesAndNotOneMore(t *testing.T) {
	f := newFace(t)
	const limit = 4 << 20
	frame := len(`{"contract":"a","input":""}`)
	body := func(size int) string { return `{"contract":"a","input":"` + strings.Repeat("x", size-frame) + `"}` }
	f.want(inferAsk().saying(body(limit)), 200, "")
	f.want(inferAsk().saying(body(limit+1)), 413, codeBodyTooLarge)
	chunk := fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", limit+1, body(limit+1))
	if r := f.raw(inferAsk(), chunk, false); r.status != 413 {
		t.Errorf("a chunked body over the limit: %d", r.status)
	}
	if n := len(f.router.submissions()); n != 1 {
		t.Errorf("%d submissions, want the first only", n)
	}
}

func TestAnAnnouncedSizeOverTheLimitIsRefusedUnread(t *testing.T) {
	f := newFace(t)
	if r := f.raw(inferAsk(), "Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n", false); r.status != 413 {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestABodyCutShortIsRefused(t *testing.T) {
	f := newFace(t)
	r := f.raw(inferAsk(), "Content-Length: 100\r\n\r\n"+inferAsk().body, true)
	if r.status != 400 || r.text("code") != codeBodyCut || len(f.router.submissions()) != 0 {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

// The checks stand in one order, so that a client that corrects one fault
// after the other makes progress: each row is right in all that stands before.
func TestTheChecksStandInOrder(t *testing.T) {
	bad := inferAsk().by("junk").with("Idempotency-Key", "").with("Content-Type", "text/plain").
		with("Content-Encoding", "gzip").with("Prefer", "wait=soon").with("Inferonce-Budget", "soon").saying(strings.Repeat("x", 2000))
	f := newFace(t, func(o *Options) { o.BodyLimit = 1000 })
	next := func(code string, repaired ask) {
		t.Helper()
		f.want(bad, catalogue[code].status, code)
		bad = repaired
	}
	next(codeUnauthorized, bad.by("key-infer"))
	next(codeKeyInvalid, bad.with("Idempotency-Key", "order-1"))
	next(codeMediaType, bad.with("Content-Type", "application/json"))
	next(codeEncoding, bad.without("Content-Encoding"))
	next(codeBodyTooLarge, bad.saying("x"))
	next(codeBodyInvalid, bad.saying(`{"contract":"a","input":1,"more":1}`))
	next(codeBodyInvalid, bad.saying(`{"contract":"a","input":1}`))
	next(codePrefer, bad.without("Prefer"))
	next(codeBudget, bad.without("Inferonce-Budget"))
	f.want(bad, 200, "")
}
