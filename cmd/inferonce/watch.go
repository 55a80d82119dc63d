package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

func newJobsWatchCmd(env lookup) *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "watch JOB",
		Short: "Wait until a job has ended",
		Long: `watch reads a job again and again, as often as the router asks for, says on
standard error what changes, and prints the job when it has ended. An unknown job
is watched on, since a late answer or an operator may end it; --timeout bounds that.

Exit codes: 0 the job succeeded; 1 it failed or was cancelled; 5 it had not ended
when watching ended.`,
		Example: `  inferonce jobs watch job_3f01k
  inferonce jobs watch job_3f01k --timeout 5m -o json`,
		Args:              takes("JOB"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return exitf(exitUsage, "--timeout takes a duration such as 5m, not below 0")
			}
			p, c, err := connect(cmd, env)
			if err != nil {
				return err
			}
			return watch(cmd.Context(), p, c, args[0], limit)
		},
	}
	cmd.Flags().DurationVar(&limit, "timeout", 0, "watch for this long at most; default until it has ended")
	return cmd
}

func watch(ctx context.Context, p *printer, c *client, id string, limit time.Duration) error {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	a, err := c.follow(ctx, p, id, func(s jobstore.JobState) bool { return !s.Live() })
	if err != nil {
		return err
	}
	if a == nil {
		return exitf(exitInconclusive, "job %s could not be read in time; try again", id)
	}
	if err := p.job(a.body); err != nil {
		return err
	}
	j, err := decode[job](a.body)
	if err != nil {
		return err
	}
	return jobExit(&j)
}
