package jobstore

import (
	"context"
	"net"

	"github.com/alicebob/miniredis/v2"
)

// Embedded is a store inside this process: nothing to install, and all is lost
// when the process ends. It runs the same scripts as Redis does.
type Embedded struct{ server *miniredis.Miniredis }

// NewEmbedded makes an empty one. No port is opened.
func NewEmbedded() *Embedded {
	m := miniredis.NewMiniRedis()
	m.ClockTTL(true) // retention passes with time
	return &Embedded{m}
}

// Options are how Open reaches it.
func (e *Embedded) Options() Options {
	return Options{Durability: Volatile,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			c, err := e.server.Dial()
			if err != nil {
				return nil, err
			}
			return newBuffered(c), nil
		}}
}

// Listen also serves it at a TCP address of this machine, for other processes
// of a test. addr is like "127.0.0.1:0"; the address in use is returned.
func (e *Embedded) Listen(addr string) (string, error) {
	if err := e.server.StartAddr(addr); err != nil {
		return "", err
	}
	return e.server.Addr(), nil
}

// Stop ends every connection and refuses new ones; Restart undoes it, with the
// data as it was.
func (e *Embedded) Stop() { e.server.Close() }

// Restart serves again at the address that Listen gave.
func (e *Embedded) Restart() error { return e.server.Restart() }

// Close ends it for good.
func (e *Embedded) Close() { e.server.Close() }
