package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
)

type conformanceFlags struct {
	file, target, contract string
	submit, store, errors  bool
	options                conformance.Options
	deadline               time.Duration
	maxCost                float64 // US dollars
	reports                reportFlags
	tape                   tapeFlags
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

A job that reaches the router's store may use --store instead: it hands the report
to the store of the configuration, under the same rules and without a key.

With --mode certify four requests that have to be refused are sent too (ERR-01 to
ERR-04): with a wrong key, for an unknown model, with too long an input, with an
impossible parameter. A server that takes any name for its one model can't pass
that; --errors=false leaves them out, and the report says so.

With --out the report is written into a directory, in the forms of --report:
report.json (the truth, see 'conformance schema'), junit.xml, summary.md and
report.html. The form github prints annotations, and adds the summary to that of
the job.

--record keeps what came back, without keys; --replay judges it again and calls
nobody. A replay is good for trying a contract or a rule: no router takes it for
evidence.

Exit codes: 0 pass, 1 fail, 5 inconclusive (the provider could not be reached, or
nothing was tested), 3 configuration invalid, 4 could not run.`,
		Example: `  inferonce conformance run -c router.yaml --target llama --contract ticket-triage
  inferonce conformance run -c router.yaml --target llama --contract ticket-triage --mode certify --out conformance --report json,junit,md,html
  inferonce conformance run -c router.yaml --target llama --contract ticket-triage --replay recordings`,
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
	fl.Float64Var(&f.maxCost, "max-cost", 0, "give up, inconclusive, before so many US dollars are spent; needs prices")
	fl.DurationVar(&f.deadline, "deadline", 0, "give up, inconclusive, after so long")
	fl.Uint64Var(&f.options.Seed, "seed", 0, "order of the runs (default: drawn, and named in the report)")
	fl.BoolVar(&f.options.KeepGoing, "keep-going", false, "run everything even after a hard failure")
	fl.BoolVar(&f.errors, "errors", false, "send the requests that have to be refused (default: with certify)")
	fl.BoolVar(&f.options.StoreContent, "store-content", false, "keep answers in the report")
	fl.BoolVar(&f.submit, "submit", false, "hand the report to the router")
	fl.BoolVar(&f.store, "store", false, "hand the report to the store of the configuration, without a router")
	f.reports.add(cmd)
	f.tape.add(cmd)
	addClientFlags(cmd)
	completes(cmd, "mode", conformance.Quick, conformance.Certify)
	_ = cmd.MarkFlagRequired("target")
	_ = cmd.MarkFlagRequired("contract")
	return cmd
}

func runConformance(cmd *cobra.Command, env lookup, f conformanceFlags) error {
	p, err := f.check(cmd)
	if err != nil {
		return err
	}
	c, err := configs.Load(f.file, env)
	if err != nil {
		return exit(exitInvalid, err)
	}
	o, err := pairOf(c, f.target, f.contract, f.options)
	if err != nil {
		return err
	}
	if err := f.complete(cmd, c, &o); err != nil {
		return err
	}
	if c.Contracts != "" {
		f.reports.contractFile = filepath.ToSlash(filepath.Join(c.Contracts, o.Contract.File()))
	}
	report, err := f.perform(cmd.Context(), o, newProgress(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	raw, err := conformance.Encode(report)
	if err != nil {
		return exit(exitCouldNotRun, err)
	}
	if err := f.reports.deliver(p, env, raw, report); err != nil {
		return err
	}
	if report.Verdict != contracts.Inconclusive {
		if err := f.handIn(cmd, env, c, raw); err != nil {
			return err
		}
	}
	return verdictExit(report.Verdict)
}

// complete adds to the options what depends on the target and its configuration.
func (f *conformanceFlags) complete(cmd *cobra.Command, c *configs.Config, o *conformance.Options) error {
	asked := f.errors || o.Mode == conformance.Certify && !cmd.Flags().Changed("errors")
	if asked && f.tape.replay == "" {
		o.Variant = variants(c, f.target)
	}
	if o.MaxCost = int64(f.maxCost * 1e6); o.MaxCost > 0 && o.Price == nil {
		return exitf(exitUsage, "--max-cost needs the prices of target %s, and the configuration gives none; leave it out, or bound the calls with --max-requests", f.target)
	}
	return f.baseline(o)
}

// baseline is how the target counted tokens in the run before, if that was of the
// same contract, provider and model: then a difference is the target's.
func (f *conformanceFlags) baseline(o *conformance.Options) error {
	if f.reports.previous == "" {
		return nil
	}
	_, before, err := readReport(f.reports.previous)
	if err == nil && before.Contract.Digest == o.Contract.Digest && before.Provider == o.Target.Provider && before.Model.Asked == o.Target.Model {
		o.Baseline = conformance.BaselineOf(before)
	}
	return err
}

// handIn gives the report to whoever decides who may take over.
func (f *conformanceFlags) handIn(cmd *cobra.Command, env lookup, c *configs.Config, raw []byte) error {
	if f.submit {
		return publish(cmd, env, raw)
	}
	if f.store {
		return storeReport(cmd.Context(), c, raw, cmd.ErrOrStderr())
	}
	return nil
}

// check refuses what can't be done before anything is called.
func (f *conformanceFlags) check(cmd *cobra.Command) (*printer, error) {
	if f.options.Mode != conformance.Quick && f.options.Mode != conformance.Certify {
		return nil, exitf(exitUsage, "--mode %q is unknown; choose quick or certify", f.options.Mode)
	}
	if (f.submit || f.store) && f.tape.replay != "" {
		return nil, exitf(exitUsage, "a replay is no evidence, so no router takes it; leave out --replay, or --submit and --store")
	}
	if f.errors && f.options.Mode == conformance.Quick {
		return nil, exitf(exitUsage, "--errors asks beside the cases, which quick does not do; add --mode certify")
	}
	if f.maxCost < 0 || f.maxCost > maxDollars {
		return nil, exitf(exitUsage, "--max-cost %g is no amount to spend; give US dollars, such as 2.50", f.maxCost)
	}
	if err := errors.Join(f.tape.check(cmd), f.reports.check(), exclusive(cmd, "submit", "store")); err != nil {
		return nil, err
	}
	return newPrinter(cmd)
}

// maxDollars is more than any run may cost.
const maxDollars = 1e6

// perform runs the suite with its tape and its progress.
func (f *conformanceFlags) perform(ctx context.Context, o conformance.Options, line *runProgress) (contracts.Report, error) {
	if f.deadline > 0 {
		o.Deadline = time.Now().Add(f.deadline)
	}
	o.Progress = line.tell
	o, end, err := f.tape.insert(o)
	if err != nil {
		return contracts.Report{}, err
	}
	report, err := conformance.Run(ctx, o)
	line.end()
	if err != nil {
		return report, errors.Join(exit(exitCouldNotRun, err), end(false))
	}
	return report, end(true)
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

// readReport reads a report that a run has written.
func readReport(path string) ([]byte, contracts.Report, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, contracts.Report{}, exit(exitCouldNotRun, err)
	}
	r, err := contracts.ReadReport(raw)
	if err != nil {
		return nil, r, exitf(exitInvalid, "%s is no report: %w; name the report.json of a run", path, err)
	}
	return raw, r, nil
}
