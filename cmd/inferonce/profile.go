package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"inferonce/configs"
	"inferonce/providers/openaicompat"
)

// ownVersions are the versions of what the adapters with an API of their own
// send, and of how they read the answer. Raise one with any change of either:
// passes under the old one then no longer count.
var ownVersions = map[string]string{"anthropic": "1", "gemini": "1", "openai_responses": "1", "bedrock": "1"}

// adapterVersion is the version of what a provider's adapter sends and reads.
func adapterVersion(p configs.Provider) string {
	if v, ok := ownVersions[p.Kind]; ok {
		return v
	}
	profile, err := openaicompat.ProfileNamed(profileOf(p))
	if err != nil {
		return "" // the kind was checked when it was loaded
	}
	return openaicompat.Version + " " + profile.Digest()
}

// profileDigest is the digest of how a target is spoken to. A pass is bound to it:
// what changes one of these changes what is sent, and so what was proved.
func profileDigest(p configs.Provider, t configs.Target) string {
	raw, err := json.Marshal(map[string]string{"kind": p.Kind, "adapter": adapterVersion(p), "api_version": p.APIVersion,
		"temperature": t.Temperature.String()})
	if err != nil {
		return "" // they are all texts
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}
