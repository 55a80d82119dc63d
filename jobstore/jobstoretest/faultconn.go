package jobstoretest

import (
	"bufio"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// conn reads along in both directions, command by command and reply by reply.
type conn struct {
	net.Conn
	faults *Faults
	addr   string
	broken atomic.Bool

	part []byte // written, not yet a whole command

	mu      sync.Mutex
	waiting []*Call // one for each command under way; nil where it is no script call

	in    *bufio.Reader
	ready []byte // read, not yet handed on
}

func newConn(f *Faults, c net.Conn, addr string) *conn {
	return &conn{Conn: c, faults: f, addr: addr, in: bufio.NewReader(c)}
}

// Write forwards whole commands only, up to the one that meets its fault.
func (c *conn) Write(p []byte) (int, error) {
	c.part = append(c.part, p...)
	var out []byte
	for {
		args, n := splitCommand(c.part)
		if n == 0 {
			break
		}
		raw := c.part[:n]
		call := c.faults.meet(args, raw, c.addr)
		if call != nil && (call.Fault == DropRequest || call.Fault == CutRequest) {
			if call.Fault == CutRequest {
				out = append(out, raw[:n/2]...)
			}
			_, _ = c.Conn.Write(out)
			c.tear()
			return len(p), nil // the writer finds out when it waits for the reply
		}
		c.expect(call)
		out = append(out, raw...)
		c.part = c.part[n:]
	}
	if len(out) > 0 {
		if _, err := c.Conn.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Read hands on one reply at a time, up to the one that is to be lost.
func (c *conn) Read(p []byte) (int, error) {
	if len(c.ready) == 0 {
		if c.broken.Load() {
			return 0, io.EOF
		}
		raw, err := readValue(c.in)
		if err != nil {
			if c.broken.Load() {
				err = io.EOF
			}
			return 0, err
		}
		if call := c.replied(raw); call != nil {
			c.faults.answered(call, raw)
			if call.Fault == DropReply {
				c.tear()
				return 0, io.EOF
			}
		}
		c.ready = raw
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

func (c *conn) expect(call *Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, call)
}

// replied finds the call that a reply belongs to. A push belongs to none.
func (c *conn) replied(raw []byte) *Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	if raw[0] == '>' || len(c.waiting) == 0 {
		return nil
	}
	call := c.waiting[0]
	c.waiting = c.waiting[1:]
	return call
}

func (c *conn) tear() {
	c.broken.Store(true)
	_ = c.Conn.Close()
}
