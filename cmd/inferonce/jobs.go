package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

func newJobsCmd(env lookup) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "jobs",
		Short: "List, read, watch and cancel your jobs",
		Long: `jobs shows the jobs of the API key's owner. A job is the record of one intent,
with every attempt at it.`,
		Example: `  inferonce jobs list --state unknown
  inferonce jobs watch job_3f01k`,
	}, newJobsListCmd(env), newJobsGetCmd(env), newJobsCancelCmd(env), newJobsWatchCmd(env))
	addClientFlags(cmd)
	return cmd
}

// connect makes what every client command begins with.
func connect(cmd *cobra.Command, env lookup) (*printer, *client, error) {
	p, err := newPrinter(cmd)
	if err != nil {
		return nil, nil, err
	}
	c, err := newClient(cmd, env)
	return p, c, err
}

func newJobsListCmd(env lookup) *cobra.Command {
	var page listFlags
	var state string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your jobs, newest first",
		Long: `list shows the owner's jobs, newest first. Jobs that ended are kept for the
retention time only.`,
		Example: `  inferonce jobs list
  inferonce jobs list --state failed --limit 10
  inferonce jobs list --all -o json`,
		Args:              takes(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return listJobs(cmd, env, page, state) },
	}
	page.add(cmd)
	cmd.Flags().StringVar(&state, "state", "", "only jobs in this state: "+strings.Join(stateNames(), ", "))
	completes(cmd, "state", stateNames()...)
	return cmd
}

func stateNames() []string {
	var names []string
	for _, s := range jobstore.JobStates {
		names = append(names, string(s))
	}
	return names
}

func listJobs(cmd *cobra.Command, env lookup, page listFlags, state string) error {
	if state != "" && !slices.Contains(stateNames(), state) {
		return exitf(exitUsage, "--state takes one of %s, not %q", strings.Join(stateNames(), ", "), state)
	}
	p, c, err := connect(cmd, env)
	if err != nil {
		return err
	}
	query := url.Values{}
	if state != "" {
		query.Set("state", state)
	}
	body, l, err := page.read(cmd.Context(), c, "/v1/jobs", "after", query)
	if err != nil {
		return err
	}
	return list(p, body, l, []string{"JOB", "STATE", "CONTRACT", "KEY", "ATTEMPTS", "TARGET", "CREATED"}, func(j job) [][]string {
		return [][]string{{j.ID, string(j.State), j.Contract, j.Key, fmt.Sprint(len(j.Attempts)), j.targetOf(), at(j.Created)}}
	})
}

func newJobsGetCmd(env lookup) *cobra.Command {
	return &cobra.Command{
		Use:   "get JOB",
		Short: "Print a job and its attempts",
		Long: `get prints a job as it stands. It ends well whatever the job's state is; jobs
watch tells by its exit code.`,
		Example: `  inferonce jobs get job_3f01k
  inferonce jobs get job_3f01k -o json`,
		Args:              takes("JOB"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, c, err := connect(cmd, env)
			if err != nil {
				return err
			}
			a, err := c.do(cmd.Context(), call{method: http.MethodGet, path: jobPath(args[0])})
			if err != nil {
				return err
			}
			return p.job(a.body)
		},
	}
}

func newJobsCancelCmd(env lookup) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "cancel JOB --reason REASON",
		Short: "Give a live job up",
		Long: `cancel ends a live job without a result. A provider that is at work on it may
finish all the same, and charge for it; a late result is discarded. Cancelling
twice is the same as once. A job that ended otherwise stays as it is: exit code 6.`,
		Example:           `  inferonce jobs cancel job_3f01k --reason "the customer called instead"`,
		Args:              takes("JOB"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needFlag("reason", reason, "say why; it is kept in the record"); err != nil {
				return err
			}
			p, c, err := connect(cmd, env)
			if err != nil {
				return err
			}
			a, err := c.do(cmd.Context(), call{method: http.MethodPost, path: jobPath(args[0]) + "/cancel",
				body: object(member{"reason", quoteJSON(reason)})})
			if err != nil {
				return err
			}
			return p.job(a.body)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why; kept in the record")
	return cmd
}
