//go:build !linux

package jobstoretest

import "os/exec"

// dieWithParent exists on Linux only.
func dieWithParent(*exec.Cmd) {}
