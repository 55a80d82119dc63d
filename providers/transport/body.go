package transport

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"inferonce/providers"
)

// ErrorBody is how much of a failure's body is read: enough for any provider's
// envelope, whatever else it sends.
const ErrorBody = 64 << 10

// Answers are not packed a hundredfold; a body that is was made to burst. The
// floor keeps small, regular answers out of it.
const (
	maxRatio   = 100
	ratioFloor = 64 << 10
)

// Answer is a response read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Read reads and closes the body. Of a response that is no success it keeps
// the first ErrorBody bytes and no error: the status alone decides then. Of a
// success an error means that the answer is not whole.
func Read(resp *http.Response) (Answer, error) {
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode/100 != 2 {
		a.Body, _ = io.ReadAll(io.LimitReader(resp.Body, ErrorBody))
		return a, nil
	}
	var err error
	a.Body, err = io.ReadAll(resp.Body)
	return a, err
}

// bound puts the limits around resp.Body and undoes a compression that nobody
// asked for. The limit counts bytes after decompression.
func bound(resp *http.Response, limit int64, done func()) {
	if limit <= 0 {
		limit = providers.DefaultMaxBody
	}
	raw := &counter{r: resp.Body}
	b := &body{src: raw, raw: raw, close: resp.Body, done: done, left: limit}
	switch strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))) {
	case "", "identity":
	case "gzip", "x-gzip":
		b.src, b.packed = &gunzip{raw: raw}, true
	default:
		b.src = unreadable{}
	}
	if resp.Header.Get("Content-Encoding") != "" {
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	resp.Body = b
}

type body struct {
	src    io.Reader
	raw    *counter
	close  io.Closer
	done   func() // what a limit of time would end has ended
	packed bool
	left   int64
	out    int64
}

func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more than allowed tells "full" from "too large"
	}
	n, err := b.src.Read(p)
	b.left -= int64(n)
	b.out += int64(n)
	if err != nil {
		b.done()
	}
	if b.left < 0 || b.packed && b.out > ratioFloor && b.out > maxRatio*b.raw.n {
		return 0, &fault{code: "too_large"}
	}
	return n, err
}

func (b *body) Close() error {
	defer b.done()
	return b.close.Close()
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// gunzip starts at the first Read, since opening a gzip stream reads from it.
type gunzip struct {
	raw io.Reader
	z   *gzip.Reader
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.z == nil {
		if g.z, err = gzip.NewReader(g.raw); err != nil {
			return 0, unpacked(err)
		}
	}
	n, err = g.z.Read(p)
	return n, unpacked(err)
}

// unpacked tells a stream that is no gzip from one that was cut.
func unpacked(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return &fault{code: "encoding"}
	}
	return err
}

// unreadable is a body in an encoding that we neither asked for nor know.
type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { return 0, &fault{code: "encoding"} }
