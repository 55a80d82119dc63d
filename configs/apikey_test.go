package configs

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestANewKeyHasTheFormAndItsHashFindsIt(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		key, hash, err := NewAPIKey("live")
		if err != nil {
			t.Fatal(err)
		}
		// 256 bits take 43 digits of base 62, 32 bits take 6.
		if !regexp.MustCompile(`^ifo_live_[0-9A-Za-z]{10}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`).MatchString(key) {
			t.Fatalf("form of %s", key)
		}
		if !CheckAPIKey(key) || HashAPIKey(key) != hash || seen[key] {
			t.Fatalf("key %s, hash %s", key, hash)
		}
		seen[key] = true
	}
}

func TestTheChecksumAndHashAreThePublishedOnes(t *testing.T) {
	// The check value of CRC-32 (IEEE) over "123456789" is 0xCBF43926, which
	// is 3421780262 and, in base 62 with digits 0-9A-Za-z, 3jZRME.
	if got := checksum("123456789"); got != "3jZRME" {
		t.Errorf("checksum %s", got)
	}
	// NIST's example for SHA-256 of "abc".
	if got := HashAPIKey("abc"); got != "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("hash %s", got)
	}
}

func TestJunkIsNoKey(t *testing.T) {
	key, _, err := NewAPIKey("test")
	if err != nil {
		t.Fatal(err)
	}
	for name, junk := range map[string]string{
		"nothing": "", "dev": "dev", "a prefix": "ifo_", "cut": key[:len(key)-1], "longer": key + "0",
		"a newline after it": key + "\n", "a space before it": " " + key, "another environment": strings.Replace(key, "_test_", "_live_", 1),
		"capitals": strings.ToUpper(key), "another product's": "sk-" + key[4:], "very long": strings.Repeat("ifo_test_", 100_000),
	} {
		if CheckAPIKey(junk) {
			t.Errorf("%s passes as a key", name)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		junk := "ifo_live_" + randomText(random, keyIDLen) + "_" + randomText(random, secretLen+checksumLen)
		if CheckAPIKey(junk) {
			t.Errorf("%s passes as a key", junk)
		}
	}
}

func randomText(random *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = base62[random.IntN(len(base62))]
	}
	return string(b)
}

func TestOneWrongCharacterAnywhereIsNoticed(t *testing.T) {
	key, _, err := NewAPIKey("live")
	if err != nil {
		t.Fatal(err)
	}
	for i := range key {
		wrong := []byte(key)
		wrong[i] = 'A'
		if key[i] == 'A' {
			wrong[i] = 'B'
		}
		if CheckAPIKey(string(wrong)) {
			t.Errorf("character %d is not covered", i)
		}
	}
}

func TestAnEnvironmentsNameIsChecked(t *testing.T) {
	for _, env := range []string{"", "Live", "a_b", "live\n", strings.Repeat("a", 17)} {
		if key, _, err := NewAPIKey(env); err == nil {
			t.Errorf("%q gives %s", env, key)
		}
	}
}
