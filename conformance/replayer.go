package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// ErrRecording is wrapped by every refusal of a recording.
var ErrRecording = errors.New("the recording can't be replayed")

// codeNotRecorded marks a call that the recording knows nothing of. It is
// infrastructure: the suite becomes inconclusive.
const codeNotRecorded = "not_recorded"

// recordingSkew is how far the clock of the machine that recorded may be ahead.
const recordingSkew = 5 * time.Minute

// Replayer is a Provider that answers from a recording and calls nobody. The
// n-th call with a request gets what the n-th one got. It is safe for
// concurrent use. A report of it says that it is replayed.
type Replayer struct {
	head Recording
	of   providers.Provider

	mu    sync.Mutex
	calls map[string]int
	known map[string][]recordedExchange
}

// NewReplayer reads a recording that must be of the suite, the contract, the
// target, the provider and the model of the options, and no older than maxAge.
// The options' provider is asked for its traits only. An error wraps ErrRecording.
func NewReplayer(r io.Reader, o Options, maxAge time.Duration) (*Replayer, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 2*providers.DefaultMaxBody+1<<20)
	p := &Replayer{of: o.Provider, calls: map[string]int{}, known: map[string][]recordedExchange{}}
	if err := readLine(lines, &p.head); err != nil {
		return nil, fmt.Errorf("%w: line 1: %w", ErrRecording, err)
	}
	if err := p.head.refuse(NewRecording(o), maxAge); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecording, err)
	}
	for n := 2; ; n++ {
		var x recordedExchange
		err := readLine(lines, &x)
		if err == io.EOF {
			return p, nil
		}
		if err == nil {
			err = p.add(x)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrRecording, n, err)
		}
	}
}

func readLine(lines *bufio.Scanner, into any) error {
	if !lines.Scan() {
		if lines.Err() != nil {
			return lines.Err()
		}
		return io.EOF
	}
	d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("not a line of a recording: %w", err)
	}
	return nil
}

// add takes the exchanges of a request in the order of their numbers.
func (p *Replayer) add(x recordedExchange) error {
	if x.N != len(p.known[x.Request])+1 || (x.Answer == nil) == (x.Failure == nil) {
		return errors.New("an exchange is out of order or without an outcome")
	}
	p.known[x.Request] = append(p.known[x.Request], x)
	return nil
}

// refuse says why a recording is not of what is wanted now.
func (h Recording) refuse(want Recording, maxAge time.Duration) error {
	for _, row := range []struct{ what, is, want string }{
		{"format", fmt.Sprint(h.Format), fmt.Sprint(want.Format)},
		{"suite version", h.SuiteVersion, want.SuiteVersion},
		{"contract", h.Contract, want.Contract},
		{"contract digest", h.Digest, want.Digest},
		{"target", h.Target, want.Target},
		{"provider", h.Provider, want.Provider},
		{"model", h.Model, want.Model},
	} {
		if row.is != row.want {
			return fmt.Errorf("it is of %s %s, and %s is wanted; record again", row.what, visible(row.is), row.want)
		}
	}
	switch age := want.Time.Sub(h.Time); {
	case age > maxAge:
		return fmt.Errorf("it is %s old, and %s is the most; record again", age.Round(time.Hour), maxAge)
	case age < -recordingSkew:
		return errors.New("it was made in the future; check the clocks")
	}
	return nil
}

// Seed is the seed of the suite that was recorded.
func (p *Replayer) Seed() uint64 { return p.head.Seed }

// Recorded is when the recording was made.
func (p *Replayer) Recorded() time.Time { return p.head.Time }

// Complete answers from the recording.
func (p *Replayer) Complete(_ context.Context, q providers.Request) (contracts.Completion, error) {
	digest, err := requestDigest(q)
	if err != nil {
		return contracts.Completion{}, notRecorded()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.calls[digest]
	if n >= len(p.known[digest]) {
		return contracts.Completion{}, notRecorded()
	}
	p.calls[digest]++
	x := p.known[digest][n]
	if x.Failure != nil {
		f := *x.Failure
		f.RetryAfter = 0 // nobody is waited for
		return contracts.Completion{}, &f
	}
	return x.Answer.completion(), nil
}

func notRecorded() *contracts.Failure {
	return &contracts.Failure{Class: contracts.Internal, Effect: contracts.None, Code: codeNotRecorded}
}

// Traits are those of the provider that was recorded.
func (p *Replayer) Traits() providers.Traits { return p.of.Traits() }

// Reproduce asks the provider that was recorded.
func (p *Replayer) Reproduce(q providers.Request) string { return reproduceBy(p.of, q) }
