package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"inferonce/configs"
)

func newConfigCmd(env lookup) *cobra.Command {
	return group(&cobra.Command{
		Use:   "config",
		Short: "Check and read a configuration file",
		Long: `config works on the file alone: nothing is connected to. Variables that the file
names must be set.`,
		Example: `  inferonce config check router.yaml
  inferonce config show router.yaml`,
	}, newConfigCheckCmd(env), newConfigShowCmd(env))
}

// checkResult is what config check prints as JSON.
type checkResult struct {
	File     string            `json:"file"`
	Valid    bool              `json:"valid"`
	Problems []configs.Problem `json:"problems"`
}

func newConfigCheckCmd(env lookup) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Find every fault of a configuration",
		Long: `check prints every fault of a configuration with its line and column and what to
do about it, also those of the contracts that its routes serve. No secret is shown.

Exit codes: 0 no fault; 3 there are some.`,
		Example: `  inferonce config check router.yaml
  inferonce config check router.yaml -o json`,
		Args: takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			cfg, problems := checkConfig(args[0], env)
			return printCheck(p, args[0], cfg, problems)
		},
	}
}

// checkConfig loads a configuration and the contracts of its routes.
func checkConfig(path string, env lookup) (*configs.Config, []configs.Problem) {
	cfg, err := configs.Load(path, env)
	if err != nil {
		if e, ok := errors.AsType[*configs.Error](err); ok {
			return nil, e.Problems
		}
		return nil, []configs.Problem{{File: path, Message: err.Error(), Fix: "correct the file"}}
	}
	catalog, found := catalogOf(cfg.Contracts)
	var problems []configs.Problem
	for _, f := range found {
		problems = append(problems, configs.Problem{File: f.File, Line: f.Line, Column: f.Column, Message: f.ID + ": " + f.Message, Fix: f.Fix})
	}
	if len(problems) > 0 {
		return cfg, problems
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Routes)) {
		if _, err := catalog.Get(cfg.Routes[name].Contract); err != nil {
			problems = append(problems, configs.Problem{File: path, Path: "routes." + name + ".contract", Message: err.Error(),
				Fix: "name one of them, or give their folder in contracts"})
		}
	}
	return cfg, problems
}

func printCheck(p *printer, path string, cfg *configs.Config, problems []configs.Problem) error {
	switch {
	case p.json:
		result := checkResult{path, len(problems) == 0, append([]configs.Problem{}, problems...)}
		if err := p.value(result); err != nil {
			return err
		}
	case len(problems) > 0:
		for _, problem := range problems {
			fmt.Fprintln(p.out, problem)
		}
	default:
		fmt.Fprintf(p.out, "%s is valid: %s, %s, %s, %s\n", path, count(len(cfg.Providers), "provider"),
			count(len(cfg.Targets), "target"), count(len(cfg.Routes), "route"), count(len(cfg.Keys), "key"))
	}
	if len(problems) > 0 {
		return exitf(exitInvalid, "%s in %s; correct them and check again", count(len(problems), "fault"), path)
	}
	return nil
}

func newConfigShowCmd(env lookup) *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "Print a configuration with every default filled in",
		Long: `show prints the configuration as a router would use it: defaults filled in,
variables expanded, secrets redacted.`,
		Example: `  inferonce config show router.yaml
  inferonce config show router.yaml -o json`,
		Args: takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			cfg, err := configs.Load(args[0], env)
			if err != nil {
				return exit(exitInvalid, err)
			}
			return showConfig(p, cfg)
		},
	}
}

func showConfig(p *printer, cfg *configs.Config) error {
	text, err := cfg.Show()
	if err != nil {
		return exit(exitCouldNotRun, err)
	}
	if p.json {
		if text, err = yaml.YAMLToJSON(text); err != nil {
			return exit(exitCouldNotRun, err)
		}
		return p.raw(text)
	}
	_, err = p.out.Write(text)
	return p.failed(err)
}
