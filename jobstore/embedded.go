package jobstore

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// Embedded is a store inside this process: nothing to install, and all is lost
// when the process ends. It runs the same scripts as Redis does.
type Embedded struct {
	server  *miniredis.Miniredis
	mu      sync.Mutex
	stopped bool
	listens bool
	clock   sync.Mutex
	last    time.Time // up to which retention has passed
}

// NewEmbedded makes an empty one. No port is opened.
func NewEmbedded() *Embedded {
	return &Embedded{server: miniredis.NewMiniRedis(), last: time.Now()}
}

// tick is how coarsely retention passes. The server would do it by itself, but
// by sorting all its keys at every call inside every script.
const tick = 100 * time.Millisecond

// pass lets time pass before a script runs, or a lease is asked for. It is also
// called for the commands inside a script, and then the server is locked: to
// move its clock there would wait for ever.
func (e *Embedded) pass(_ *server.Peer, cmd string, args ...string) bool {
	if cmd != "EVALSHA" && cmd != "EVAL" && !asksForLease(cmd, args) {
		return false
	}
	e.clock.Lock()
	defer e.clock.Unlock()
	if d := time.Since(e.last); d >= tick {
		e.last = e.last.Add(d)
		e.server.FastForward(d)
	}
	return false
}

// asksForLease knows the call by its form: key, value, how long, and NX. No
// script makes one like it.
func asksForLease(cmd string, args []string) bool {
	return cmd == "SET" && len(args) == 5 && strings.EqualFold(args[len(args)-1], "NX")
}

// Options are how Open reaches it.
func (e *Embedded) Options() Options {
	return Options{Durability: Volatile,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return e.dial() }}
}

var errStopped = errors.New("the embedded store is stopped")

// dial connects in memory. The server would start by itself for it, so that
// only we know that it is stopped.
func (e *Embedded) dial() (net.Conn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return nil, &net.OpError{Op: "dial", Net: "embedded", Err: errStopped}
	}
	c, err := e.server.Dial()
	if err != nil {
		return nil, err
	}
	e.server.Server().SetPreHook(e.pass)
	return newBuffered(c), nil
}

// Listen serves it at a TCP address of this machine, for other processes of a
// test. It comes before the first connection. addr is like "127.0.0.1:0"; the
// address in use is returned.
func (e *Embedded) Listen(addr string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.server.StartAddr(addr); err != nil {
		return "", err
	}
	e.server.Server().SetPreHook(e.pass)
	e.listens = true
	return e.server.Addr(), nil
}

// Stop ends every connection and refuses new ones; Restart undoes it, with the
// data as it was.
func (e *Embedded) Stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	e.server.Close()
}

// Restart serves again, at the address that Listen gave if it gave one.
func (e *Embedded) Restart() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = false
	if !e.listens {
		return nil // it starts with the next connection
	}
	if err := e.server.Restart(); err != nil {
		return err
	}
	e.server.Server().SetPreHook(e.pass)
	return nil
}

// Close ends it for good.
func (e *Embedded) Close() { e.Stop() }
