package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

func newEligibilityCmd(env lookup) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "eligibility",
		Short: "See and switch which targets may take over",
		Long: `eligibility is for operators. A target may take over for a contract only while
it has a valid conformance record for that state of the contract and nobody has
switched it off. Every change is kept with who made it and why. Needs an API key
with scope operate.`,
		Example: `  inferonce eligibility list
  inferonce eligibility disable llama ticket-triage --reason "wrong teams since noon"`,
	}, newEligibilityListCmd(env), newSwitchCmd(env, "enable"), newSwitchCmd(env, "disable"), newHistoryCmd(env))
	addClientFlags(cmd)
	return cmd
}

// standing is one pair of a target and a contract, as the API words it.
type standing struct {
	Target   string                `json:"target"`
	Contract string                `json:"contract"`
	State    string                `json:"state"`
	Fallback bool                  `json:"fallback"`
	Eligible bool                  `json:"eligible"`
	Reason   string                `json:"reason"`
	Version  int64                 `json:"version"`
	Renew    *time.Time            `json:"renew_from"`
	Record   *jobstore.Eligibility `json:"record"`
}

func newEligibilityListCmd(env lookup) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List who may take over for what, and why not",
		Long: `list shows every pair of a target and a contract that a route names, when its pass
expires and from when on to renew it. With -o json it shows all that is on record
of the pass: what was run, where, under which fingerprint, and with what bounds.`,
		Example: `  inferonce eligibility list
  inferonce eligibility list -o json`,
		Args:              takes(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, c, err := connect(cmd, env)
			if err != nil {
				return err
			}
			body, l, err := standings(cmd.Context(), c)
			if err != nil {
				return err
			}
			return list(p, body, l, []string{"TARGET", "CONTRACT", "ELIGIBLE", "VERSION", "STATE", "EXPIRES", "RENEW FROM", "REASON"}, standingRow)
		},
	}
}

func standings(ctx context.Context, c *client) ([]byte, listing, error) {
	a, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/eligibility"})
	if err != nil {
		return nil, listing{}, err
	}
	l, err := decode[listing](a.body)
	return a.body, l, err
}

func standingRow(s standing) [][]string {
	expires, renew := "", ""
	if s.Renew != nil {
		renew = at(*s.Renew)
	}
	if s.Record != nil && s.Record.Proof != nil {
		expires = at(s.Record.Proof.Expires)
	}
	return [][]string{{s.Target, s.Contract, map[bool]string{true: "yes", false: "no"}[s.Eligible], fmt.Sprint(s.Version), s.State, expires, renew, s.Reason}}
}
