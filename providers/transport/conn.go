package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"
)

// conn stands between net/http and the wire (with https: between net/http and
// TLS, so that handshakes and closing alerts are not taken for request bytes).
// It belongs to one request at a time, the one that net/http got it for; an
// idle connection that is used again is handed over in the same way.
type conn struct {
	net.Conn
	sent   atomic.Pointer[Sent]
	framed bool // HTTP/2, which writes frames of its own before there is a request
}

// Read tells the request that its answer goes on.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if s := c.sent.Load(); s != nil && n > 0 && s.limits.Idle > 0 {
		s.clock.heard(s.limits.Idle)
	}
	return n, err
}

// Write refuses what the request's Sent does not admit, with 0 bytes written.
func (c *conn) Write(b []byte) (int, error) {
	s := c.sent.Load()
	switch {
	case s == nil && c.framed:
		return c.Conn.Write(b)
	case s == nil:
		return 0, &fault{code: "unowned"}
	}
	if err := s.admit(c); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	s.wrote(n)
	return n, err
}

// dialer makes connections, each within its own time limit. net/http dials
// under a context that the request's end does not cancel, so the limit must
// stand here.
type dialer struct {
	net     net.Dialer
	connect time.Duration
	roots   *x509.CertPool
	proxy   *url.URL // nil: none
	framed  bool
}

var errConnectTime = errors.New("transport: connecting took too long")

func (d *dialer) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	_, s := tracked(ctx)
	return context.WithTimeoutCause(ctx, or(s.limits.Connect, d.connect), errConnectTime)
}

func (d *dialer) plain(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	c, err := d.net.DialContext(ctx, network, addr)
	if err != nil {
		return nil, dialFault(ctx, err)
	}
	return &conn{Conn: c, framed: d.framed}, nil
}

func (d *dialer) tls(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := d.limited(ctx)
	defer cancel()
	raw, err := d.tunnel(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	c := tls.Client(raw, &tls.Config{
		ServerName: host, RootCAs: d.roots, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
	if err := c.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, tlsFault(ctx, err)
	}
	return &conn{Conn: c}, nil
}

// dialFault turns an error of the dial into a code; its text holds addresses.
func dialFault(ctx context.Context, err error) error {
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return &fault{code: "connect"}
	case errors.As(err, &dns):
		return &fault{code: "dns"}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &fault{code: "refused"}
	}
	return &fault{code: "connect"}
}

// tlsFault tells a handshake that was too slow from one that failed.
func tlsFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &fault{code: "connect"}
	}
	return &fault{code: "tls"}
}
