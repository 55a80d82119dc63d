package contracts

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the canonical form of one JSON value (RFC 8785): no white
// space, members in order of their UTF-16 code units, one spelling for every
// string and number. Two texts have the same form exactly if they mean the
// same; a text for which that can't be promised is refused with a
// *CanonicalError. Text is not normalised (RFC 8785 3.1): two byte sequences
// may be two accounts. raw is not changed. The form is for comparing, not for
// sending on: that of 1e20 is an integer that Canonical itself refuses.
func Canonical(raw []byte) ([]byte, error) {
	end, err := scan(raw, exactNumber)
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(raw[end:], jsonSpace); len(rest) > 0 {
		return nil, &CanonicalError{Offset: int64(len(raw) - len(rest)), Reason: ReasonTrailing,
			Message: "goes on after the JSON value; send exactly one"}
	}
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		return nil, scanError(err, 0)
	}
	return v, nil
}

// fingerprintVersion stands before every fingerprint, so that a later form can
// be told from this one and stored fingerprints stay comparable.
const fingerprintVersion = "v1"

// Fingerprint names an intent: two requests are the same intent exactly if
// their fingerprints are equal (R4). path is the path's template, without a
// query; canonical is what Canonical returned. What says only how to deliver
// the answer (authorisation, Prefer, budget) must stay out of it.
func Fingerprint(method, path string, canonical []byte) string {
	return fingerprintVersion + ":" + framedSHA256([]byte(method), []byte(path), canonical)
}

// framedSHA256 hashes parts with their lengths before them, so that no two
// lists of parts run into the same bytes.
func framedSHA256(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		writeFrame(h, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeFrame(h hash.Hash, p []byte) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(p)))
	h.Write(n[:])
	h.Write(p)
}
