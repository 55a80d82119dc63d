package main

import (
	"os"
	"os/signal"
	"syscall"
)

// signalled tells of the next signal that asks the process to end.
func signalled() (<-chan os.Signal, func()) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	return ch, func() { signal.Stop(ch) }
}
