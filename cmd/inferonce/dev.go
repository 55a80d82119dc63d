package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers/sim"
)

const (
	devListen = "127.0.0.1:8787"
	devOwner  = "dev"
)

type devOptions struct {
	listen string
	redis  string
	quiet  bool
}

func newDevCmd(env lookup) *cobra.Command {
	var o devOptions
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run a router with simulated providers; nothing to install",
		Long: `Run a complete router on this machine: the API key is "dev", the providers sim-a
and sim-b are simulated, the sample contracts are routed to sim-a with sim-b as
fallback, and sim-b has proved itself. The store is embedded and forgets
everything at exit, unless --redis names a real one.

The simulated providers misbehave to order, and keep a ledger of what really ran:
see /sim on the same address.`,
		Example: `  inferonce dev
  inferonce dev --redis redis://127.0.0.1:6379
  curl -X PUT 127.0.0.1:8787/sim/sim-a/faults -d '[{"status":503}]'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			collectLess(env)
			return runDev(cmd.Context(), o, cmd.ErrOrStderr(), nil)
		},
	}
	cmd.Flags().StringVar(&o.listen, "listen", devListen, "address to listen on; loopback only while the store is embedded")
	cmd.Flags().StringVar(&o.redis, "redis", "", "redis:// address of a real store (default: embedded)")
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "log warnings only")
	return cmd
}

// runDev serves until ctx ends. ready, if set, is called instead of printing
// what to try next.
func runDev(ctx context.Context, o devOptions, talk io.Writer, ready func(url string) error) error {
	if err := loopbackOnly(o.listen); err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen) // the providers' address is this one
	if err != nil {
		return exitf(exitCouldNotRun, "cannot listen on %s: %w; choose another address with --listen", o.listen, err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	options, closeStore := devStore(o.redis)
	defer closeStore()
	c := devConfig(addr, o.quiet)
	p, err := wire(ctx, c, options, configs.NewCredentials(nil, configs.WithLiteralKey(devKey, devOwner, configs.Admin)), talk)
	if err != nil {
		return err
	}
	simulator, err := newSimulator()
	if err != nil {
		return err
	}
	defer simulator.Close()
	p.api.Mounts = map[string]http.Handler{"/sim": simulator}
	if o.redis == "" {
		fmt.Fprintln(talk, "The store is embedded: every job is lost when this process ends. Use --redis to keep them.")
	}
	return p.serve(ctx, addr, talk, func(url string) error {
		if err := p.proveAll(ctx, c); err != nil {
			return err
		}
		if ready != nil {
			return ready(url)
		}
		printDevHelp(talk, url)
		return nil
	})
}

func devStore(redis string) (jobstore.Options, func()) {
	if redis != "" {
		return jobstore.Options{URL: redis, Prefix: "inferonce-dev:", Durability: jobstore.Volatile}, func() {}
	}
	e := jobstore.NewEmbedded()
	return e.Options(), e.Close
}

// loopbackOnly: the key is public knowledge.
func loopbackOnly(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return exitf(exitUsage, "--listen %q is no address; write HOST:PORT such as %s", addr, devListen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return exitf(exitUsage, "dev listens on this machine only, because its key is %q; use 'inferonce serve' for %s", devKey, addr)
	}
	return nil
}

// devConfig routes every sample contract. Its limits are short, so that trying
// out a timeout does not take long. Nobody looks for drift: these providers break
// contracts to order.
func devConfig(addr string, quiet bool) *configs.Config {
	c := &configs.Config{Listen: addr, Providers: map[string]configs.Provider{}, Targets: map[string]configs.Target{},
		Routes: map[string]configs.Route{}, Log: configs.Log{Level: "info", Format: "text"}}
	if quiet {
		c.Log.Level = "error"
	}
	for _, name := range simulated {
		c.Providers[name] = configs.Provider{Kind: "openai", BaseURL: "http://" + addr + "/sim/" + name + "/v1"}
		c.Targets[name] = configs.Target{Provider: name, Model: "sim", Breaker: configs.Breaker{Off: true}} // it fails to order
	}
	catalog, err := loadCatalog("")
	if err != nil {
		panic(err) // built in, and loaded by a test
	}
	for _, contract := range catalog.All() {
		c.Routes[contract.Ref()] = configs.Route{Contract: contract.Ref(), Primary: simulated[0], Fallbacks: simulated[1:],
			Budget: 15 * time.Second, Attempts: 3, Connect: time.Second, FirstByte: 2 * time.Second, AnswerWithin: 4 * time.Second,
			ListenFor: 2 * time.Minute, Needs: 500 * time.Millisecond}
	}
	return c
}

var simulated = []string{"sim-a", "sim-b"}

// newSimulator answers the samples right, until it is told otherwise.
func newSimulator() (*sim.Server, error) {
	all, err := sampleAnswers()
	if err != nil {
		return nil, err
	}
	answers, err := sim.LoadAnswers(all)
	if err != nil {
		return nil, err
	}
	return sim.New(sim.Options{Providers: simulated, Models: []string{"sim"}, Answers: answers}), nil
}

// proveAll runs conformance for every target and contract, and hands the
// reports in: the same way as CI does it.
func (p *parts) proveAll(ctx context.Context, c *configs.Config) error {
	for _, contract := range p.catalog.All() {
		for _, name := range slices.Sorted(maps.Keys(c.Targets)) {
			report, err := p.prove(ctx, c, name, contract, conformance.Options{Mode: conformance.Certify})
			if err != nil {
				return err
			}
			if report.Verdict != contracts.Pass {
				return exitf(exitChecksFailed, "target %s did not pass contract %s: %v", name, contract.Ref(), report.Reasons)
			}
			raw, err := conformance.Encode(report)
			if err != nil {
				return exit(exitCouldNotRun, err)
			}
			if _, err := p.router.AcceptReport(ctx, raw, "dev"); err != nil {
				return exit(exitCouldNotRun, err)
			}
		}
	}
	return nil
}

func printDevHelp(w io.Writer, url string) {
	fmt.Fprintf(w, `
The API key is %q. Try:

  curl -s %s/v1/infer -H 'Authorization: Bearer dev' -H 'Idempotency-Key: ticket-1' \
       -H 'Content-Type: application/json' \
       -d '{"contract":"ticket-triage","input":{"text":"Oh no!  I lost my card!  Help!"}}'

  inferonce infer ticket-triage --text 'Oh no!  I lost my card!  Help!' --key ticket-1   the same again: the same job
  curl -X PUT %s/sim/sim-a/faults -d '[{"late":"6s"}]'                 the next call at sim-a goes silent
  curl %s/sim/ledger/summary                                           what really ran
  inferonce unknown list                                                           what nobody knows yet

Clients of OpenAI's chat completions: base URL %s/v1, model "chat", and an Idempotency-Key header with each call.
`, devKey, url, url, url, url)
}
