package failover

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 16 << 20

// maxDialing bounds connections in the making, so that thousands of clicks do
// not overrun a listener's backlog; made ones are kept, without a bound.
const maxDialing = 64

// newHTTP returns a client that never repeats a request by itself and follows
// no redirect: what a story counts must be what it sent.
func newHTTP() *http.Client {
	dialing := make(chan struct{}, maxDialing)
	dialer := net.Dialer{Timeout: 30 * time.Second}
	t := &http.Transport{
		MaxIdleConnsPerHost: 4096,
		IdleConnTimeout:     30 * time.Second,
		DisableCompression:  true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			select {
			case dialing <- struct{}{}:
				defer func() { <-dialing }()
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			return dialer.DialContext(ctx, network, addr)
		},
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// request is one call of a router's face.
type request struct {
	method, path string
	header       http.Header
	body         []byte
	base         string // of another router; "": the one under test
	sent         func() // called once the request is written
}

// client speaks to a router as one owner.
type client struct {
	http      *http.Client
	base, key string
}

// do makes one exchange. It never fails: an answer that did not come says so.
func (c *client) do(ctx context.Context, r request) Answer {
	req, err := c.build(ctx, r)
	if err != nil {
		return Answer{Err: err}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Answer{Err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return Answer{Err: err}
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}
	a.read()
	return a
}

func (c *client) build(ctx context.Context, r request) (*http.Request, error) {
	if r.sent != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { r.sent() }})
	}
	base := c.base
	if r.base != "" {
		base = r.base
	}
	req, err := http.NewRequestWithContext(ctx, r.method, strings.TrimRight(base, "/")+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	// net/http would send a request with an Idempotency-Key again by itself.
	req.GetBody = nil
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for name, values := range r.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req, nil
}
