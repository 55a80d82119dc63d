package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// failoverAnswer is what can-i-failover prints as JSON.
type failoverAnswer struct {
	Contract    string     `json:"contract"`
	CanFailover bool       `json:"can_failover"`
	Fallbacks   []standing `json:"fallbacks"`
}

func newCanIFailoverCmd(env lookup) *cobra.Command {
	var target string
	cmd := &cobra.Command{
		Use:   "can-i-failover CONTRACT",
		Short: "Tell whether a fallback could take over now, and why not",
		Long: `Ask the router whether any fallback of a contract's route may take over as things
are, or whether one target may. CONTRACT is name@version, or a name for its latest
version that is routed. Needs an API key with scope operate.

Exit codes: 0 yes, 1 no, 7 the contract or the target is on no route.`,
		Example: `  inferonce conformance can-i-failover ticket-triage
  inferonce conformance can-i-failover ticket-triage@1 --target llama -o json`,
		Args: takes("CONTRACT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, c, err := connect(cmd, env)
			if err != nil {
				return err
			}
			_, l, err := standings(cmd.Context(), c)
			if err != nil {
				return err
			}
			var all []standing
			for _, raw := range l.Data {
				s, err := decode[standing](raw)
				if err != nil {
					return err
				}
				all = append(all, s)
			}
			a, err := canFailover(all, args[0], target)
			if err != nil {
				return err
			}
			return printFailover(p, a)
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "ask about this fallback alone")
	addClientFlags(cmd)
	return cmd
}

// canFailover picks the fallbacks of a contract and says whether one may.
func canFailover(all []standing, contract, target string) (failoverAnswer, error) {
	ref := latest(all, contract)
	if ref == "" {
		return failoverAnswer{}, exitf(exitNotFound, "no route serves contract %s; see: inferonce eligibility list", contract)
	}
	a := failoverAnswer{Contract: ref, Fallbacks: []standing{}}
	for _, s := range all {
		if s.Contract != ref || target != "" && s.Target != target {
			continue
		}
		if !s.Fallback && target != "" {
			return a, exitf(exitNotFound, "%s is the primary of %s, not a fallback; it needs no pass", target, ref)
		}
		if s.Fallback {
			a.Fallbacks = append(a.Fallbacks, s)
			a.CanFailover = a.CanFailover || s.Eligible
		}
	}
	if target != "" && len(a.Fallbacks) == 0 {
		return a, exitf(exitNotFound, "%s is no target of the route that serves %s; see: inferonce eligibility list", target, ref)
	}
	return a, nil
}

// latest is the contract itself if it names its version, else the highest
// version of the name that a route serves; "" for none.
func latest(all []standing, contract string) string {
	var refs []string
	for _, s := range all {
		if name, _, _ := strings.Cut(s.Contract, "@"); s.Contract == contract || name == contract {
			refs = append(refs, s.Contract)
		}
	}
	if len(refs) == 0 {
		return ""
	}
	return slices.MaxFunc(refs, func(a, b string) int { return cmp.Compare(versionOf(a), versionOf(b)) })
}

func versionOf(ref string) int {
	_, v, _ := strings.Cut(ref, "@")
	n, _ := strconv.Atoi(v) // the router writes no other
	return n
}

func printFailover(p *printer, a failoverAnswer) error {
	if p.json {
		if err := p.value(a); err != nil {
			return err
		}
	} else if err := p.table([]string{"TARGET", "MAY TAKE OVER", "REASON"}, failoverRows(a)); err != nil {
		return err
	}
	switch {
	case a.CanFailover:
		return nil
	case len(a.Fallbacks) == 0:
		return exitf(exitChecksFailed, "no: the route that serves %s has no fallback", a.Contract)
	}
	return exitf(exitChecksFailed, "no: nothing may take over for %s", a.Contract)
}

func failoverRows(a failoverAnswer) (rows [][]string) {
	for _, s := range a.Fallbacks {
		rows = append(rows, []string{s.Target, map[bool]string{true: "yes", false: "no"}[s.Eligible], fmt.Sprint(s.Reason)})
	}
	return rows
}
