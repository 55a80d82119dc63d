package sim

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkHealthyCalls measures the handler together with net/http; the
// client is as thin as can be. Run it with -cpu 1 for what one core serves.
func BenchmarkHealthyCalls(b *testing.B) {
	s := start(b, Options{})
	body := triage("My card was swallowed by the machine and I need it back before my journey on Monday.")
	request := fmt.Sprintf("POST /sim/a/v1/chat/completions HTTP/1.1\r\nHost: sim\r\nX-Client-Request-Id: job_1.1\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		for in := bufio.NewReader(conn); pb.Next(); {
			if err := one200(conn, in, request); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// one200 sends a request and passes over the answer.
func one200(out io.Writer, in *bufio.Reader, request string) error {
	if _, err := io.WriteString(out, request); err != nil {
		return err
	}
	length := 0
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			return err
		case n == 0 && !strings.HasPrefix(line, "HTTP/1.1 200 "):
			return fmt.Errorf("answer %s", line)
		case line == "\r\n":
			_, err = in.Discard(length)
			return err
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return err
			}
		}
	}
}
