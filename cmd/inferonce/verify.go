package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"inferonce/conformance/failover"
)

type verifyOptions struct {
	simURL, simListen, redis string
	embedded                 bool
	primary, fallback        string
	only                     []string
	list                     bool
	gateway, model           string
	patience                 time.Duration
	program                  string // that is the router; "": this one
}

func newVerifyCmd(env lookup) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Tell the failover stories to a router and count what ran",
		Long: `Drive a router, over HTTP only, through the situations in which money is lost:
double clicks, silence, late answers, crashes, a store that goes away. What ran is
counted by the simulated provider's own ledger, never by the router's belief.

Without --url a complete router is started for it, on redis-server if that is
installed, on the store of --redis, or on an embedded one. With --url the router
must have the simulator as its provider, as in configs/verify.yaml.

With --openai the stories that make sense for any OpenAI-compatible gateway are
told, and how often each intent was paid for is counted, so that gateways can be
set side by side.

Exit codes: 0 all that were told passed, 1 one failed, 4 could not run.`,
		Example: `  inferonce verify
  inferonce verify --only 'double-click*' --only order/reverse
  INFERONCE_KEY=… inferonce verify --url http://127.0.0.1:8787 --sim-listen 127.0.0.1:9797
  INFERONCE_KEY=… inferonce verify --openai http://127.0.0.1:4000/v1 --model sim`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.list {
				return listStories(cmd)
			}
			return runVerify(cmd, env, o)
		},
	}
	addClientFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.gateway, "openai", "", "base URL of any OpenAI-compatible gateway that has the simulator as its providers, with /v1")
	f.StringVar(&o.model, "model", "sim", "model that the gateway routes to the simulator")
	f.StringVar(&o.simURL, "sim", "", "a simulator that runs already, such as http://127.0.0.1:9797")
	f.StringVar(&o.simListen, "sim-listen", "127.0.0.1:9797", "address to serve the simulator on, with --url")
	f.StringVar(&o.redis, "redis", "", "store for the router that is started (default: redis-server if installed, else embedded)")
	f.BoolVar(&o.embedded, "embedded", false, "start the router on an embedded store")
	f.StringVar(&o.primary, "primary", "sim-a", "name of the primary target, which is also the simulated provider's")
	f.StringVar(&o.fallback, "fallback", "sim-b", "name of the fallback target, which is also the simulated provider's")
	f.StringArrayVar(&o.only, "only", nil, "tell only the stories whose id matches; may be repeated")
	f.BoolVar(&o.list, "list", false, "list the stories and what each proves")
	f.DurationVar(&o.patience, "patience", time.Minute, "longest wait for anything")
	return cmd
}

func listStories(cmd *cobra.Command) error {
	p, err := newPrinter(cmd)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, s := range failover.Catalog() {
		rows = append(rows, []string{s.ID, strings.Join(s.Proves, " "), s.Title})
	}
	return p.table([]string{"STORY", "PROVES", "TITLE"}, rows)
}

func runVerify(cmd *cobra.Command, env lookup, o verifyOptions) error {
	p, err := newPrinter(cmd)
	if err != nil {
		return err
	}
	opts := failover.Options{Only: o.only, Patience: o.patience}
	if !p.json {
		opts.Told = func(r failover.Result) { _, _ = r.WriteTo(cmd.OutOrStdout()) }
	}
	sum, err := o.tell(cmd, env, opts)
	if err != nil {
		return err
	}
	if p.json {
		if err := p.value(sum); err != nil {
			return err
		}
	} else {
		_, _ = sum.WriteTo(cmd.OutOrStdout())
	}
	if !sum.OK() {
		return exit(exitChecksFailed, fmt.Errorf("%d of %d stories failed", sum.Failed, sum.Failed+sum.Passed))
	}
	return nil
}

// tell tells the stories to whatever the flags name.
func (o verifyOptions) tell(cmd *cobra.Command, env lookup, opts failover.Options) (failover.Summary, error) {
	if o.gateway != "" {
		key, err := gatewayKey(cmd, env)
		if err != nil {
			return failover.Summary{}, err
		}
		sum, err := failover.Compare(cmd.Context(), failover.Gateway{BaseURL: o.gateway, Key: key, Model: o.model,
			SimURL: o.simURL, SimListen: o.simListen, Providers: []string{o.primary, o.fallback}}, opts)
		return sum, exit(exitCouldNotRun, err)
	}
	d, stop, err := o.deployment(cmd, env)
	if err != nil {
		return failover.Summary{}, err
	}
	defer stop()
	sum, err := failover.Run(cmd.Context(), d, opts)
	return sum, exit(exitCouldNotRun, err)
}

// gatewayKey is the key of somebody else's gateway; there may be none.
func gatewayKey(cmd *cobra.Command, env lookup) (string, error) {
	if path, _ := cmd.Flags().GetString("key-file"); path != "" {
		return readKeyFile("--key-file", path)
	}
	key, _ := env(envKey)
	return key, nil
}

func (o verifyOptions) deployment(cmd *cobra.Command, env lookup) (failover.Deployment, func(), error) {
	d := failover.Deployment{SimURL: o.simURL, SimListen: o.simListen,
		Primary: failover.Target{Name: o.primary}, Fallback: failover.Target{Name: o.fallback},
		Hold: failover.Tickets("ticket-triage"), External: failover.Tickets("ticket-notify"), Race: failover.Tickets("ticket-race")}
	if !cmd.Flags().Changed("url") {
		l, err := launch(cmd.Context(), o, cmd.ErrOrStderr())
		if err != nil {
			return d, nil, err
		}
		l.deploy(&d)
		return d, l.stop, nil
	}
	c, err := newClient(cmd, env)
	if err != nil {
		return d, nil, err
	}
	d.BaseURL, d.Key = c.base, c.key
	return d, func() {}, nil
}
