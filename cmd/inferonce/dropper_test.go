package main

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// dropper is a way to the router that loses answers: of the first so many
// exchanges the router's answer is read, and the client's connection then closed,
// after a part of the answer or before the first byte.
type dropper struct {
	url string

	mu    sync.Mutex
	drops int
	keep  int // bytes at the end of a dropped answer that do not reach the client
	lost  int
}

func newDropper(t *testing.T, routerURL string) *dropper {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &dropper{url: "http://" + l.Addr().String()}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { d.carry(conn, strings.TrimPrefix(routerURL, "http://")) })
		}
	})
	t.Cleanup(func() { l.Close() })
	return d
}

// whole is more than any answer here has.
const whole = 1 << 20

// order lets the last so many bytes of the next n answers be lost.
func (d *dropper) order(n, keep int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drops, d.keep, d.lost = n, keep, 0
}

func (d *dropper) take() (drop bool, keep int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drops == 0 {
		return false, 0
	}
	d.drops--
	d.lost++
	return true, d.keep
}

func (d *dropper) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

func (d *dropper) carry(client net.Conn, address string) {
	defer client.Close()
	router, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer router.Close()
	go func() {
		_, _ = io.Copy(router, client)
		_ = router.(*net.TCPConn).CloseWrite()
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := router.Read(buffer)
		if n > 0 {
			if drop, keep := d.take(); drop {
				_, _ = client.Write(buffer[:max(0, n-keep)])
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
