package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// parseProxy reads Options.Proxy. The environment has no say.
func parseProxy(s string) (*url.URL, error) {
	if s == "" {
		return nil, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.User != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" {
		return nil, errors.New("transport: a proxy must be an address such as http://proxy.internal:3128, without user and password")
	}
	return u, nil
}

// forPlain is the proxy of a plain http request, which net/http speaks to in
// its own way. A tunnel for https is made by the dialer, so that no byte of it
// is taken for one of the request.
func forPlain(proxy *url.URL) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		return nil
	}
	return func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme == "http" {
			return proxy, nil
		}
		return nil, nil
	}
}

// tunnel connects to addr, through the proxy where there is one.
func (d *dialer) tunnel(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.proxy == nil {
		c, err := d.net.DialContext(ctx, network, addr)
		if err != nil {
			return nil, dialFault(ctx, err)
		}
		return c, nil
	}
	c, err := d.net.DialContext(ctx, network, proxyAddr(d.proxy))
	if err != nil {
		return nil, dialFault(ctx, err)
	}
	unbind := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	err = connect(c, addr)
	if !unbind() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.Close()
		if ctx.Err() != nil {
			return nil, &fault{code: "connect"}
		}
		return nil, &fault{code: "proxy"}
	}
	return c, nil
}

func proxyAddr(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

var errNoTunnel = errors.New("transport: the proxy opened no tunnel")

// connect asks for a tunnel (RFC 9110 9.3.6). The far end says nothing before
// our TLS hello, so bytes after the head mean that it is no tunnel.
func connect(c net.Conn, addr string) error {
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if err := r.Write(c); err != nil {
		return err
	}
	br := bufio.NewReader(io.LimitReader(c, maxHeader))
	resp, err := http.ReadResponse(br, r)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || br.Buffered() > 0 {
		return errNoTunnel
	}
	return nil
}
