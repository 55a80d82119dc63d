package conformance

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

// keyCanary has characters that a URL escapes.
const keyCanary = "canary/key+4711=x"

func TestSecretsAreTakenOut(t *testing.T) {
	r := NewRedactor(keyCanary, "", "ab")
	for name, row := range map[string]struct{ in, want string }{
		"the key as it is":                   {"key " + keyCanary + " refused", "key [redacted] refused"},
		"the key in a query":                 {"https://h/?k=" + url.QueryEscape(keyCanary) + "&a=b", "https://h/?k=[redacted]&a=b"},
		"the key in a path":                  {"/x/" + url.PathEscape(keyCanary), "/x/[redacted]"},
		"the key in base64":                  {base64.StdEncoding.EncodeToString([]byte(keyCanary)), "[redacted]"},
		"a bearer token":                     {"Authorization: Bearer abcdefgh.ijklmnop-12", "Authorization: Bearer [redacted]"},
		"a password in base64":               {"authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic [redacted]"},
		"a header with a key":                {`"x-api-key": "zzzzzzzzzz"`, `"x-api-key": "[redacted]"`},
		"a key in a URL":                     {"https://h/v1?api_key=zzzzz&x=1", "https://h/v1?api_key=[redacted]&x=1"},
		"a user in a URL":                    {"redis://user:pass@h:1/0", "redis://[redacted]@h:1/0"},
		"a key of OpenAI":                    {"Incorrect key sk-proj-abcdefghijklmnop provided", "Incorrect key [redacted] provided"},
		"a key of Google":                    {"AIzaSyA1234567890abcdefghij", "[redacted]"},
		"a JWT":                              {"eyJhbGciOiJIUzI1NiJ9xx.eyJzdWIiOiIx.sig", "[redacted]"},
		"the reproducer's variable stays":    {`-H "Authorization: Bearer $API_KEY"`, `-H "Authorization: Bearer $API_KEY"`},
		"plain words stay":                   {"a basic question about the bearer of a risk", "a basic question about the bearer of a risk"},
		"a very short secret is passed over": {"abacus", "abacus"},
		"an answer stays":                    {`{"category":"billing","order_id":"A17"}`, `{"category":"billing","order_id":"A17"}`},
	} {
		got := r.Text(row.in)
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
		if again := r.Text(got); again != got {
			t.Errorf("%s: a second time makes %q of %q", name, again, got)
		}
	}
}

// gossip is a provider that repeats the key wherever it can.
func gossip(k contracts.Case, asked, _ int) (contracts.Completion, error) {
	const text = "refused " + keyCanary + ` at https://u:` + keyCanary + `@h/?key=` + keyCanary + ` with Authorization: Bearer ` + keyCanary
	switch {
	case k.ID == "name":
		c := said(`{"category":"account","priority":4,"order_id":"` + keyCanary + `","` + keyCanary + `":1}`)
		c.Model = keyCanary
		return c, nil
	case k.ID == "login":
		return said(`{"category":"` + keyCanary + `","priority":4,"order_id":null}`), nil
	case k.ID == "twice":
		return contracts.Completion{}, &contracts.Failure{Class: contracts.BadResponse, Effect: contracts.Ended, Code: keyCanary, Detail: text, Status: 200}
	}
	return honest(k, asked, 0)
}

// telling is a provider that says the key in its reproducer, too.
type telling struct{ providers.Provider }

func (telling) Reproduce(providers.Request) string {
	return "curl -H 'Authorization: Bearer " + keyCanary + "'"
}

func TestNoFormOfAReportHoldsTheKey(t *testing.T) {
	for _, store := range []bool{false, true} {
		o := with(options(tickets(t), gossip), func(o *Options) { o.KeepGoing, o.StoreContent, o.Secrets = true, store, []string{keyCanary} })
		o.Provider = telling{o.Provider}
		r := run(t, o)
		if r.Verdict != contracts.Fail || len(failingCases(r)) != 3 || failingCases(r)[0].Reproduce == "" {
			t.Fatalf("the provider was not heard: %s, %d failing", r.Verdict, len(failingCases(r)))
		}
		for name, text := range everyForm(t, r) {
			if leaks(text) {
				t.Errorf("%s holds the key (answers stored: %t)\n%s", name, store, text)
			}
		}
	}
}

func leaks(text string) bool {
	for _, form := range []string{keyCanary, url.QueryEscape(keyCanary), url.PathEscape(keyCanary), "canary/key", "canary&#47;key", "canary%2Fkey", "4711=x"} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

func everyForm(t *testing.T, r contracts.Report) map[string]string {
	t.Helper()
	all := texts(t, r)
	all["markdown"], all["html"], all["annotations"] = markdown(t, r), webPage(t, r, &r), strings.Join(annotated(t, r, "f"), "\n")
	return all
}

// broken fails with the key in a failure that is none of ours.
type broken struct{ providers.Provider }

func (broken) Complete(context.Context, providers.Request) (contracts.Completion, error) {
	return contracts.Completion{}, errors.New(keyCanary)
}

func TestARecordingHoldsNeitherKeyNorPromptNorTheProvidersWords(t *testing.T) {
	var tape bytes.Buffer
	o := with(options(tickets(t), gossip), func(o *Options) { o.KeepGoing = true })
	o.Provider = NewRecorder(&tape, NewRecording(o), o.Provider, keyCanary)
	run(t, o)
	r := NewRecorder(&tape, NewRecording(o), broken{}, keyCanary)
	if _, err := r.Complete(t.Context(), providers.Request{}); err == nil || r.Err() != nil {
		t.Errorf("%v, %v", err, r.Err())
	}
	text := tape.String()
	if leaks(text) || strings.Contains(text, "charged twice") || strings.Contains(text, "refused ") {
		t.Errorf("%s", text)
	}
	if !strings.Contains(text, `"redacted":true`) || !strings.Contains(text, "without keys") {
		t.Errorf("the recording does not say what it left out: %s", text)
	}
}
