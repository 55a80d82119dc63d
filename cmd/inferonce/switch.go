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

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

// newSwitchCmd makes enable or disable.
func newSwitchCmd(env lookup, verb string) *cobra.Command {
	var reason string
	var ifVersion int64
	cmd := &cobra.Command{
		Use:   verb + " TARGET CONTRACT --reason REASON",
		Short: map[string]string{"enable": "Let a target take over again", "disable": "Keep a target from taking over"}[verb],
		Long: map[string]string{
			"enable": `enable lets a target take over for a contract again. It needs a conformance pass
that is still good; without one it is refused: exit code 6.`,
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
			return switchTarget(cmd, env, verb == "enable", args[0], args[1], reason, ifVersion)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why; kept in the audit log")
	cmd.Flags().Int64Var(&ifVersion, "if-version", 0, "the record's version that you have seen; default the current one")
	return cmd
}

func switchTarget(cmd *cobra.Command, env lookup, enable bool, target, contract, reason string, version int64) error {
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
	a, err := c.do(cmd.Context(), call{method: http.MethodPut, header: header,
		path: "/v1/eligibility/" + url.PathEscape(target) + "/" + url.PathEscape(contract),
		body: object(member{"enabled", []byte(strconv.FormatBool(enable))}, member{"reason", quoteJSON(reason)})})
	if err != nil {
		return err
	}
	return printRecord(p, a.body, version)
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
	return p.fields([][2]string{{"target", r.Target}, {"contract", r.Contract}, {"state", string(r.State)},
		{"version", fmt.Sprint(r.Version)}, {"changed", at(r.Changed)}, {"by", r.By}, {"reason", r.Reason}})
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
