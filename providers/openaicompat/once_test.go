package openaicompat

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

func TestAKeptConnectionThatThePeerClosedCarriesOneRequest(t *testing.T) { // section 8, row 18
	for _, token := range []bool{false, true} {
		l := plays(t, func(n int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
			io.Copy(io.Discard, r.Body)
			if n == 1 {
				io.WriteString(c, whole(200, good))
			}
			return n == 1 // the second is read to its end, and no word is said
		})
		client := calls(t, l, transport.Options{MaxIdle: 1}, token)
		if _, err := client.Complete(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
		_, err := client.Complete(t.Context(), request())
		if err == nil {
			t.Fatal("the lost answer was a success")
		}
		if f := checked(t, err); f.Class != contracts.Connection || f.Effect != contracts.Open {
			t.Errorf("with a token %v: got %v", token, f)
		}
		ledger(t, l, 2)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		other := plays(t, raw(whole(200, good)))
		l := plays(t, raw(whole(status, "", "Location: "+other.url+"/v1/chat/completions")))
		_, err := calls(t, l, transport.Options{}, true).Complete(t.Context(), request())
		if f := checked(t, err); f.Class != contracts.NotFound || f.Effect != contracts.None || f.Code != "redirect" {
			t.Errorf("%d: got %v", status, f)
		}
		ledger(t, l, 1)
		ledger(t, other, 0)
	}
}

func TestAStormOfServerErrorsIsAsManyRequestsAsCalls(t *testing.T) {
	const storm = 25
	l := plays(t, func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
		io.Copy(io.Discard, r.Body)
		io.WriteString(c, whole(500, `{"error":{"message":"m","type":"server_error"}}`, "Retry-After: 0"))
		return true
	})
	client := calls(t, l, transport.Options{MaxIdle: 1}, true)
	for range storm {
		_, err := client.Complete(t.Context(), request())
		if f := checked(t, err); f.Class != contracts.ProviderError || f.Effect != contracts.Ended {
			t.Fatal(f)
		}
	}
	ledger(t, l, storm)
}

// HTTP/2, in the few frames that a refusal needs (RFC 9113 section 6).
const (
	h2Headers, h2Reset, h2Settings, h2GoAway = 0x1, 0x3, 0x4, 0x7
	protocolError, internalError, refused    = 0x1, 0x2, 0x7
)

func frame(kind byte, stream uint32, payload ...uint32) []byte {
	b := []byte{0, 0, byte(4 * len(payload)), kind, 0}
	b = binary.BigEndian.AppendUint32(b, stream)
	for _, p := range payload {
		b = binary.BigEndian.AppendUint32(b, p)
	}
	return b
}

// framed is a line that speaks HTTP/2 and answers the head of every request
// with the frames of say.
func framed(t *testing.T, say func(stream uint32) []byte) *line {
	return onTheLine(t, func(l *line, c *net.TCPConn) {
		if _, err := io.ReadFull(c, make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
			return
		}
		c.Write(frame(h2Settings, 0))
		for head := make([]byte, 9); ; {
			if _, err := io.ReadFull(c, head); err != nil {
				return
			}
			size := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
			if _, err := io.CopyN(io.Discard, c, size); err != nil {
				return
			}
			if head[3] == h2Headers {
				l.seen.Add(1)
				c.Write(say(binary.BigEndian.Uint32(head[5:])))
			}
		}
	})
}

// refusals are the ways in which an HTTP/2 server hands a request back.
func refusals() map[string]func(uint32) []byte {
	reset := func(code uint32) func(uint32) []byte {
		return func(stream uint32) []byte { return frame(h2Reset, stream, code) }
	}
	return map[string]func(uint32) []byte{
		"REFUSED_STREAM": reset(refused), "PROTOCOL_ERROR": reset(protocolError), "INTERNAL_ERROR": reset(internalError),
		"GOAWAY below its id": func(uint32) []byte { return frame(h2GoAway, 0, 0, 0) },
	}
}

func TestOverHTTP2ARefusalIsNotFollowedByACopy(t *testing.T) { // section 8, row 17
	for name, say := range refusals() {
		for _, token := range []bool{false, true} {
			l := framed(t, say)
			_, err := calls(t, l, transport.Options{HTTP2: true, MaxIdle: 1}, token).Complete(t.Context(), request())
			if err == nil {
				t.Fatalf("%s: a success", name)
			}
			if f := checked(t, err); f.Effect != contracts.Open {
				t.Errorf("%s: got %v, want effect open, since the type of the refusal can't be seen", name, f)
			}
			ledger(t, l, 1)
		}
	}
}

// The trap that the test above keeps shut.
func TestNetHTTPLeftToItselfSendsCopiesOverHTTP2(t *testing.T) {
	copies := 0
	for _, name := range []string{"REFUSED_STREAM", "GOAWAY below its id"} {
		again := make(chan struct{}, 64)
		say := refusals()[name]
		l := framed(t, func(stream uint32) []byte { again <- struct{}{}; return say(stream) })
		p := new(http.Protocols)
		p.SetUnencryptedHTTP2(true)
		tr := &http.Transport{Protocols: p}
		ctx, cancel := contextUntil(t, again, 2)
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, l.url, strings.NewReader("x"))
		if resp, err := tr.RoundTrip(r); err == nil {
			resp.Body.Close()
		}
		cancel()
		tr.CloseIdleConnections()
		copies = max(copies, int(l.seen.Load()))
	}
	if copies < 2 {
		t.Error("no copy was sent: the trap is gone, and so is the sense of the test above")
	}
}

func TestAResetHasTheEffectOfWhatHadLeft(t *testing.T) {
	big := request()
	big.Messages[0].Content = strings.Repeat("a", 4<<20) // more than any socket buffer takes at once
	for _, tc := range []struct {
		name   string
		r      providers.Request
		handle turn
		class  contracts.Class
		effect contracts.Effect
	}{
		{"after half of the request", big, func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
			io.CopyN(io.Discard, r.Body, 1000)
			return rst(c)
		}, contracts.Connection, contracts.Open},
		{"after all of it", request(), func(_ int64, c *net.TCPConn, r *http.Request, _ *bufio.Reader) bool {
			io.Copy(io.Discard, r.Body)
			return rst(c)
		}, contracts.Connection, contracts.Open},
		{"after half of the answer", request(), func(_ int64, c *net.TCPConn, r *http.Request, br *bufio.Reader) bool {
			raw(whole(200, good)[:len(whole(200, good))-40])(1, c, r, br)
			return rst(c)
		}, contracts.Truncated, contracts.Ended},
	} {
		l := plays(t, first(tc.handle))
		client := calls(t, l, transport.Options{MaxIdle: -1}, true)
		_, err := client.Complete(t.Context(), tc.r)
		if err == nil {
			t.Fatalf("%s: a success", tc.name)
		}
		f := checked(t, err)
		// A reset may throw away what had arrived and was not read yet, the head included.
		lost := tc.class == contracts.Truncated && f.Class == contracts.Connection && f.Effect == contracts.Open
		if !lost && (f.Class != tc.class || f.Effect != tc.effect) {
			t.Errorf("%s: got %v, want %s/%s", tc.name, f, tc.class, tc.effect)
		}
		ledger(t, l, 1)
		if _, err := client.Complete(t.Context(), request()); err != nil {
			t.Errorf("%s: the next call: %v", tc.name, err)
		}
	}
	t.Run("before the dial is done", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
		_, err = calls(t, &line{url: "http://" + ln.Addr().String()}, transport.Options{}, true).Complete(t.Context(), request())
		if f := checked(t, err); f.Class != contracts.Connection || f.Effect != contracts.None || f.Code != "refused" {
			t.Errorf("got %v", f)
		}
	})
	t.Run("after 0 bytes", func(t *testing.T) {
		// The peer is gone when the connection stands; whether a byte could still be
		// written is a race that the kernel decides, and the effect follows it.
		l := onTheLine(t, func(_ *line, c *net.TCPConn) { rst(c) })
		_, err := calls(t, l, transport.Options{}, true).Complete(t.Context(), request())
		if f := checked(t, err); f.Class != contracts.Connection {
			t.Errorf("got %v", f)
		}
		ledger(t, l, 0)
	})
}

func TestATruncatedAnswerOnTheLineIsNeverASuccess(t *testing.T) {
	for name, head := range map[string]string{
		"by its length":           fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(good)),
		"by its chunks":           fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", len(good)),
		"by nothing but its text": "HTTP/1.1 200 OK\r\n\r\n",
	} {
		for cut := 0; cut < len(good); cut += 41 {
			l := plays(t, raw(head+good[:cut]))
			done, err := calls(t, l, transport.Options{}, false).Complete(t.Context(), request())
			if err == nil {
				t.Fatalf("%s, cut at %d: a success: %+v", name, cut, done)
			}
			if f := checked(t, err); f.Effect != contracts.Ended || f.Class != contracts.Truncated && f.Code != "empty" {
				t.Errorf("%s, cut at %d: got %v", name, cut, f)
			}
			ledger(t, l, 1)
		}
	}
}
