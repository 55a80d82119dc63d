package transport

import (
	"context"
	"errors"
	"io"
	"syscall"

	"inferonce/contracts"
)

// fault is an error whose whole content is a code of ours. It keeps no
// underlying error: net's errors hold addresses.
type fault struct{ code string }

func (f *fault) Error() string { return "transport: " + f.code }

// faults say what each code means. Those of effect none arise before a byte of
// the request has left.
var faults = map[string]contracts.Failure{
	"origin":      {Class: contracts.Internal, Effect: contracts.None, Detail: "the address is not one the configuration allows"},
	"connect":     {Class: contracts.Connection, Effect: contracts.None, Detail: "no connection could be made in time"},
	"dns":         {Class: contracts.Connection, Effect: contracts.None, Detail: "the host name was not found"},
	"refused":     {Class: contracts.Connection, Effect: contracts.None, Detail: "the connection was refused"},
	"proxy":       {Class: contracts.Connection, Effect: contracts.None, Detail: "the proxy opened no tunnel"},
	"tls":         {Class: contracts.Connection, Effect: contracts.None, Detail: "the TLS handshake failed"},
	"send_window": {Class: contracts.Connection, Effect: contracts.None, Detail: "it was too late to send the request"},
	"too_large":   {Class: contracts.BadResponse, Effect: contracts.Ended, Detail: "the answer is larger than allowed"},
	"first_byte":  {Class: contracts.Timeout, Effect: contracts.Open, Detail: "no answer came in time"},
	"idle":        {Class: contracts.Timeout, Effect: contracts.Open, Detail: "the answer stopped coming"},
	"encoding":    {Class: contracts.BadResponse, Effect: contracts.Ended, Detail: "the answer is in an encoding that was not asked for"},
}

// FromError makes a Failure of an error of Do or Read. ctx is the context that
// the request was made with, sent the Sent that came with it.
//
// Nothing left: effect none. Something left and no answer came: open, a
// timeout if our clock or the caller ended it, a connection failure otherwise.
// The answer broke off after a success had been announced: truncated, ended,
// unless it was we who stopped reading; then it may still go on.
func FromError(err error, ctx context.Context, sent *Sent) *contracts.Failure {
	if f := sent.refused(); f != nil && f.code == "send_window" {
		return f.failure()
	}
	var known *fault
	if errors.As(err, &known) && faults[known.code].Class != "" && faults[known.code].Effect != contracts.Open {
		return known.failure()
	}
	if sent.Effect() == contracts.None {
		return &contracts.Failure{Class: contracts.Connection, Effect: contracts.None, Code: "unsent",
			Detail: "the request ended before a byte of it was sent"}
	}
	if f := sent.clock.passed(); f != nil {
		return f.failure()
	}
	if ctx.Err() != nil {
		return late(ctx, sent)
	}
	if sent.answered.Load() {
		return &contracts.Failure{Class: contracts.Truncated, Effect: contracts.Ended, Code: "cut",
			Detail: "the answer broke off"}
	}
	return &contracts.Failure{Class: contracts.Connection, Effect: contracts.Open, Code: broken(err),
		Detail: "the connection broke after the request was sent"}
}

// late says how far the call had come when its context ended. The cause stays
// with the caller, who set it.
func late(ctx context.Context, sent *Sent) *contracts.Failure {
	f := &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open, Code: "first_byte",
		Detail: "no answer came in time"}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		f.Code, f.Detail = "canceled", "the call was given up before its answer came"
	case sent.FirstByte():
		f.Code, f.Detail = "answer", "the answer did not end in time"
	}
	return f
}

func (f *fault) failure() *contracts.Failure {
	out := faults[f.code]
	out.Code = f.code
	return &out
}

// broken names how a connection broke.
func broken(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "eof"
	}
	return "broken"
}
