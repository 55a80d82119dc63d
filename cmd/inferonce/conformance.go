package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
)

func newConformanceCmd(env lookup) *cobra.Command {
	return group(&cobra.Command{
		Use:   "conformance",
		Short: "Prove that a target does what a contract needs",
		Long: `conformance runs a contract's cases on a target. Only a target that passed may
take over for another one.`,
		Example: "  inferonce conformance run --target llama --contract ticket-triage --mode certify --submit",
	}, newConformanceRunCmd(env), newConformanceReportCmd(), newConformancePublishCmd(env))
}

type conformanceFlags struct {
	file, target, contract, out string
	submit, errors              bool
	options                     conformance.Options
	deadline                    time.Duration
}

func newConformanceRunCmd(env lookup) *cobra.Command {
	var f conformanceFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a contract's cases on a target and judge what comes back",
		Long: `Send the contract's own cases to the target of a configuration, several times
each, exactly as live traffic would, and judge structure and meaning. With --submit
the report is handed to the router, which makes the target eligible on a pass and
revokes it on a fail.

Exit codes: 0 pass, 1 fail, 5 inconclusive (the provider could not be reached, or
nothing was tested), 3 configuration invalid, 4 could not run.`,
		Example: `  inferonce conformance run -c router.yaml --target llama --contract ticket-triage
  inferonce conformance run -c router.yaml --target llama --contract ticket-triage --mode certify --out report.json --submit`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runConformance(cmd, env, f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.file, "config", "c", "inferonce.yaml", "configuration file")
	fl.StringVar(&f.target, "target", "", "target to test")
	fl.StringVar(&f.contract, "contract", "", "contract to test it on, name or name@version")
	fl.StringVar(&f.options.Mode, "mode", conformance.Quick, "quick or certify")
	fl.IntVar(&f.options.Repeats, "repeat", 0, "repeats of each case (default: the mode's)")
	fl.StringSliceVar(&f.options.Cases, "case", nil, "run only these cases; such a run never passes")
	fl.IntVar(&f.options.Concurrency, "concurrency", 4, "calls at once")
	fl.IntVar(&f.options.MaxRequests, "max-requests", 0, "give up, inconclusive, after so many calls")
	fl.DurationVar(&f.deadline, "deadline", 0, "give up, inconclusive, after so long")
	fl.Uint64Var(&f.options.Seed, "seed", 0, "order of the runs (default: drawn, and named in the report)")
	fl.BoolVar(&f.options.KeepGoing, "keep-going", false, "run everything even after a hard failure")
	fl.BoolVar(&f.errors, "errors", false, "certify: also send four requests that have to be refused, one with a wrong key")
	fl.BoolVar(&f.options.StoreContent, "store-content", false, "keep answers in the report")
	fl.StringVar(&f.out, "out", "", "also write the report to this file")
	fl.BoolVar(&f.submit, "submit", false, "hand the report to the router")
	addClientFlags(cmd)
	_ = cmd.MarkFlagRequired("target")
	_ = cmd.MarkFlagRequired("contract")
	return cmd
}

func runConformance(cmd *cobra.Command, env lookup, f conformanceFlags) error {
	if f.options.Mode != conformance.Quick && f.options.Mode != conformance.Certify {
		return exitf(exitUsage, "--mode %q is unknown; choose quick or certify", f.options.Mode)
	}
	p, err := newPrinter(cmd)
	if err != nil {
		return err
	}
	c, err := configs.Load(f.file, env)
	if err != nil {
		return exit(exitInvalid, err)
	}
	if f.deadline > 0 {
		f.options.Deadline = time.Now().Add(f.deadline)
	}
	f.options.Progress = func(p conformance.Progress) {
		fmt.Fprintf(cmd.ErrOrStderr(), "\r%d of %d runs", p.Done, p.Planned)
	}
	if f.errors {
		f.options.Variant = variants(c, f.target)
	}
	report, err := proveTarget(cmd.Context(), c, filepath.Dir(f.file), f.target, f.contract, f.options)
	fmt.Fprintln(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	raw := encodeReport(report)
	if f.out != "" {
		if err := os.WriteFile(f.out, raw, 0o644); err != nil {
			return exit(exitCouldNotRun, err)
		}
	}
	if err := printReport(p, raw, report); err != nil {
		return err
	}
	if f.submit && report.Verdict != contracts.Inconclusive {
		if err := publish(cmd, env, raw); err != nil {
			return err
		}
	}
	return verdictExit(report.Verdict)
}

func printReport(p *printer, raw []byte, r contracts.Report) error {
	if p.json {
		return p.raw(raw)
	}
	return conformance.Summary(p.out, r)
}

func verdictExit(v contracts.Verdict) error {
	switch v {
	case contracts.Pass:
		return nil
	case contracts.Fail:
		return exit(exitChecksFailed, fmt.Errorf("the target failed conformance"))
	}
	return exit(exitInconclusive, fmt.Errorf("inconclusive: this neither grants nor revokes anything"))
}

func newConformanceReportCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "report FILE",
		Short: "Print a report that was written with --out",
		Long: `Print a report that was written with --out, and end as the run did: 0 pass, 1 fail,
5 inconclusive.`,
		Example: "  inferonce conformance report report.json",
		Args:    takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := os.ReadFile(args[0])
			if err != nil {
				return exit(exitCouldNotRun, err)
			}
			var report contracts.Report
			if err := json.Unmarshal(raw, &report); err != nil {
				return exitf(exitInvalid, "%s is no report: %w", args[0], err)
			}
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			if err := printReport(p, raw, report); err != nil {
				return err
			}
			return verdictExit(report.Verdict)
		},
	}
}

func newConformancePublishCmd(env lookup) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "publish FILE",
		Short: "Hand a report to the router (scope report)",
		Long: `Hand a report to the router: a pass makes the target eligible, a fail revokes it.
The same report again changes nothing.`,
		Example: "  INFERONCE_KEY=… inferonce conformance publish report.json --url https://router.example.com",
		Args:    takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := os.ReadFile(args[0])
			if err != nil {
				return exit(exitCouldNotRun, err)
			}
			return publish(cmd, env, raw)
		},
	}
	addClientFlags(cmd)
	return cmd
}

func publish(cmd *cobra.Command, env lookup, raw []byte) error {
	api, err := newClient(cmd, env)
	if err != nil {
		return err
	}
	var rec struct {
		Target, Contract, State, Reason string
	}
	if err := api.exchange(cmd.Context(), "POST", "/v1/conformance/reports", nil, json.RawMessage(raw), &rec); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s is %s for %s: %s\n", rec.Target, rec.State, rec.Contract, rec.Reason)
	return nil
}

func encodeReport(r contracts.Report) []byte {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err) // every value in it is one of ours
	}
	return b
}

// proveTarget runs conformance for a target and a contract of a configuration.
func proveTarget(ctx context.Context, c *configs.Config, base, target, ref string, o conformance.Options) (contracts.Report, error) {
	catalog, err := loadCatalog(within(base, c.Contracts))
	if err != nil {
		return contracts.Report{}, exit(exitInvalid, err)
	}
	contract, err := catalog.Get(ref)
	if err != nil {
		return contracts.Report{}, exit(exitNotFound, err)
	}
	all, err := newProviders(c)
	if err != nil {
		return contracts.Report{}, exit(exitInvalid, err)
	}
	return proveWith(ctx, c, all, target, contract, o)
}

func (p *parts) prove(ctx context.Context, c *configs.Config, target string, contract *contracts.Contract, o conformance.Options) (contracts.Report, error) {
	return proveWith(ctx, c, p.providers, target, contract, o)
}

func proveWith(ctx context.Context, c *configs.Config, all map[string]providers.Provider, target string, contract *contracts.Contract, o conformance.Options) (contracts.Report, error) {
	targets := newTargets(c)
	t, ok := targets[target]
	if !ok {
		return contracts.Report{}, exitf(exitNotFound, "no target is called %q; the configuration has %s", target,
			strings.Join(slices.Sorted(maps.Keys(targets)), ", "))
	}
	o.Target, o.Provider, o.Contract = t, all[t.Provider], contract
	o.Replay = replay
	if o.Mode == "" {
		o.Mode = conformance.Quick
	}
	if o.Concurrency == 0 {
		o.Concurrency = 4
	}
	report, err := conformance.Run(ctx, o)
	return report, exit(exitCouldNotRun, err)
}
