package configs

import "embed"

// Samples holds what comes with the program: contracts/*.yaml, the real
// inputs in data/, and two configurations: example.yaml to start from, and
// verify.yaml, which routes the failover stories to a simulated provider.
//
//go:embed contracts data example.yaml verify.yaml
var Samples embed.FS
