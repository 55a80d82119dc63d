package bedrock

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// signatureOf computes what a request's Authorization must be, from AWS's
// description of Signature Version 4 and from what arrived, with nothing of the
// library that signs.
func signatureOf(r *http.Request, body, secret string) string {
	_, fields, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	named := map[string]string{}
	for _, f := range strings.Split(fields, ",") {
		k, v, _ := strings.Cut(strings.TrimSpace(f), "=")
		named[k] = v
	}
	_, scope, _ := strings.Cut(named["Credential"], "/")
	var headers strings.Builder
	for _, name := range strings.Split(named["SignedHeaders"], ";") {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		headers.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	canonical := strings.Join([]string{r.Method, twice(r.RequestURI), "", headers.String(), named["SignedHeaders"], digest(body)}, "\n")
	toSign := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), scope, digest(canonical)}, "\n")
	key := []byte("AWS4" + secret)
	for _, step := range strings.Split(scope, "/") {
		key = mac(key, step)
	}
	return "AWS4-HMAC-SHA256 Credential=" + named["Credential"] + ", SignedHeaders=" + named["SignedHeaders"] + ", Signature=" + hex.EncodeToString(mac(key, toSign))
}

// twice escapes a path that has been escaped already, as AWS asks of every service but S3.
func twice(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c == '/' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func digest(s string) string { d := sha256.Sum256([]byte(s)); return hex.EncodeToString(d[:]) }

func mac(key []byte, s string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(s))
	return h.Sum(nil)
}

// The vector is "get-vanilla" of AWS's published test suite of Signature Version 4.
func TestTheComputationOfTheTestsAgreesWithAWSsOwnVector(t *testing.T) {
	r, err := http.NewRequest(http.MethodGet, "https://example.amazonaws.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.RequestURI = "/"
	r.Header.Set("X-Amz-Date", "20150830T123600Z")
	published := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, " +
		"Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
	r.Header.Set("Authorization", strings.Replace(published, "5fa00fa3", "00000000", 1))
	if got := signatureOf(r, "", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"); got != published {
		t.Errorf("got  %s\nwant %s", got, published)
	}
}

func TestWhatArrivesIsSigned(t *testing.T) {
	for _, model := range []string{"some.model-v1:0", "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.some.model-v1:0", "a b+c%2F"} {
		p := newFake(t, says(200, good))
		r := request()
		r.Model = model
		r.Messages[0].Content = "ä <b> 日本"
		if _, f := ask(t, p, r); f != nil {
			t.Fatal(f)
		}
		a := <-p.asked
		got := a.Header.Get("Authorization")
		if got != signatureOf(a.Request, a.body, canarySecret) {
			t.Errorf("%s: the signature is not that of what arrived: %s", model, got)
		}
		if !strings.Contains(got, "Credential=AKIDEXAMPLE/20260304/eu-central-1/bedrock/aws4_request") || a.Header.Get("X-Amz-Date") != "20260304T050607Z" {
			t.Errorf("signed for %s at %s", got, a.Header.Get("X-Amz-Date"))
		}
		if a.Header.Get("X-Amz-Security-Token") != canaryToken || !strings.Contains(got, "x-amz-security-token") || !strings.Contains(got, ";host;") {
			t.Errorf("the token or the host is not signed: %s", got)
		}
		if strings.Contains(got, canarySecret) || strings.Contains(a.body, "canary") {
			t.Error("a secret left")
		}
	}
}

func TestAnAPIKeyIsSentInPlaceOfASignature(t *testing.T) {
	p := newFake(t, says(200, good))
	c, err := New(Config{BaseURL: p.URL, APIKey: func() string { return canaryKey }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Complete(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	a := <-p.asked
	if a.Header.Get("Authorization") != "Bearer "+canaryKey || a.Header.Get("X-Amz-Date") != "" {
		t.Errorf("headers %v", a.Header)
	}
}
