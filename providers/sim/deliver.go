package sim

import (
	"crypto/tls"
	"net"
	"net/http"
)

// compose makes the answer before any work is done, so that a request that
// cannot be served, or rules its fault out, executes nothing.
func (c *call) compose() (reply, *reply) {
	if c.fault.refuses() {
		return c.fault.refusal(), nil
	}
	f := c.s.formats.get(c.req.schema())
	text, _ := c.req.asked()
	good, err := c.good(f, c.s.opts.Answers.find(text))
	if err != nil {
		return reply{}, badRequest("invalid schema for response_format: "+err.Error(), "unsupported_schema")
	}
	said, err := c.say(good, f)
	if err != nil {
		return reply{}, cannotObey(c.fault.word())
	}
	body, content := completion(c.id, c.req.Model, said, c.req.words(), !c.fault.EmptyChoices)
	r := reply{status: http.StatusOK, body: body}
	if c.fault.Huge > 0 {
		r.fill, r.fillAt = max(0, c.fault.Huge-int64(len(body))), content
	}
	return r, nil
}

// good is the healthy answer to the line, nil for none.
func (c *call) good(f *format, l *line) (*answer, error) {
	if c.req.asksWhatArrived() {
		return c.echo(f)
	}
	if last := c.req.Messages[len(c.req.Messages)-1]; last.Role == "tool" && f.root == nil {
		return textAnswer(string(last.Content)), nil // the caller waits for words about the result
	}
	if c.req.mayCall() {
		return c.toolAnswer(l)
	}
	return f.answer(l)
}

// say turns the good answer into what the fault wants said.
func (c *call) say(good *answer, f *format) (*answer, error) {
	switch act := c.fault.act(); act {
	case "":
		return good, nil
	case "content":
		return textAnswer(*c.fault.Content), nil
	default:
		if c.req.mayCall() {
			return c.spoilCalls(act, good)
		}
		return spoil(act, good, f.root)
	}
}

// deliver sends the answer, or as much of it as the fault lets through.
func (c *call) deliver(r reply) {
	switch {
	case c.fault.Reset == AfterBody:
		c.reset()
	case c.fault.Truncate != "":
		c.finish(r.status)
		c.truncate(r)
	default:
		c.answer(r)
	}
}

// answer sends r whole.
func (c *call) answer(r reply) {
	c.finish(r.status)
	defer c.s.guard(c.w)()
	if r.write(c.w) != nil {
		c.update(func(e *Execution) { e.Listening = false })
	}
}

// truncate sends half of the body and closes the connection in good order: what
// is missing shows in the length, or in the last chunk that never comes.
func (c *call) truncate(r reply) {
	length := int64(len(r.body))
	if c.fault.Truncate == CutChunked {
		length = -1
	}
	defer c.s.guard(c.w)()
	r.writeHeader(c.w, length)
	c.w.Write(r.body[:len(r.body)/2])
	http.NewResponseController(c.w).Flush()
	c.hangUp(false)
}

// abort ends the call without an answer.
func (c *call) abort() {
	c.finish(0)
	c.hangUp(false)
}

// reset ends the call with a TCP reset.
func (c *call) reset() {
	c.finish(0)
	c.hangUp(true)
}

// hangUp closes the connection. Where a wrapper keeps the connection from us
// it is net/http that closes it, without a reset.
func (c *call) hangUp(reset bool) {
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if t, ok := conn.(*tls.Conn); ok && reset {
		conn = t.NetConn()
	}
	if t, ok := conn.(*net.TCPConn); ok && reset {
		// Close then discards what is unsent and answers with RST (socket(7), SO_LINGER).
		t.SetLinger(0)
	}
	conn.Close()
}
