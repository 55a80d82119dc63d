//go:build unix

package jobstoretest

import (
	"syscall"
	"testing"
)

// Pause stops the process without ending it: connections stay, nothing is
// answered (SIGSTOP).
func (r *Redis) Pause(t testing.TB) { r.signal(t, syscall.SIGSTOP) }

// Resume lets a paused server go on (SIGCONT).
func (r *Redis) Resume(t testing.TB) { r.signal(t, syscall.SIGCONT) }

func (r *Redis) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}
