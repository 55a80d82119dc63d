package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCanonicalForm(t *testing.T) {
	for name, row := range map[string]struct{ in, want string }{
		"white space goes":                          {" {\n\t\"a\" : [ 1 , 2 ] }\r\n", `{"a":[1,2]}`},
		"members are ordered":                       {`{"b":1,"a":2}`, `{"a":2,"b":1}`},
		"members are ordered by UTF-16 code units":  {"{\"\uffff\":1,\"\U0001F600\":2}", "{\"\U0001F600\":2,\"\uffff\":1}"},
		"RFC 8785 3.2.3's order holds":              {`{"\u20ac":1,"\r":2,"1":3,"\u00f6":4}`, "{\"\\r\":2,\"1\":3,\"\u00f6\":4,\"\u20ac\":1}"},
		"escapes have one spelling":                 {`"\u0041\/\u000a\u20ac"`, "\"A/\\n\u20ac\""},
		"a pair of surrogates is one character":     {`"\ud83d\ude00"`, "\"\U0001F600\""},
		"1.0, 1e0 and 1 are one number":             {`[1.0,1e0,1,10e-1]`, `[1,1,1,1]`},
		"minus zero is zero":                        {`[-0,-0.0,0e5]`, `[0,0,0]`},
		"2^53 is the last integer":                  {`[9007199254740992,-9007199254740992]`, `[9007199254740992,-9007199254740992]`},
		"17 digits as C prints them are held":       {`[0.10000000000000001]`, `[0.1]`},
		"RFC 8785 3.2.2's numbers":                  {`[333333333.3333333,1E30,4.50,2e-3,0.000000000000000000000000001]`, `[333333333.3333333,1e+30,4.5,0.002,1e-27]`},
		"the largest double is held":                {`1.7976931348623157e308`, `1.7976931348623157e+308`},
		"the smallest double is held":               {`5e-324`, `5e-324`},
		"a scalar is a value":                       {`true`, `true`},
		"64 levels are fine":                        {strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + strings.Repeat("]", 64)},
		"a key that looks like a template is a key": {`{"{{x}}":"{{y}}"}`, `{"{{x}}":"{{y}}"}`},
	} {
		got, err := Canonical([]byte(row.in))
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, row.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		in, reason, pointer string
		offset              int64
	}{
		"a member twice": {`{"a":1,"a":1}`, ReasonDuplicateKey, "/a", 7},
		"a member twice, once spelt with escapes":              {`{"a":1,"\u0061":2}`, ReasonDuplicateKey, "/a", 7},
		"a member twice, deep down":                            {`{"x":[{"k":1,"k":2}]}`, ReasonDuplicateKey, "/x/0/k", 13},
		"2^53+1":                                               {`{"id":9007199254740993}`, ReasonIntegerTooLarge, "/id", 6},
		"-(2^53+1)":                                            {`-9007199254740993`, ReasonIntegerTooLarge, "", 0},
		"an integer that no int64 holds":                       {`99999999999999999999`, ReasonIntegerTooLarge, "", 0},
		"2^53+1 in disguise":                                   {`9007199254740993.0`, ReasonNumber, "", 0},
		"2^53+1 with an exponent":                              {`9007199254740993e0`, ReasonNumber, "", 0},
		"a fraction with too many digits":                      {`[0.1000000000000000055]`, ReasonNumber, "/0", 1},
		"a cent that its double does not tell":                 {`123456789012345.68`, ReasonNumber, "", 0},
		"RFC 8785's 333333333.33333329, whose double is ...31": {`333333333.33333329`, ReasonNumber, "", 0},
		"more than a double holds":                             {`1e400`, ReasonNumber, "", 0},
		"an exponent of millions":                              {`1e20000000`, ReasonNumber, "", 0},
		"an exponent that no int holds":                        {`1e99999999999999999999`, ReasonNumber, "", 0},
		"less than a double holds":                             {`1e-400`, ReasonNumber, "", 0},
		"65 levels":                                            {strings.Repeat("[", 65) + strings.Repeat("]", 65), ReasonDepth, strings.Repeat("/0", 64), 64},
		"10,000 levels":                                        {strings.Repeat("[", 10_000), ReasonDepth, strings.Repeat("/0", 64), 64},
		"bad UTF-8":                                            {"\"a\xffb\"", ReasonUTF8, "", 2},
		"an overlong encoding":                                 {"\"\xc0\xaf\"", ReasonUTF8, "", 1},
		"a surrogate in raw bytes":                             {"\"\xed\xa0\x80\"", ReasonUTF8, "", 1},
		"half of a surrogate pair":                             {`{"a":"\ud800"}`, ReasonUTF8, "/a", 6},
		"a byte order mark":                                    {"\xef\xbb\xbf{}", ReasonBOM, "", 0},
		"a second value":                                       {`{} {}`, ReasonTrailing, "", 3},
		"text after the value":                                 {`1 x`, ReasonTrailing, "", 2},
		"nothing":                                              {"", ReasonEmpty, "", 0},
		"white space alone":                                    {" \n", ReasonEmpty, "", 0},
		"a cut object":                                         {`{"a":`, ReasonSyntax, "/a", 5},
		"a trailing comma":                                     {`[1,]`, ReasonSyntax, "", 2},
		"a comment":                                            {`{/**/}`, ReasonSyntax, "", 1},
		"a number with a leading zero":                         {`[01]`, ReasonSyntax, "", 2},
		"NaN":                                                  {`NaN`, ReasonSyntax, "", 0},
		"a control character":                                  {"\"\x01\"", ReasonSyntax, "", 1},
		"a space that is none in JSON (U+00A0)":                {"\u00a0{}", ReasonSyntax, "", 0},
		"a space that is none in JSON, at the end":             {"{}\u00a0", ReasonTrailing, "", 2},
	} {
		got, err := Canonical([]byte(row.in))
		e, ok := errors.AsType[*CanonicalError](err)
		if !ok || got != nil {
			t.Errorf("%s: %s, %v; want a refusal", name, got, err)
			continue
		}
		want := clipPointer(row.pointer)
		if e.Reason != row.reason || e.Offset != row.offset || e.Pointer != want || e.Message == "" {
			t.Errorf("%s: %+v; want %s at %d in %q", name, e, row.reason, row.offset, want)
		}
	}
}

func TestCanonicalErrorTellsNothingOfTheBody(t *testing.T) {
	_, err := Canonical([]byte(`{"hunter2":{"hunter2":"\ud800 hunter2"}}`))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Fatal(err)
	}
}

func TestCanonicalLeavesItsArgumentAlone(t *testing.T) {
	raw := []byte(`{ "b":1, "a":"\u0041" }`)
	before := bytes.Clone(raw)
	if _, err := Canonical(raw); err != nil || !bytes.Equal(raw, before) {
		t.Fatalf("%s, %v", raw, err)
	}
}

// jsonValue draws values that JSON, Go and a double agree on. Go spells doubles
// between 2^53 and 1e21 as integers, which are refused.
func jsonValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(),
		rapid.Int64Range(-exactInteger, exactInteger).AsAny(), rapid.Float64Range(-1e15, 1e15).AsAny(), rapid.Float64Range(1e21, 1e300).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	return rapid.OneOf(append(leaves, rapid.SliceOfN(jsonValue(depth-1), 0, 4).AsAny(),
		rapid.MapOfN(rapid.String(), jsonValue(depth-1), 0, 4).AsAny())...)
}

func TestCanonicalIsBlindToSpacing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := jsonValue(3).Draw(t, "value")
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		spaced, err := json.MarshalIndent(v, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		a, errA := Canonical(plain)
		b, errB := Canonical(spaced)
		if errors.Join(errA, errB) != nil || !bytes.Equal(a, b) || !json.Valid(a) {
			t.Fatalf("%s\n%s\n%v", a, b, errors.Join(errA, errB))
		}
	})
}

func TestDifferentIntegersAreDifferentIntents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-exactInteger, exactInteger-1).Draw(t, "a")
		one, errA := Canonical(json.RawMessage(jsonInt(a)))
		two, errB := Canonical(json.RawMessage(jsonInt(a + 1)))
		if errors.Join(errA, errB) != nil || bytes.Equal(one, two) {
			t.Fatalf("%d and %d: %s and %s", a, a+1, one, two)
		}
	})
}

func jsonInt(n int64) []byte {
	b, _ := json.Marshal(n)
	return b
}

func TestFingerprint(t *testing.T) {
	base := Fingerprint("POST", "/v1/infer", []byte(`{}`))
	// SHA-256 over each part behind its length in 8 bytes, computed apart from this package.
	if want := "v1:748f266e002da77f67d337fb5260e6a8c5f165222afcec520b2e8a74f912aee5"; base != want {
		t.Errorf("%s, want %s", base, want)
	}
	for name, other := range map[string]string{
		"another method":              Fingerprint("PUT", "/v1/infer", []byte(`{}`)),
		"another path":                Fingerprint("POST", "/v1/infe", []byte(`{}`)),
		"another body":                Fingerprint("POST", "/v1/infer", []byte(`[]`)),
		"a byte moved between fields": Fingerprint("POS", "T/v1/infer", []byte(`{}`)),
	} {
		if other == base {
			t.Errorf("%s has the same fingerprint", name)
		}
	}
}

func TestCheckIdempotencyKey(t *testing.T) {
	long := strings.Repeat("k", 255)
	for name, row := range map[string]struct {
		values     []string
		want, code string
	}{
		"a bare key":                           {[]string{"order-8841"}, "order-8841", ""},
		"a quoted key is the bare one":         {[]string{`"order-8841"`}, "order-8841", ""},
		"escapes are undone":                   {[]string{`"a\"b\\c"`}, `a"b\c`, ""},
		"case counts":                          {[]string{"Order"}, "Order", ""},
		"255 characters":                       {[]string{long}, long, ""},
		"255 characters within quotes":         {[]string{`"` + long + `"`}, long, ""},
		"a quote inside a bare key":            {[]string{`a"b`}, `a"b`, ""},
		"no header":                            {nil, "", CodeKeyRequired},
		"two headers":                          {[]string{"a", "a"}, "", CodeKeyInvalid},
		"an empty header":                      {[]string{""}, "", CodeKeyInvalid},
		"an empty quoted key":                  {[]string{`""`}, "", CodeKeyInvalid},
		"256 characters":                       {[]string{long + "k"}, "", CodeKeyInvalid},
		"a space":                              {[]string{"a b"}, "", CodeKeyInvalid},
		"a space within quotes":                {[]string{`"a b"`}, "", CodeKeyInvalid},
		"a tab":                                {[]string{"a\tb"}, "", CodeKeyInvalid},
		"a NUL":                                {[]string{"a\x00b"}, "", CodeKeyInvalid},
		"a DEL":                                {[]string{"a\x7fb"}, "", CodeKeyInvalid},
		"letters that are not ASCII":           {[]string{"clé"}, "", CodeKeyInvalid},
		"a byte that is no UTF-8":              {[]string{"a\xff"}, "", CodeKeyInvalid},
		"a string that does not end":           {[]string{`"abc`}, "", CodeKeyInvalid},
		"a lone quote":                         {[]string{`"`}, "", CodeKeyInvalid},
		"a string with a parameter":            {[]string{`"abc";a=1`}, "", CodeKeyInvalid},
		"an escape that RFC 8941 doesn't have": {[]string{`"a\nb"`}, "", CodeKeyInvalid},
		"a string that ends in its escape":     {[]string{`"abc\`}, "", CodeKeyInvalid},
	} {
		got, err := CheckIdempotencyKey(row.values)
		code := ""
		if e, ok := errors.AsType[*KeyError](err); ok {
			code = e.Code
		}
		if got != row.want || code != row.code || (err == nil) != (row.code == "") {
			t.Errorf("%s: %q, %v; want %q, %q", name, got, err, row.want, row.code)
		}
	}
}
