package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"inferonce/contracts"
)

func newContractsCmd(lookup) *cobra.Command {
	return group(&cobra.Command{
		Use:   "contracts",
		Short: "Check and read contract files",
		Long: `contracts works on files, without a router. A contract is one versioned YAML file:
the prompt, what goes in, what may come out, and the cases that prove a target.`,
		Example: `  inferonce contracts lint ./contracts
  inferonce contracts show ticket-triage`,
	}, newContractsLintCmd(), newContractsShowCmd())
}

// lintResult is what contracts lint prints as JSON.
type lintResult struct {
	Files    []string            `json:"files"`
	Findings []contracts.Finding `json:"findings"`
}

func newContractsLintCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [PATH...]",
		Short: "Find the faults of contract files",
		Long: `lint reads contract files and folders of them, and prints every fault with its
file, line and column and what to do about it. It checks that the schemas compile
and mean what they say, that the prompt uses what the input has, and that the cases
tell a wrong answer from a right one. Without a path it checks the built-in samples.

Exit codes: 0 no fault; 3 there are some.`,
		Example: `  inferonce contracts lint
  inferonce contracts lint ./contracts
  inferonce contracts lint triage.yaml notify.yaml -o json`,
		Args: takes("[PATH...]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			result, err := lint(args)
			if err != nil {
				return err
			}
			return printLint(p, result)
		},
	}
}

func lint(paths []string) (lintResult, error) {
	result := lintResult{Files: []string{}, Findings: []contracts.Finding{}}
	sources := []source{samples()}
	if len(paths) > 0 {
		sources = nil
	}
	for _, path := range paths {
		s, err := sourceAt(path)
		if err != nil {
			return result, err
		}
		sources = append(sources, s)
	}
	for _, s := range sources {
		files, findings := s.lint()
		result.Files = append(result.Files, files...)
		result.Findings = append(result.Findings, findings...)
	}
	return result, nil
}

func printLint(p *printer, r lintResult) error {
	if p.json {
		if err := p.value(r); err != nil {
			return err
		}
	} else {
		for _, f := range r.Findings {
			fmt.Fprintln(p.out, clean(f.Error()))
		}
	}
	if n := len(r.Findings); n > 0 {
		return exitf(exitInvalid, "%s in %s; correct them and run it again", count(n, "fault"), count(len(r.Files), "file"))
	}
	p.say("%s, no fault", count(len(r.Files), "file"))
	return nil
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
