package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// takes wants exactly these arguments. A name in brackets may be left out, and
// one with dots at its end may be repeated; both stand last only.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for i, name := range names {
			if i >= len(args) && !strings.HasPrefix(name, "[") {
				return fmt.Errorf("%s is missing; usage: %s", name, cmd.UseLine())
			}
			if strings.Contains(name, "...") {
				return nil
			}
		}
		if len(args) > len(names) {
			return fmt.Errorf("unexpected argument %q; usage: %s", args[len(names)], cmd.UseLine())
		}
		return nil
	}
}

// group makes cmd a mere holder of others. Cobra would take a misspelt one for
// a wish to read the help, and end well.
func group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		hint := fmt.Sprintf("see: %s --help", cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf("did you mean: %s %s", cmd.CommandPath(), near[0])
		}
		return fmt.Errorf("%s has no command %q; %s", cmd.CommandPath(), args[0], hint)
	}
	cmd.AddCommand(children...)
	return cmd
}

// completes offers the fixed values of a flag to the shell.
func completes(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// needFlag refuses an empty value of a flag, and says what it is for.
func needFlag(name, value, why string) error {
	if strings.TrimSpace(value) != "" {
		return nil
	}
	return exitf(exitUsage, "--%s is required: %s", name, why)
}

// exclusive refuses two flags that contradict each other.
func exclusive(cmd *cobra.Command, a, b string) error {
	if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
		return exitf(exitUsage, "--%s and --%s exclude each other; use one of them", a, b)
	}
	return nil
}
