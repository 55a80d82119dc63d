package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"inferonce/conformance"
)

// tapeFlags say where the answers of a conformance run come from or go to.
type tapeFlags struct {
	record, replay string
	live           bool
	maxAge         time.Duration
}

func (t *tapeFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&t.record, "record", "", "keep what comes back in this directory, without keys; runs everything, as with --keep-going")
	fl.StringVar(&t.replay, "replay", "", "judge what was kept in this directory, and call nobody")
	fl.BoolVar(&t.live, "live", false, "call the target (the default)")
	fl.DurationVar(&t.maxAge, "max-age", 720*time.Hour, "oldest recording that --replay takes")
}

func (t *tapeFlags) check(cmd *cobra.Command) error {
	return errors.Join(exclusive(cmd, "record", "replay"), exclusive(cmd, "live", "replay"))
}

// insert puts a recorder around the provider, or a replayer in its place. The
// returned function ends the tape; whole is false for a run that broke off.
func (t *tapeFlags) insert(o conformance.Options) (conformance.Options, func(whole bool) error, error) {
	switch {
	case t.replay != "":
		o, err := t.playing(o)
		return o, func(bool) error { return nil }, err
	case t.record != "":
		return t.recording(o)
	}
	return o, func(bool) error { return nil }, nil
}

// tapeName is the file of a pair in a directory of recordings.
func tapeName(dir string, o conformance.Options) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%s.jsonl", o.Contract.Ref(), o.Target.Name))
}

func (t *tapeFlags) playing(o conformance.Options) (conformance.Options, error) {
	f, err := os.Open(tapeName(t.replay, o))
	if err != nil {
		return o, exitf(exitCouldNotRun, "%w; make the recording with --record", err)
	}
	defer f.Close()
	p, err := conformance.NewReplayer(f, o, t.maxAge)
	if err != nil {
		return o, exitf(exitInvalid, "%s: %w", f.Name(), err)
	}
	if o.Seed == 0 {
		o.Seed = p.Seed()
	}
	// One call at a time meets the answers in the same order each time, and
	// nobody is there to be waited for.
	o.Provider, o.Concurrency, o.Backoff = p, 1, time.Nanosecond
	return o, nil
}

// recording writes beside the file until the run is over, so that a recording
// that breaks off replaces none.
func (t *tapeFlags) recording(o conformance.Options) (conformance.Options, func(bool) error, error) {
	if err := os.MkdirAll(t.record, 0o755); err != nil {
		return o, nil, exit(exitCouldNotRun, err)
	}
	name := tapeName(t.record, o)
	f, err := os.CreateTemp(t.record, ".recording-*")
	if err != nil {
		return o, nil, exit(exitCouldNotRun, err)
	}
	if o.Seed == 0 {
		o.Seed = 1 + rand.Uint64N(1<<31)
	}
	r := conformance.NewRecorder(f, conformance.NewRecording(o), o.Provider, o.Secrets...)
	o.Provider, o.KeepGoing = r, true
	return o, func(whole bool) error {
		err := errors.Join(r.Err(), f.Close())
		if err == nil && whole {
			return exit(exitCouldNotRun, os.Rename(f.Name(), name))
		}
		return exit(exitCouldNotRun, errors.Join(err, os.Remove(f.Name())))
	}, nil
}
