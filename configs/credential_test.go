package configs

import (
	"strings"
	"testing"
)

func newKey(t *testing.T) (key, hash string) {
	t.Helper()
	key, hash, err := NewAPIKey("test")
	if err != nil {
		t.Fatal(err)
	}
	return key, hash
}

func TestLookupFindsTheOwnerOfAKey(t *testing.T) {
	first, firstHash := newKey(t)
	second, secondHash := newKey(t)
	stranger, _ := newKey(t)
	c := NewCredentials([]Key{
		{Owner: "acme", Hash: firstHash, Scopes: []Scope{Infer}},
		{Owner: "acme", Hash: secondHash, Scopes: []Scope{Operate}},
		{Owner: "nobody", Hash: "sha256:zz", Scopes: []Scope{Admin}},
		{Owner: "dev", Hash: HashAPIKey("dev"), Scopes: []Scope{Admin}},
	})
	who, ok := c.Lookup(first)
	if !ok || who.Owner != "acme" || who.KeyID != strings.Split(first, "_")[2] || !who.Has(Infer) || who.Has(Operate) {
		t.Errorf("first key: %+v %v", who, ok)
	}
	if who, ok := c.Lookup(second); !ok || who.Owner != "acme" || who.Has(Infer) {
		t.Errorf("second key: %+v %v", who, ok)
	}
	for name, bearer := range map[string]string{
		"a stranger's key": stranger, "nothing": "", "a hash": firstHash,
		"a literal whose hash a file holds": "dev",
	} {
		if who, ok := c.Lookup(bearer); ok || who.Owner != "" {
			t.Errorf("%s: %+v", name, who)
		}
	}
}

func TestALiteralKeyWorksOnlyThroughTheOption(t *testing.T) {
	c := NewCredentials(nil, WithLiteralKey("dev", "dev", Admin))
	if who, ok := c.Lookup("dev"); !ok || who.Owner != "dev" || !who.Has(Operate) {
		t.Errorf("got %+v %v", who, ok)
	}
	if _, ok := c.Lookup("dev2"); ok {
		t.Error("another literal is accepted")
	}
	if _, ok := NewCredentials(nil).Lookup("dev"); ok {
		t.Error("accepted without the option")
	}
}

func TestAdminImpliesEveryScopeAndNoOtherDoes(t *testing.T) {
	for _, have := range allScopes() {
		for _, want := range allScopes() {
			permitted := have == want || have == Admin
			if got := (Credential{Scopes: []Scope{have}}).Has(want); got != permitted {
				t.Errorf("%s permits %s: %v", have, want, got)
			}
		}
		if (Credential{}).Has(have) {
			t.Errorf("no scope permits %s", have)
		}
	}
}
