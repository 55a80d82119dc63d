package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/providers/sim"
	"inferonce/router/httpapi"
)

// sampleAnswers are the right answers to the inputs of the sample contracts,
// one file for each set of data in configs.Samples.
func sampleAnswers() (io.Reader, error) {
	files, err := fs.Glob(configs.Samples, "data/*/answers.jsonl")
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	for _, name := range files {
		b, err := configs.Samples.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all.Write(b)
	}
	return &all, nil
}

// simFlags are the flags of sim.
type simFlags struct {
	listen, answers, keyFile string
	models                   []string
	public                   bool
}

func newSimCmd(lookup) *cobra.Command {
	var f simFlags
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Run a provider that misbehaves to order",
		Long: `sim serves OpenAI's chat completions for any number of simulated providers, and
keeps a ledger of what really ran. Any name is a provider: /sim/NAME/v1.

It answers known inputs as the answer file says, JSON lines of
{"text": …, "output": …}, and anything else with the smallest value that fits the
schema. Without --answers it knows the inputs of the sample contracts.

Faults are ordered over HTTP: each call takes the next one of the list. Whoever
reaches the address can order them, so it is on this machine only, unless you say
--public. It ends on an interrupt.`,
		Example: `  inferonce sim
  inferonce sim --listen 127.0.0.1:0 -o json
  inferonce sim --answers answers.jsonl --key-file sim.key`,
		Args:              takes(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			return runSim(cmd.Context(), p, f)
		},
	}
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:9797", "address to listen on; port 0 picks a free one")
	cmd.Flags().StringVar(&f.answers, "answers", "", "file with the right answers; default those to the sample contracts' inputs")
	cmd.Flags().StringVar(&f.keyFile, "key-file", "", "file with the API key that completions need; default none")
	cmd.Flags().StringSliceVar(&f.models, "model", nil, "model that completions may ask for, as often as needed; default any")
	cmd.Flags().BoolVar(&f.public, "public", false, "allow an address that other machines reach")
	return cmd
}

func runSim(ctx context.Context, p *printer, f simFlags) error {
	server, err := f.server()
	if err != nil {
		return err
	}
	if err := checkListen(f.listen, f.public); err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return exitf(exitCouldNotRun, "listen: %w; choose another address with --listen", err)
	}
	if err := announceSim(p, "http://"+l.Addr().String()); err != nil {
		return errors.Join(err, l.Close())
	}
	return serveSim(ctx, l, server)
}

func (f *simFlags) server() (*sim.Server, error) {
	o := sim.Options{Models: f.models}
	var err error
	if f.keyFile != "" {
		if o.Key, err = readKeyFile("--key-file", f.keyFile); err != nil {
			return nil, err
		}
	}
	in, err := f.openAnswers()
	if err != nil {
		return nil, exitf(exitUsage, "--answers: %w", err)
	}
	defer in.Close()
	if o.Answers, err = sim.LoadAnswers(in); err != nil {
		return nil, exitf(exitInvalid, "%s: %w", f.answers, err)
	}
	return sim.New(o), nil
}

func (f *simFlags) openAnswers() (io.ReadCloser, error) {
	if f.answers != "" {
		return os.Open(f.answers)
	}
	all, err := sampleAnswers()
	return io.NopCloser(all), err
}

// checkListen refuses an address that other machines reach, unless that is wanted.
func checkListen(address string, public bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return exitf(exitUsage, "--listen takes host:port, such as 127.0.0.1:9797")
	}
	if !public && !loopback(host) {
		return exitf(exitUsage, "--listen %s can be reached from other machines, and whoever reaches it can order faults; use 127.0.0.1, or add --public", address)
	}
	return nil
}

// announceSim prints where the simulator is, as soon as it can be reached.
func announceSim(p *printer, base string) error {
	c := sim.Client{Base: base}
	for _, line := range []string{
		"order a fault:     curl -X PUT " + base + `/sim/sim-a/faults -d '[{"late":"10s"}]'`,
		"one after another: curl -X PUT " + base + `/sim/sim-a/faults -d '[{"status":429},{"reset":"after_body"},{"wrong_schema":true}]'`,
		"see what ran:      curl " + base + "/sim/ledger",
		"stop:              Ctrl-C",
	} {
		p.say("%s", line)
	}
	if p.json {
		return p.value(map[string]any{"base": base, "ledger": base + "/sim/ledger",
			"providers": map[string]string{"sim-a": c.URL("sim-a"), "sim-b": c.URL("sim-b")}})
	}
	for _, pair := range [][2]string{{"sim-a", c.URL("sim-a")}, {"sim-b", c.URL("sim-b")}, {"ledger", base + "/sim/ledger"}} {
		if _, err := fmt.Fprintf(p.out, "%s  %s\n", pair[0], pair[1]); err != nil {
			return p.failed(err)
		}
	}
	return nil
}

// serveSim serves until ctx ends. The simulator is closed first: the server
// waits for its calls, which may hang by order.
func serveSim(ctx context.Context, l net.Listener, s *sim.Server) error {
	server := httpapi.Server(s)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		s.Close()
		return exitf(exitCouldNotRun, "serve: %w", err)
	case <-ctx.Done():
	}
	s.Close()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := server.Shutdown(grace)
	if serve := <-ended; !errors.Is(serve, http.ErrServerClosed) {
		err = errors.Join(err, serve)
	}
	if err != nil {
		return exitf(exitCouldNotRun, "stop: %w", err)
	}
	return nil
}
