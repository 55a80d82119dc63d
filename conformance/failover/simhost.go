package failover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"inferonce/providers/sim"
)

// hostSim serves a simulator on addr until stop is called.
func hostSim(addr string) (baseURL string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("failover: serve the simulator: %w", err)
	}
	s := sim.New(sim.Options{})
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l) // it ends when it is closed
	}()
	return "http://" + l.Addr().String(), func() {
		s.Close()
		_ = srv.Close()
		<-ended
	}, nil
}

// simulator returns the one to use, and what ends it.
func simulator(url, listen string, h *http.Client) (sim.Client, func(), error) {
	stop := func() {}
	if url == "" {
		var err error
		if url, stop, err = hostSim(listen); err != nil {
			return sim.Client{}, nil, err
		}
	}
	return sim.Client{Base: strings.TrimRight(url, "/"), HTTP: h}, stop, nil
}

// calm takes standing faults and latencies away, and returns what puts them back.
func calm(ctx context.Context, c sim.Client, providers []string) (restore func(context.Context), err error) {
	before := map[string]sim.Settings{}
	for _, p := range providers {
		if before[p], err = c.Settings(ctx, p); err != nil {
			return nil, fmt.Errorf("failover: no simulator at %s: %w", c.Base, err)
		}
		if err = errors.Join(c.SetSettings(ctx, p, sim.Settings{}), c.SetFaults(ctx, p)); err != nil {
			return nil, fmt.Errorf("failover: %w", err)
		}
	}
	return func(ctx context.Context) {
		for p, s := range before {
			_ = c.SetSettings(ctx, p, s) // the simulator may have ended before us
		}
	}, nil
}
