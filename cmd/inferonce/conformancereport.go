package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"inferonce/conformance"
	"inferonce/contracts"
)

func newConformanceReportCmd(env lookup) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "Print a report, or make other forms of it",
		Long: `Print the report.json of a run, make the forms of --report from it, and end as the
run did: 0 pass, 1 fail, 5 inconclusive.`,
		Example: `  inferonce conformance report conformance/report.json
  inferonce conformance report conformance/report.json --out pages --report html --previous last/report.json`,
		Args: takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			raw, r, err := readReport(args[0])
			if err != nil {
				return err
			}
			if err := f.deliver(p, env, raw, r); err != nil {
				return err
			}
			return verdictExit(r.Verdict)
		},
	}
	f.add(cmd)
	return cmd
}

func newConformanceDiffCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "Tell what changed from one report to a later one",
		Long: `Compare two reports on one contract: the verdict, the checks and the cases.

Exit codes: 0 the same or better, 1 worse, 2 the reports are not of one contract.`,
		Example: "  inferonce conformance diff last/report.json conformance/report.json",
		Args:    takes("BEFORE", "AFTER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			_, before, err := readReport(args[0])
			if err != nil {
				return err
			}
			_, after, err := readReport(args[1])
			if err != nil {
				return err
			}
			return printDiff(p, before, after)
		},
	}
}

func printDiff(p *printer, before, after contracts.Report) error {
	if before.Contract.Name != after.Contract.Name {
		return exitf(exitUsage, "the reports are on %s and %s; compare two on one contract", clean(before.Contract.Name), clean(after.Contract.Name))
	}
	d := conformance.Compare(before, after)
	if err := writeDiff(p, d); err != nil || !d.Worse {
		return err
	}
	return exitf(exitChecksFailed, "the later report is worse")
}

func writeDiff(p *printer, d conformance.Diff) error {
	if p.json {
		return p.value(d)
	}
	return p.failed(conformance.DiffText(p.out, d))
}

func newConformancePublishCmd(env lookup) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "publish FILE",
		Short: "Hand a report to the router (scope report)",
		Long: `Hand the report.json of a run to the router: a pass makes the target eligible, a
fail revokes it. The same report again changes nothing. A replayed report is refused.`,
		Example: "  INFERONCE_KEY=… inferonce conformance publish conformance/report.json --url https://router.example.com",
		Args:    takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, _, err := readReport(args[0])
			if err != nil {
				return err
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
	fmt.Fprintf(cmd.ErrOrStderr(), "%s is %s for %s: %s\n", clean(rec.Target), clean(rec.State), clean(rec.Contract), clean(rec.Reason))
	return nil
}

func newConformanceSchemaCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a report",
		Long: `Print the JSON Schema (draft 2020-12) of the JSON report. A program that reads
reports may rely on it; a change that breaks it raises schema_version.`,
		Example: "  inferonce conformance schema > report.schema.json",
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			return p.raw(contracts.ReportJSONSchema())
		},
	}
}
