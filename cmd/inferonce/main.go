// Command inferonce is the router, its failover harness and its operators' tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes. Scripts may rely on them.
const (
	exitFine         = 0
	exitChecksFailed = 1
	exitUsage        = 2
	exitInvalid      = 3 // configuration or contract
	exitCouldNotRun  = 4
	exitInconclusive = 5
	exitConflict     = 6
	exitNotFound     = 7
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRootCmd(os.LookupEnv)
	return report(root, root.ExecuteContext(ctx))
}

// exitError chooses the exit code of an error. Anything else is a usage error:
// cobra reports those.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// exit makes err end the program with code.
func exit(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

// exitf is exit with a message; it should end with what to try next.
func exitf(code int, format string, args ...any) error {
	return exit(code, fmt.Errorf(format, args...))
}

func report(root *cobra.Command, err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &e):
		if e.err.Error() != "" {
			fmt.Fprintln(root.ErrOrStderr(), "inferonce:", e.err)
		}
		return e.code
	}
	fmt.Fprintf(root.ErrOrStderr(), "inferonce: %v\nTry 'inferonce --help'.\n", err)
	return exitUsage
}
