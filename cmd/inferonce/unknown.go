package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

func newUnknownCmd(env lookup) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "unknown",
		Short: "See and settle attempts whose outcome nobody knows",
		Long: `unknown is for operators. An attempt is unknown when its request left and no
answer came: the provider may have executed it, may be at it, or never got it.
Nothing else starts for the job until somebody who knows settles it. Needs an API
key with scope operate.`,
		Example: `  inferonce unknown list
  inferonce unknown resolve job_3f01k 1 --as not-executed --reason "absent from the provider's log"`,
	}, newUnknownListCmd(env), newUnknownResolveCmd(env))
	addClientFlags(cmd)
	return cmd
}

// unknownJob is a job with what only operators see of it.
type unknownJob struct {
	job
	Owner string `json:"owner"`
}

func newUnknownListCmd(env lookup) *cobra.Command {
	var page listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List unknown attempts of all owners, longest first",
		Long: `list shows every unknown attempt, longest first. LOOK FOR is how the provider
knows the call: its own id if it gave one, otherwise the attempt's id, which it was sent.`,
		Example: `  inferonce unknown list
  inferonce unknown list --all -o json`,
		Args:              takes(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, c, err := connect(cmd, env)
			if err != nil {
				return err
			}
			body, l, err := page.read(cmd.Context(), c, "/v1/unknown", "after", url.Values{})
			if err != nil {
				return err
			}
			head := []string{"JOB", "ATTEMPT", "TARGET", "PROVIDER", "LOOK FOR", "SINCE", "OWNER", "CONTRACT", "WHY"}
			if err := list(p, body, l, head, unknownRows); err != nil || len(l.Data) == 0 {
				return err
			}
			p.say("settle one with: inferonce unknown resolve JOB ATTEMPT --as executed|not-executed|cancelled --reason REASON")
			return nil
		},
	}
	page.add(cmd)
	return cmd
}

func unknownRows(j unknownJob) [][]string {
	var rows [][]string
	for _, a := range j.Attempts {
		if a.State != jobstore.AttemptUnknown {
			continue
		}
		look := a.Reference
		if look == "" {
			look = jobstore.AttemptID(j.ID, a.Number)
		}
		rows = append(rows, []string{j.ID, fmt.Sprint(a.Number), a.Target, a.Provider, look, at(a.UnknownSince), j.Owner, j.Contract, a.why()})
	}
	return rows
}

// resolveFlags are the flags of unknown resolve.
type resolveFlags struct {
	as, reason, result string
	ifVersion          int64
}

func newUnknownResolveCmd(env lookup) *cobra.Command {
	var f resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve JOB ATTEMPT --as OUTCOME --reason REASON",
		Short: "Settle an unknown attempt",
		Long: `resolve puts on record what became of an unknown attempt, with your reason, and
lets the job go on. Look at the provider first: what you say is believed.

  executed      it ran. With --result that is the job's result; without, the
                result is lost.
  not-executed  it never ran, so that another attempt may begin.
  cancelled     it is given up, whatever it did.

A result must keep the job's contract. With --if-version the settlement holds
only if nobody has changed the job since you read it. An attempt that is no
longer unknown stays as it is: exit code 6.`,
		Example: `  inferonce unknown resolve job_3f01k 1 --as not-executed --reason "absent from the provider's log"
  inferonce unknown resolve job_3f01k 1 --as executed --result @answer.json --reason "found in the provider's dashboard"
  inferonce unknown resolve job_3f01k 1 --as cancelled --reason "customer gone" --if-version 3`,
		Args:              takes("JOB", "ATTEMPT"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return resolve(cmd, env, args[0], args[1], f) },
	}
	cmd.Flags().StringVar(&f.as, "as", "", "what became of it: executed, not-executed or cancelled")
	cmd.Flags().StringVar(&f.reason, "reason", "", "how you know; kept in the record")
	cmd.Flags().StringVar(&f.result, "result", "", "with executed, its output: JSON, @FILE, or - for standard input")
	cmd.Flags().Int64Var(&f.ifVersion, "if-version", 0, "the job's version that you have seen; default any")
	completes(cmd, "as", "executed", "not-executed", "cancelled")
	return cmd
}

func resolve(cmd *cobra.Command, env lookup, id, number string, f resolveFlags) error {
	in, err := f.call(cmd, id, number)
	if err != nil {
		return err
	}
	p, c, err := connect(cmd, env)
	if err != nil {
		return err
	}
	a, err := c.do(cmd.Context(), in)
	if err != nil {
		return err
	}
	return p.job(a.body)
}

func (f *resolveFlags) call(cmd *cobra.Command, id, number string) (call, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return call{}, exitf(exitUsage, "ATTEMPT is the number of an attempt, such as 1; see: inferonce jobs get %s", id)
	}
	// The API and the records write it with an underscore.
	as := jobstore.As(strings.ReplaceAll(f.as, "-", "_"))
	switch as {
	case jobstore.Executed, jobstore.NotExecuted, jobstore.Cancelled:
	default:
		return call{}, exitf(exitUsage, "--as takes executed, not-executed or cancelled, not %q", f.as)
	}
	if err := needFlag("reason", f.reason, "say how you know; it is kept in the record"); err != nil {
		return call{}, err
	}
	body := []member{{"as", quoteJSON(string(as))}, {"reason", quoteJSON(f.reason)}}
	if cmd.Flags().Changed("result") {
		if as != jobstore.Executed {
			return call{}, exitf(exitUsage, "--result goes with --as executed only; leave it out")
		}
		var output json.RawMessage
		if output, err = readJSON(cmd, "result", f.result); err != nil {
			return call{}, err
		}
		body = append(body, member{"output", output})
	}
	in := call{method: http.MethodPost, body: object(body...), path: fmt.Sprintf("%s/attempts/%d/resolve", jobPath(id), n)}
	if cmd.Flags().Changed("if-version") {
		if in.header, err = ifMatch(f.ifVersion); err != nil {
			return call{}, err
		}
	}
	return in, nil
}

// ifMatch is the header that makes a change hold only for a version.
func ifMatch(version int64) (map[string]string, error) {
	if version < 0 {
		return nil, exitf(exitUsage, "--if-version takes a version of 0 or more")
	}
	return map[string]string{"If-Match": strconv.Quote(strconv.FormatInt(version, 10))}, nil
}
