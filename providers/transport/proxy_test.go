package transport

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// tunnels answers CONNECT by carrying bytes to the address that was asked for.
func tunnels(t *testing.T, asked chan<- *http.Request) *wire {
	return serve(t, func(_ int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
		asked <- r
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			return false
		}
		io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		var wg sync.WaitGroup
		wg.Go(func() { io.Copy(far, br); far.(*net.TCPConn).CloseWrite() })
		io.Copy(c, far)
		far.Close()
		c.Close()
		wg.Wait()
		return false
	})
}

func TestHTTPSGoesThroughATunnelOfTheConfiguredProxy(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "{}")
	}))
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	asked := make(chan *http.Request, 1)
	p := tunnels(t, asked)
	c := newClient(t, Options{RootCAs: pool, Proxy: p.url}, s.URL)
	o := send(t.Context(), t, c, s.URL, providers.Limits{}, 10)
	if o.failure != nil || string(o.answer.Body) != "{}" {
		t.Fatalf("%q, %v", o.answer.Body, o.failure)
	}
	r := <-asked
	if r.Method != http.MethodConnect || "https://"+r.Host != s.URL || r.Header.Get("Authorization") != "" {
		t.Errorf("%s %s, %v", r.Method, r.Host, r.Header)
	}
	wantCalls(t, p, 1)
}

func TestPlainHTTPGoesToTheConfiguredProxy(t *testing.T) {
	asked := make(chan string, 1)
	p := serve(t, func(_ int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
		asked <- r.RequestURI
		return answers(ok200, false)(0, c, r, br)
	})
	o := send(t.Context(), t, newClient(t, Options{Proxy: p.url}, "http://a.test"), "http://a.test/v1", providers.Limits{}, 10)
	if o.failure != nil {
		t.Fatal(o.failure)
	}
	if got := <-asked; got != "http://a.test/v1" {
		t.Errorf("asked for %s", got)
	}
}

func TestAProxyThatOpensNoTunnelRanNothing(t *testing.T) {
	for name, say := range map[string]string{
		"it asks for a password": "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
		"it can not get through": "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
		"it speaks first":        "HTTP/1.1 200 OK\r\n\r\nhello",
		"it is no proxy":         "220 smtp\r\n",
		"it hangs up":            "",
	} {
		p := serve(t, func(_ int64, c *net.TCPConn, _ *http.Request, _ *bufio.Reader) bool {
			io.WriteString(c, say)
			return false
		})
		o := send(t.Context(), t, newClient(t, Options{Proxy: p.url}, "https://a.test"), "https://a.test/", providers.Limits{}, 10)
		if o.failure == nil {
			t.Fatalf("%s: a success", name)
		}
		wantFailure(t, o.failure, contracts.Connection, contracts.None, "proxy")
	}
	p := serve(t, silent("", func() {}))
	o := send(t.Context(), t, newClient(t, Options{Proxy: p.url}, "https://a.test"), "https://a.test/", providers.Limits{Connect: 20 * time.Millisecond}, 10)
	wantFailure(t, o.failure, contracts.Connection, contracts.None, "connect")
}

func TestAProxyInTheEnvironmentIsIgnored(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://proxy.test:3128")
	}
	t.Setenv("NO_PROXY", "")
	c := newClient(t, Options{}, "http://a.test", "https://a.test")
	for _, target := range []string{"http://a.test/", "https://a.test/"} {
		dialled := ""
		dial := func(_ context.Context, _, addr string) (net.Conn, error) {
			dialled = addr
			return nil, errors.New("no")
		}
		c.inner.DialContext, c.inner.DialTLSContext = dial, dial
		send(t.Context(), t, c, target, providers.Limits{}, 10)
		if !strings.HasPrefix(dialled, "a.test:") {
			t.Errorf("%s: dialled %s", target, dialled)
		}
	}
}

func TestAProxyMustBeAnAddress(t *testing.T) {
	for _, s := range []string{"proxy:3128", "https://proxy:3128", "socks5://proxy:1080", "http://", "http://proxy/path", "http://proxy?x=1", "http://u:p@proxy:3128"} {
		if _, err := New(Options{Proxy: s}); err == nil {
			t.Errorf("%q was taken", s)
		} else if strings.Contains(err.Error(), "proxy:") {
			t.Errorf("the error repeats the address: %v", err)
		}
	}
}
