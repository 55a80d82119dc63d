package jobstoretest

import (
	"os/exec"
	"syscall"
)

// dieWithParent keeps a server from outliving tests that end without clean-up,
// as they do when they run out of time.
func dieWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
