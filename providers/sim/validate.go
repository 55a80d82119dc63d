package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Validate refuses a fault that cannot be carried out, and says what to write.
func (f Fault) Validate() error {
	if err := f.checkValues(); err != nil {
		return err
	}
	if err := f.checkTiming(); err != nil {
		return err
	}
	return f.checkActs()
}

func (f *Fault) checkValues() error {
	switch {
	case f.Until != "" && !validName(f.Until):
		return fmt.Errorf("until: a gate's name is 1 to 64 of a-z A-Z 0-9 . _ -")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status: %d is no final status; use 200 to 599", f.Status)
	case !slices.Contains([]Reset{"", BeforeBody, HalfBody, AfterBody}, f.Reset):
		return fmt.Errorf("reset: %q is unknown; use before_body, half_body or after_body", f.Reset)
	case !slices.Contains([]Cut{"", CutLength, CutChunked}, f.Truncate):
		return fmt.Errorf("truncate: %q is unknown; use true or \"chunked\"", f.Truncate)
	case f.Huge != 0 && (f.Huge < minHuge || f.Huge > MaxHuge):
		return fmt.Errorf("huge: use %d to %d bytes", minHuge, MaxHuge)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Headers)) {
		if !validHeader(name, f.Headers[name]) {
			return fmt.Errorf("headers: %q is no header that can be sent", name)
		}
	}
	return nil
}

func (f *Fault) checkTiming() error {
	for _, d := range []Duration{f.Delay, f.Late} {
		if d != AtGate && (d < 0 || time.Duration(d) > MaxWait) {
			return fmt.Errorf("delay, late: use a duration of 0s to %s", MaxWait)
		}
	}
	atGate := f.Delay == AtGate || f.Late == AtGate
	switch {
	case f.Hang && (f.Delay != 0 || f.Late != 0):
		return fmt.Errorf("hang waits for ever: leave delay and late out, or name a gate in until")
	case f.Delay != 0 && f.Late != 0:
		return fmt.Errorf("delay waits before the work and late after it: use one of them")
	case atGate && f.Until == "":
		return fmt.Errorf("a wait of true ends at a gate: name it in until")
	case f.Until != "" && !atGate && (f.Delay != 0 || f.Late != 0):
		return fmt.Errorf("until takes the place of the duration: write \"late\": true, or until alone")
	}
	return nil
}

func (f *Fault) checkActs() error {
	acts := f.acts()
	switch {
	case len(acts) > 1:
		return fmt.Errorf("%s: a call can do only one of them; put them in two entries", strings.Join(acts, ", "))
	case f.Hang && len(acts) > 0:
		return fmt.Errorf("hang never answers: leave %s out", acts[0])
	case !f.refuses() && (len(f.Headers) > 0 || f.Executed):
		return fmt.Errorf("headers and executed belong to status, html or error_in_200: add one of them")
	case f.Body != "" && f.act() != "status":
		return fmt.Errorf("body belongs to a status: add one")
	case f.Body != "" && !bodyAllowed(f.Status):
		return fmt.Errorf("status %d has no body: leave body out", f.Status)
	case f.Late != 0 && !f.works():
		return fmt.Errorf("late does the work first, %s does none: use delay, or executed with a refusal", f.act())
	}
	return nil
}
