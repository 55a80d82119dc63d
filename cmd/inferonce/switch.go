package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

// newSwitchCmd makes enable or disable.
func newSwitchCmd(env lookup, verb string) *cobra.Command {
	var reason string
	var ifVersion int64
	var override string
	cmd := &cobra.Command{
		Use:   verb + " TARGET CONTRACT --reason REASON",
		Short: map[string]string{"enable": "Let a target take over again", "disable": "Keep a target from taking over"}[verb],
		Long: map[string]string{
			"enable": `enable lets a target take over for a contract again. It needs a conformance pass
that is still good; without one it is refused: exit code 6.

--override takes the place of the pass, for 72 hours at most, and ends by itself:
a time such as 24h from now on, or a point in time such as 2026-01-15T12:00:00Z.`,
			"disable": `disable keeps a target from taking over for a contract, at once and until
somebody enables it; a conformance pass alone does not. Attempts under way go on.`,
		}[verb] + `

Without --if-version the current version is read first. With it, the switch holds
only if nobody has changed the record since; exit code 6 says that somebody has.
Doing it twice changes nothing the second time.`,
		Example: fmt.Sprintf(`  inferonce eligibility %[1]s llama ticket-triage --reason "see incident 212"
  inferonce eligibility %[1]s llama ticket-triage@1 --reason "see incident 212" --if-version 3`, verb),
		Args:              takes("TARGET", "CONTRACT"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := needFlag("reason", reason, "say why; it is kept in the audit log"); err != nil {
				return err
			}
			until, err := overrideUntil(override, time.Now())
			if err != nil {
				return err
			}
			return switchTarget(cmd, env, verb == "enable", args[0], args[1], reason, until, ifVersion)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why; kept in the audit log")
	if verb == "enable" {
		cmd.Flags().StringVar(&override, "override", "", "enable without a valid pass, for so long or until then; at most 72h")
	}
	cmd.Flags().Int64Var(&ifVersion, "if-version", 0, "the record's version that you have seen; default the current one")
	return cmd
}

func switchTarget(cmd *cobra.Command, env lookup, enable bool, target, contract, reason, until string, version int64) error {
	p, c, err := connect(cmd, env)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("if-version") {
		if version, err = currentVersion(cmd.Context(), c, target, contract); err != nil {
			return err
		}
	}
	header, err := ifMatch(version)
	if err != nil {
		return err
	}
	members := []member{{"enabled", []byte(strconv.FormatBool(enable))}, {"reason", quoteJSON(reason)}}
	if until != "" {
		members = append(members, member{"override_until", quoteJSON(until)})
	}
	a, err := c.do(cmd.Context(), call{method: http.MethodPut, header: header,
		path: "/v1/eligibility/" + url.PathEscape(target) + "/" + url.PathEscape(contract), body: object(members...)})
	if err != nil {
		return err
	}
	return printRecord(p, a.body, version)
}

// overrideUntil reads the flag: a length of time from now on, or its end.
func overrideUntil(text string, now time.Time) (string, error) {
	if text == "" {
		return "", nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Format(time.RFC3339), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return "", exitf(exitUsage, "--override %q is no length of time; write one such as 24h, or its end such as 2026-01-15T12:00:00Z", text)
	}
	return now.Add(d).UTC().Format(time.RFC3339), nil
}

// record is a record of eligibility with its version.
type record struct {
	Version int64 `json:"version"`
	jobstore.Eligibility
}

func printRecord(p *printer, body []byte, before int64) error {
	r, err := decode[record](body)
	if err != nil {
		return err
	}
	if r.Version == before {
		p.say("nothing changed: it was %s already", r.State)
	}
	if p.json {
		return p.raw(body)
	}
	fields := [][2]string{{"target", r.Target}, {"contract", r.Contract}, {"state", string(r.State)}}
	if r.Override != nil {
		fields = append(fields, [2]string{"override", "until " + at(r.Override.Until) + ": " + r.Override.Reason})
	}
	return p.fields(append(fields, [][2]string{
		{"version", fmt.Sprint(r.Version)}, {"changed", at(r.Changed)}, {"by", r.By}, {"reason", r.Reason}}...))
}

// currentVersion reads the version of a pair; 0 for one that has no record or
// that no route names, which the router then judges itself.
func currentVersion(ctx context.Context, c *client, target, contract string) (int64, error) {
	_, l, err := standings(ctx, c)
	if err != nil {
		return 0, err
	}
	var found []standing
	for _, raw := range l.Data {
		s, err := decode[standing](raw)
		if err != nil {
			return 0, err
		}
		name, _, _ := strings.Cut(s.Contract, "@")
		if s.Target == target && (s.Contract == contract || name == contract) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	// A name alone means the newest version.
	return slices.MaxFunc(found, func(a, b standing) int { return cmp.Compare(contractVersion(a), contractVersion(b)) }).Version, nil
}

func contractVersion(s standing) int {
	_, text, _ := strings.Cut(s.Contract, "@")
	n, _ := strconv.Atoi(text)
	return n
}
