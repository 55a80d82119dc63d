package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"inferonce/configs"
	"inferonce/router/httpapi"
)

func TestTheAddressAndTheKeyAreCheckedBeforeAnythingIsSent(t *testing.T) {
	for name, row := range map[string]struct {
		url, key string
		want     string // the key that is used
		said     string // part of the error or of the note; "" for neither
	}{
		"this machine needs no key":        {"http://127.0.0.1:8787", "", "dev", ""},
		"nothing set is this machine":      {"", "", "dev", ""},
		"also by name":                     {"http://localhost:8787", "", "dev", ""},
		"a key that is set is used":        {"http://[::1]:8787", "hunter2", "hunter2", ""},
		"another machine needs a key":      {"https://router.example.com", "", "", "no API key for router.example.com"},
		"over TLS there is no note":        {"https://router.example.com", "hunter2", "hunter2", ""},
		"in the clear there is one":        {"http://router.example.com", "hunter2", "hunter2", "router.example.com is not encrypted"},
		"a name like ours is not ours":     {"http://127.0.0.1.example.com", "", "", "no API key"},
		"a key with a space is none":       {"", "hunter2 x", "", "INFERONCE_KEY holds no key"},
		"a key with a line's end is none":  {"", "hunter2\n", "", "INFERONCE_KEY holds no key"},
		"an address with a query is none":  {"http://127.0.0.1:8787?a=b", "", "", "has a query or fragment"},
		"an address without a host either": {"http://:8787", "", "", "is no address"},
	} {
		var said strings.Builder
		cmd := newJobsListCmd(nil)
		addClientFlags(cmd)
		cmd.SetErr(&said)
		if err := cmd.ParseFlags([]string{"--url", row.url}); err != nil {
			t.Fatal(err)
		}
		c, err := newClient(cmd, func(name string) (string, bool) {
			if name == envKey {
				return row.key, true
			}
			return "", false
		})
		got := ""
		if err != nil {
			said.WriteString(err.Error())
		} else {
			got = c.key
		}
		if got != row.want || !strings.Contains(said.String(), row.said) || row.said == "" && said.String() != "" || strings.Contains(said.String(), "hunter2") {
			t.Errorf("%s: key %q, want %q; said %q, want %q", name, got, row.want, said.String(), row.said)
		}
	}
}

func TestInferSendsOneKeyOrLeavesItToTheContract(t *testing.T) {
	for name, row := range map[string]struct {
		flags []string
		sent  string // a pattern
		said  bool
	}{
		"the one that is given":      {[]string{"--key", "order-8841"}, `^order-8841$`, false},
		"one that is made up":        {nil, `^cli-[a-z0-9]{26}$`, true},
		"none, for it to be derived": {[]string{"--derive-key"}, `^$`, false},
	} {
		sent := make(chan string, 2)
		h := func(w http.ResponseWriter, r *http.Request) {
			sent <- strings.Join(r.Header.Values("Idempotency-Key"), ",")
			cut(w, r)
		}
		_, _, talk := runAgainst(t, h, append([]string{"infer", "ticket-triage", "--text", "hello"}, row.flags...)...)
		key := <-sent
		if !regexp.MustCompile(row.sent).MatchString(key) || strings.Contains(talk, "idempotency key "+key+";") != row.said {
			t.Errorf("%s: sent %q; said %q", name, key, talk)
		}
		if len(sent) != 0 {
			t.Errorf("%s: the call was sent again", name)
		}
	}
}

func TestTheAPIKnowsTheKeysOfTheConfiguration(t *testing.T) {
	key, hash, err := configs.NewAPIKey("test")
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := configs.NewAPIKey("test")
	if err != nil {
		t.Fatal(err)
	}
	auth := newAuthenticator(configs.NewCredentials([]configs.Key{{Owner: "acme", Hash: hash, Scopes: []configs.Scope{configs.Infer, configs.Report}}}))
	caller, ok := auth.Lookup(key)
	if !ok || caller.Owner != "acme" || caller.KeyID == "" || !caller.Has(httpapi.ScopeInfer) || !caller.Has(httpapi.ScopeReport) || caller.Has(httpapi.ScopeOperate) {
		t.Errorf("%+v, %v", caller, ok)
	}
	if !strings.Contains(key, caller.KeyID) {
		t.Errorf("key id %q is not the key's", caller.KeyID)
	}
	if caller, ok := auth.Lookup(other); ok || caller.Owner != "" {
		t.Errorf("a key that is nobody's is %+v", caller)
	}
}
