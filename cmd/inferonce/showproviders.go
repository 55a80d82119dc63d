package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newProvidersCmd(env lookup) *cobra.Command {
	return group(&cobra.Command{
		Use:     "providers",
		Short:   "What each provider tells about its calls",
		Long:    `providers reads a configuration and calls nobody.`,
		Example: `  inferonce providers show --config router.yaml`,
	}, newProvidersShowCmd(env))
}

// shownProvider is a provider's error contract (R20).
type shownProvider struct {
	Provider    string            `json:"provider"`
	Kind        string            `json:"kind"`
	Lookup      string            `json:"lookup"`
	Push        string            `json:"push"`
	Cancel      string            `json:"cancel"`
	CreateToken bool              `json:"create_token"`
	MaxRun      string            `json:"max_run"`
	Duplicate   string            `json:"duplicate"`
	Operations  []reviewOperation `json:"operations"`
}

func newProvidersShowCmd(env lookup) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "show [NAME]",
		Short: "Print which calls change something, and what can be learnt of a lost one",
		Long: `show prints for each provider whether a lost call can be looked up, pushed or
cancelled, how long it can go on, what a duplicate costs, and every call that its
adapter makes with the page that says so.`,
		Example: `  inferonce providers show --config router.yaml
  inferonce providers show openai --config router.yaml -o json`,
		Args: takes("[NAME]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			c, _, built, err := loadParts(file, env)
			if err != nil {
				return err
			}
			names := sortedKeys(built)
			if len(args) == 1 {
				if built[args[0]] == nil {
					return exitf(exitNotFound, "no provider is called %q; there are %s", args[0], wordsOf(names))
				}
				names = args
			}
			var all []shownProvider
			for _, name := range names {
				t := built[name].Traits()
				s := shownProvider{name, c.Providers[name].Kind, t.Lookup, t.Push, t.Cancel, t.CreateToken, "unknown", t.Duplicate, []reviewOperation{}}
				if t.MaxRun > 0 {
					s.MaxRun = t.MaxRun.String()
				}
				for _, o := range t.Operations {
					s.Operations = append(s.Operations, reviewOperation{o.Name, o.Call, o.Changes, o.Source})
				}
				all = append(all, s)
			}
			return printProviders(p, all)
		},
	}
	cmd.Flags().StringVarP(&file, "config", "c", "inferonce.yaml", "configuration file")
	return cmd
}

func printProviders(p *printer, all []shownProvider) error {
	if p.json {
		return p.value(all)
	}
	var rows [][]string
	for _, s := range all {
		for _, o := range s.Operations {
			rows = append(rows, []string{s.Provider, s.Kind, o.Name, o.Call, fmt.Sprint(o.Changes), s.Lookup, s.Push, s.Cancel, fmt.Sprint(s.CreateToken), s.MaxRun, s.Duplicate, o.Source})
		}
	}
	return p.table([]string{"PROVIDER", "KIND", "OPERATION", "CALL", "CHANGES", "LOOK-UP", "PUSH", "CANCEL", "CREATE TOKEN", "MAX RUN", "A DUPLICATE COSTS", "SOURCE"}, rows)
}
