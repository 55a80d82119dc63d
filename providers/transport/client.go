// Package transport carries one request to a provider and never a second copy
// of it. Go's own client repeats a POST in silence in some cases (net/http
// shouldRetryRequest, golang/go#19943) and follows redirects with the body and
// the key; nothing of that is left here, and what really left is counted in
// bytes on the connection.
package transport

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"
)

// Options say where a Client may call and how it keeps connections.
type Options struct {
	// Origins are the only places that are called: "https://api.example.com",
	// with a port where it is not the scheme's own. A path is ignored.
	Origins []string
	// Connect bounds DNS, dial and TLS of calls that set no Limits.Connect; 0: 10 s.
	Connect time.Duration
	// MaxIdle is how many idle connections are kept per origin; 0 keeps none,
	// so that every call dials.
	MaxIdle int
	// IdleFor is how long an idle connection is kept; 0: 4 s. It should stay
	// below the provider's own limit (5 s in Node and uvicorn), since a
	// request that meets a closing connection has an unknown outcome.
	IdleFor time.Duration
	// RootCAs replace the system's; nil: the system's.
	RootCAs *x509.CertPool
	// Proxy is an http proxy that every call goes through, "http://host:port"
	// without user and password; https travels in a tunnel. "": none. HTTP_PROXY and its like in the environment are never looked at.
	Proxy string
	// HTTP2 speaks HTTP/2 in the clear to http origins. It is there for tests:
	// net/http repeats requests over HTTP/2 in more cases, and connections are
	// shared, so that bytes are no longer those of one request.
	HTTP2 bool
	// HonoursIdempotencyKey lets the idempotency headers through. Set it only
	// for a provider that proved that it runs such a request once.
	HonoursIdempotencyKey bool
}

const (
	defaultConnect = 10 * time.Second
	defaultIdle    = 4 * time.Second
	maxHeader      = 64 << 10
)

// Client sends requests, each exactly once. It is safe for concurrent use.
type Client struct {
	origins  map[string]bool
	keepsKey bool
	inner    *http.Transport
}

// New builds a Client. It refuses an origin that is not http or https.
func New(o Options) (*Client, error) {
	c := &Client{origins: map[string]bool{}, keepsKey: o.HonoursIdempotencyKey}
	for _, s := range o.Origins {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("transport: an origin must be an http or https address with a host")
		}
		c.origins[origin(u)] = true
	}
	proxy, err := parseProxy(o.Proxy)
	if err != nil {
		return nil, err
	}
	c.inner = newInner(o, proxy)
	return c, nil
}

// newInner is net/http's transport with everything that could send twice,
// send elsewhere or read without a bound switched off.
func newInner(o Options, proxy *url.URL) *http.Transport {
	d := &dialer{connect: or(o.Connect, defaultConnect), roots: o.RootCAs, proxy: proxy, framed: o.HTTP2}
	only1 := new(http.Protocols)
	only1.SetHTTP1(!o.HTTP2) // HTTP/2 repeats on REFUSED_STREAM and GOAWAY
	only1.SetUnencryptedHTTP2(o.HTTP2)
	return &http.Transport{
		Proxy:                  forPlain(proxy), // never from the environment
		Protocols:              only1,
		DialContext:            d.plain,
		DialTLSContext:         d.tls,
		DisableCompression:     true,
		DisableKeepAlives:      o.MaxIdle <= 0,
		MaxIdleConns:           o.MaxIdle * max(1, len(o.Origins)),
		MaxIdleConnsPerHost:    o.MaxIdle,
		IdleConnTimeout:        or(o.IdleFor, defaultIdle),
		MaxResponseHeaderBytes: maxHeader,
	}
}

func or(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// Do sends req once and returns the response, whose body is bounded by the
// Limits given to Track. A redirect is returned as it came: there is no
// http.Client here and so nobody to follow it. Errors belong in FromError;
// their text may name addresses and is not for logs.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if !c.origins[origin(req.URL)] {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, &fault{code: "origin"}
	}
	ctx, sent := tracked(req.Context())
	ctx = sent.clock.start(ctx, sent.limits.FirstByte, sent.limits.Idle)
	resp, err := c.inner.RoundTrip(c.once(req.WithContext(httptrace.WithClientTrace(ctx, sent.trace()))))
	if err != nil {
		sent.clock.stop()
		return nil, err
	}
	sent.answered.Store(true)
	bound(resp, sent.limits.MaxBody, sent.clock.stop)
	return resp, nil
}

// once returns req in the form that net/http can not send again: without a way
// to rewind its body, and without the headers that it takes for permission.
// req itself keeps both.
func (c *Client) once(req *http.Request) *http.Request {
	r := req.WithContext(req.Context())
	r.GetBody = nil
	if r.Header = req.Header.Clone(); r.Header == nil {
		r.Header = http.Header{}
	}
	if !c.keepsKey {
		for name := range r.Header {
			if strings.EqualFold(name, "Idempotency-Key") || strings.EqualFold(name, "X-Idempotency-Key") {
				delete(r.Header, name)
			}
		}
	}
	r.Header.Set("Accept-Encoding", "identity")
	return r
}

// Close drops the idle connections. Calls under way are not touched.
func (c *Client) Close() { c.inner.CloseIdleConnections() }

// origin is scheme, host and port (RFC 6454), the port written out.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
