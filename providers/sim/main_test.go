package sim

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a simulator on a real loopback address.
type bench struct {
	*Server
	t      testing.TB
	http   *httptest.Server
	client Client
}

func start(t testing.TB, o Options) *bench {
	s := New(o)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		h.Close()
		h.Client().CloseIdleConnections()
	})
	return &bench{s, t, h, Client{Base: h.URL, HTTP: h.Client()}}
}

const triageSchema = `{"type":"object","properties":{` +
	`"category":{"type":"string","enum":["card","payment","other"]},"urgent":{"type":"boolean"}},` +
	`"required":["category","urgent"],"additionalProperties":false}`

// triage is a request for the schema above; it is 1 + 2 words long.
func triage(user string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"Triage."},{"role":"user","content":%s}],`+
		`"response_format":{"type":"json_schema","json_schema":{"name":"t","strict":true,"schema":%s}}}`, quote(user), triageSchema)
}

// raw sends one request and returns every byte that comes back, and how the
// connection ended.
func (b *bench) raw(body string, header ...string) (string, error) {
	conn := b.dial(body, header...)
	defer conn.Close()
	got, err := io.ReadAll(conn)
	return string(got), err
}

// dial sends one request and leaves the connection open.
func (b *bench) dial(body string, header ...string) net.Conn {
	b.t.Helper()
	conn, err := net.Dial("tcp", b.http.Listener.Addr().String())
	if err != nil {
		b.t.Fatal(err)
	}
	head := "POST /sim/a/v1/chat/completions HTTP/1.1\r\nHost: sim\r\nConnection: close\r\nContent-Type: application/json\r\n"
	for _, h := range header {
		head += h + "\r\n"
	}
	// A reset may overtake the end of what we write; the reader sees it.
	fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
	return conn
}

func caller(job string, attempt int) string {
	return fmt.Sprintf("X-Client-Request-Id: %s.%d", job, attempt)
}

// exchange parses raw bytes as one HTTP answer and reads its body.
func exchange(t testing.TB, raw string) (*http.Response, string, error) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(raw)), nil)
	if err != nil {
		t.Fatalf("no HTTP answer in %.80q: %v", raw, err)
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// content is what the completion in an HTTP answer says.
func content(t testing.TB, raw string) string {
	t.Helper()
	_, body, err := exchange(t, raw)
	if err != nil {
		t.Fatal(err)
	}
	n, err := parseNode([]byte(body))
	if err != nil {
		t.Fatalf("%v in %.200q", err, body)
	}
	return n.get("choices").items[0].get("message").get("content").text()
}

// only returns the one entry that q selects.
func (b *bench) only(q Query) Execution {
	b.t.Helper()
	got := b.Ledger(q)
	if len(got) != 1 {
		b.t.Fatalf("%d entries for %+v, want 1", len(got), q)
	}
	return got[0]
}

// within is the context of a test's waits: it ends long after they should.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// order puts a control request and returns status and body.
func (b *bench) order(method, path, body string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequest(method, b.http.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := b.http.Client().Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(got)
}

// faults orders a JSON list over HTTP, as a harness would.
func (b *bench) faults(list string) {
	b.t.Helper()
	if status, body := b.order("PUT", "/sim/a/faults", list); status != 200 {
		b.t.Fatalf("faults %s: %d %s", list, status, body)
	}
}
