package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"inferonce/conformance"
)

// runProgress tells how far a conformance run has come: one line that changes on a
// terminal, and a line for every tenth of the runs elsewhere, as in a CI log.
type runProgress struct {
	out      io.Writer
	terminal bool
	started  time.Time
	failed   int
	tenths   int
	open     bool // the terminal's line is not ended yet
}

func newProgress(w io.Writer) *runProgress {
	return &runProgress{out: w, terminal: isTerminal(w), started: time.Now()}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// tell is called for each run that ended, one at a time.
func (p *runProgress) tell(x conformance.Progress) {
	if x.Check != "" {
		p.failed++
	}
	line := progressLine(x, p.failed, time.Since(p.started))
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
		p.open = true
		return
	}
	if tenths := 10 * x.Done / max(x.Planned, 1); tenths != p.tenths {
		p.tenths = tenths
		fmt.Fprintln(p.out, line)
	}
}

// end leaves the line.
func (p *runProgress) end() {
	if p.open {
		fmt.Fprintln(p.out)
		p.open = false
	}
}

// progressLine guesses the time left from the time that the runs took so far.
func progressLine(x conformance.Progress, failed int, spent time.Duration) string {
	line := fmt.Sprintf("%d of %d runs, %d failed, %d blocked", x.Done, x.Planned, failed, x.Infra)
	if x.MicroUSD > 0 {
		line += ", " + conformance.Dollars(x.MicroUSD)
	}
	if x.Done == 0 || x.Done >= x.Planned {
		return line
	}
	left := spent / time.Duration(x.Done) * time.Duration(x.Planned-x.Done)
	return line + fmt.Sprintf(", about %s left", max(left.Round(time.Second), time.Second))
}
