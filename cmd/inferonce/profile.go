package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"inferonce/configs"
	"inferonce/providers/openaicompat"
)

// adapterVersion is the version of what an adapter sends and how it reads the
// answer; "" for a kind that has none yet.
func adapterVersion(kind string) string {
	if kind == "openai" {
		return openaicompat.Version
	}
	return ""
}

// profileOf is the digest of how a target is spoken to. A pass is bound to it:
// what changes one of these changes what is sent, and so what was proved.
func profileOf(p configs.Provider, t configs.Target) string {
	raw, err := json.Marshal(map[string]string{"kind": p.Kind, "adapter": adapterVersion(p.Kind), "temperature": t.Temperature.String()})
	if err != nil {
		return "" // they are all texts
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}
