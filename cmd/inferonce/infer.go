package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

func newInferCmd(env lookup) *cobra.Command {
	var f inferFlags
	cmd := &cobra.Command{
		Use:   "infer CONTRACT (--input JSON | --text TEXT)",
		Short: "Make one intent a job and wait for its result",
		Long: `infer hands an intent to the router, which makes one job of it, and prints the job.

The idempotency key names the event, such as an order number. The same key with
the same input gets the same job, however often it is asked: nothing runs twice.
Without --key one is made up and printed, so that this very call can be repeated;
give your own key where a repeat may come from elsewhere. With --derive-key none is
sent, and a contract with an identity makes it of the input.

CONTRACT is a name, which means its newest version, or name@version.

Exit codes: 0 the job succeeded, or was accepted with --async; 1 it failed or was
cancelled; 5 it is not finished, or its outcome is unknown, and the same command
with the same key may be run again; 6 the key stands for another input; 7 there
is no such contract.`,
		Example: `  inferonce infer ticket-triage --text "My card has not arrived."
  inferonce infer ticket-triage --input @ticket.json --key order-8841 --wait 1m
  inferonce infer ticket-triage@1 --input - --async -o json < ticket.json`,
		Args:              takes("CONTRACT"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return infer(cmd, env, args[0], f) },
	}
	addClientFlags(cmd)
	cmd.Flags().StringVar(&f.input, "input", "", "the input: JSON, @FILE, or - for standard input")
	cmd.Flags().StringVar(&f.text, "text", "", `short for --input {"text": …}`)
	cmd.Flags().StringVar(&f.key, "key", "", "idempotency key: a name of the event, 1 to 255 visible ASCII characters")
	cmd.Flags().BoolVar(&f.derive, "derive-key", false, "leave the idempotency key to the contract, which makes it of the input")
	cmd.Flags().DurationVar(&f.wait, "wait", 20*time.Second, "how long to wait for the result")
	cmd.Flags().DurationVar(&f.budget, "budget", 0, "how long the job may go on starting attempts; default the route's")
	cmd.Flags().BoolVar(&f.async, "async", false, "don't wait for the result")
	return cmd
}

func infer(cmd *cobra.Command, env lookup, contract string, f inferFlags) error {
	p, err := newPrinter(cmd)
	if err != nil {
		return err
	}
	in, err := f.call(cmd, contract)
	if err != nil {
		return err
	}
	c, err := newClient(cmd, env)
	if err != nil {
		return err
	}
	repeat := "--derive-key"
	if key := in.header[keyHeader]; key != "" {
		repeat = "--key " + key
		if f.key == "" {
			// Said before the call, so that it is known whatever becomes of us.
			p.say("idempotency key %s; to repeat this call: %s", key, repeat)
		}
	}
	begun := time.Now()
	a, err := c.do(cmd.Context(), in)
	if err != nil {
		return endedInfer(p, repeat, err)
	}
	return f.settle(cmd.Context(), c, p, a, begun)
}

// settle waits on where the router held the call open for less than --wait,
// then prints the job.
func (f *inferFlags) settle(ctx context.Context, c *client, p *printer, a answer, begun time.Time) error {
	j, err := decode[job](a.body)
	if err != nil {
		return err
	}
	if left := f.wait - time.Since(begun); j.State.Live() && left > 0 && j.State != jobstore.JobUnknown {
		ctx, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		newest, err := c.follow(ctx, p, j.ID, func(s jobstore.JobState) bool { return !s.Live() || s == jobstore.JobUnknown })
		if err != nil {
			p.say("%v", err) // the job is safe with the router; what we know of it follows
		}
		if newest != nil {
			a = *newest
		}
	}
	if err := p.job(a.body); err != nil {
		return err
	}
	if j, err = decode[job](a.body); err != nil {
		return err
	}
	if f.async && j.State.Live() && j.State != jobstore.JobUnknown {
		p.say("accepted; wait for it with: inferonce jobs watch %s", j.ID)
		return nil
	}
	return jobExit(&j)
}

// endedInfer prints the job of a problem that holds one: it ended without a
// result. Where the call may have been taken, it says how to find out.
func endedInfer(p *printer, repeat string, err error) error {
	if failed, ok := errors.AsType[*problem](err); ok && len(failed.Job) > 0 {
		if err := p.job(failed.Job); err != nil {
			return err
		}
		return exit(exitChecksFailed, failed)
	}
	if e, ok := errors.AsType[*exitError](err); ok && e.code == exitInconclusive {
		return exitf(e.code, "%w; the same command with %s finds out and runs nothing twice", e.err, repeat)
	}
	return err
}
