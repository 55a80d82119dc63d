package configs

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/big"
	"regexp"
	"strings"
)

// An API key is ifo_<env>_<key id>_<secret><checksum>, all of it base 62
// apart from the prefix, so that a double click selects it whole and secret
// scanners recognize it; the checksum lets junk be told from a key without
// asking anybody. The reasons for that form are GitHub's:
// https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/
const (
	keyPrefix   = "ifo_"
	keyIDLen    = 10 // random; enough to tell keys apart in a log
	secretLen   = 43 // digits of base 62 that hold 256 bits
	checksumLen = 6  // digits of base 62 that hold a CRC-32
	hashPrefix  = "sha256:"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var (
	envPattern = regexp.MustCompile(`^[a-z0-9]{1,16}$`)
	keyPattern = regexp.MustCompile(`^ifo_[a-z0-9]{1,16}_([0-9A-Za-z]{10})_[0-9A-Za-z]{49}$`)
)

// NewAPIKey makes a key with 256 random bits and the hash that stands in the
// configuration in its place. The key is shown once and kept nowhere. env, 1
// to 16 small letters or digits such as "live", only helps people to tell keys apart.
func NewAPIKey(env string) (key, hash string, err error) {
	if !envPattern.MatchString(env) {
		return "", "", fmt.Errorf("new API key: the environment's name must be 1 to 16 of a-z and 0-9, such as live or test")
	}
	body := keyPrefix + env + "_" + randomDigits(keyIDLen, 7) + "_" + randomDigits(secretLen, 32)
	key = body + checksum(body)
	return key, HashAPIKey(key), nil
}

// CheckAPIKey reports whether key has the form of an API key and its checksum
// holds. It says nothing about whether anybody was given that key.
func CheckAPIKey(key string) (wellformed bool) {
	if !keyPattern.MatchString(key) {
		return false
	}
	cut := len(key) - checksumLen
	return checksum(key[:cut]) == key[cut:]
}

// HashAPIKey returns "sha256:" and the hex digest of key. 256 random bits need
// no slow hash.
func HashAPIKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// keyID is the public part of a key that has the form of one.
func keyID(key string) string {
	return strings.Split(key, "_")[2]
}

func checksum(body string) string {
	return digits(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))), checksumLen)
}

// randomDigits writes n random bytes in width digits.
func randomDigits(width, n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, by its documentation
	return digits(new(big.Int).SetBytes(b), width)
}

// digits writes x in base 62, with zeros before it up to width.
func digits(x *big.Int, width int) string {
	out := make([]byte, width)
	base, rest := big.NewInt(int64(len(base62))), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		x.DivMod(x, base, rest)
		out[i] = base62[rest.Int64()]
	}
	return string(out)
}
