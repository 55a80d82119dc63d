package main

import "github.com/spf13/cobra"

// lookup reads an environment variable.
type lookup = func(string) (string, bool)

func newRootCmd(env lookup) *cobra.Command {
	root := &cobra.Command{
		Use:   "inferonce",
		Short: "An inference router that never runs an intent twice",
		Long: `inferonce makes one job of an intent, tries providers as attempts under it, and
lets exactly one result win. A timeout is unknown, never failed, and a fallback
must prove itself before it may take over.`,
		Example: `  inferonce dev                        a router with simulated providers, nothing to install
  inferonce demo                       the main job on real tickets, with everything going wrong
  inferonce serve --config router.yaml the router
  inferonce verify                     the failover stories, against a router started for them`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().StringP("output", "o", "table", "what to print on standard output: table or json")
	completes(root, "output", formatTable, formatJSON)
	root.AddCommand(commands(env)...)
	return root
}
