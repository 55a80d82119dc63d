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
	submit                 bool
	options                conformance.Options
	deadline               time.Duration
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
	fl.DurationVar(&f.deadline, "deadline", 0, "give up, inconclusive, after so long")
	fl.Uint64Var(&f.options.Seed, "seed", 0, "order of the runs (default: drawn, and named in the report)")
	fl.BoolVar(&f.options.KeepGoing, "keep-going", false, "run everything even after a hard failure")
	fl.BoolVar(&f.options.StoreContent, "store-content", false, "keep answers in the report")
	fl.BoolVar(&f.submit, "submit", false, "hand the report to the router")
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
	if f.submit && report.Verdict != contracts.Inconclusive {
		if err := publish(cmd, env, raw); err != nil {
			return err
		}
	}
	return verdictExit(report.Verdict)
}

// check refuses what can't be done before anything is called.
func (f *conformanceFlags) check(cmd *cobra.Command) (*printer, error) {
	if f.options.Mode != conformance.Quick && f.options.Mode != conformance.Certify {
		return nil, exitf(exitUsage, "--mode %q is unknown; choose quick or certify", f.options.Mode)
	}
	if f.submit && f.tape.replay != "" {
		return nil, exitf(exitUsage, "a replay is no evidence, so no router takes it; leave out --submit or --replay")
	}
	if err := errors.Join(f.tape.check(cmd), f.reports.check()); err != nil {
		return nil, err
	}
	return newPrinter(cmd)
}

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
