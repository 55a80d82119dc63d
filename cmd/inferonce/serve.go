package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/router/httpapi"
)

func newServeCmd(env lookup) *cobra.Command {
	var file, listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the router",
		Long: `Run the router of a configuration file until SIGTERM or SIGINT. Then it takes no
new work, lets what is under way come to its end, and records what is still
silent as unknown. A second signal shortens the wait.

Exit codes: 0 nothing was left under way, 1 something was recorded as unknown,
3 the configuration or a contract is invalid, 4 the store or the address was refused.`,
		Example: `  inferonce serve --config router.yaml
  inferonce serve --config router.yaml --listen 0.0.0.0:8787`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := configs.Load(file, env)
			if err != nil {
				return exit(exitInvalid, err)
			}
			if listen != "" {
				c.Listen = listen
			}
			collectLess(env)
			creds := configs.NewCredentials(c.Keys)
			p, err := wire(cmd.Context(), c, storeOptions(c.Store), creds, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			p.announce, p.drain = announceFor, drainFor
			return p.serve(cmd.Context(), c.Listen, cmd.ErrOrStderr(), nil)
		},
	}
	cmd.Flags().StringVarP(&file, "config", "c", "inferonce.yaml", "configuration file")
	cmd.Flags().StringVar(&listen, "listen", "", "address to listen on, instead of the file's")
	return cmd
}

// The steps of a graceful stop. Together they fit into the 30 s that a platform
// usually gives.
const (
	announceFor = 2 * time.Second  // readiness says no, and balancers notice
	drainFor    = 22 * time.Second // calls under way come to their end
)

// serve listens and serves until ctx ends, then stops gracefully. ready is
// called once with the base URL when requests are answered.
func (p *parts) serve(ctx context.Context, addr string, talk io.Writer, ready func(url string) error) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return exitf(exitCouldNotRun, "cannot listen on %s: %w; choose another address with --listen", addr, err)
	}
	server := httpapi.Server(httpapi.New(p.api))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	life, stop := context.WithCancel(context.Background())
	defer stop()
	ran := make(chan struct{})
	go func() { p.router.Run(life); close(ran) }()
	fmt.Fprintf(talk, "inferonce listens on http://%s (store: %s)\n", l.Addr(), p.store.Durability())
	if ready != nil {
		if err := ready("http://" + l.Addr().String()); err != nil {
			_ = server.Close()
			return errors.Join(err, p.halt(stop, ran, time.Nanosecond))
		}
	}
	select {
	case <-ctx.Done():
	case err := <-failed:
		return exit(exitCouldNotRun, errors.Join(err, p.halt(stop, ran, time.Nanosecond)))
	}
	return p.stop(server, stop, ran, talk)
}

// stop announces, drains and closes, in this order.
func (p *parts) stop(server *http.Server, stop context.CancelFunc, ran <-chan struct{}, talk io.Writer) error {
	fmt.Fprintln(talk, "inferonce is stopping: no new work is taken")
	again, done := signalled()
	defer done()
	p.router.Drain()
	limit := p.drain
	select {
	case <-time.After(p.announce):
	case <-again:
		limit = time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	go func() {
		select {
		case <-again:
			cancel()
		case <-ctx.Done():
		}
	}()
	// Waiting callers are released by the jobs they wait for.
	closed := make(chan struct{})
	go func() { _ = server.Shutdown(ctx); close(closed) }()
	err := p.halt(stop, ran, time.Until(deadlineOf(ctx)))
	<-closed
	return err
}

func deadlineOf(ctx context.Context) time.Time {
	d, _ := ctx.Deadline()
	return d
}

// halt ends the router and the store. What had to be left unknown is said.
func (p *parts) halt(stop context.CancelFunc, ran <-chan struct{}, wait time.Duration) error {
	stop()
	<-ran
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	left := p.router.Close(ctx)
	err := p.store.Close()
	for _, provider := range p.providers {
		if c, ok := provider.(interface{ Close() }); ok {
			c.Close()
		}
	}
	if left > 0 {
		return exitf(exitChecksFailed, "%d job(s) were still under way; what was silent is on record as unknown: see 'inferonce unknown list'", left)
	}
	return err
}
