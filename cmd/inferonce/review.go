package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/providers"
)

const formatMarkdown = "md"

func newReviewCmd(env lookup) *cobra.Command {
	var file, failOn string
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Print every external call, write and webhook, and what is missing",
		Long: `review reads a configuration and prints every external call with its limits,
retryable errors and what a duplicate costs, every write with its protection and
what follows when its answer is lost, the webhooks, and last what is missing, the
gravest first. Nothing is connected to; what could not be seen is said.
Beside table and json, -o takes md.

Exit codes: 0 printed; 1 a risk of the rank of --fail-on or graver; 3 the
configuration or a contract is invalid.`,
		Example: `  inferonce review --config router.yaml
  inferonce review --config router.yaml -o md
  inferonce review --config router.yaml --fail-on high`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if failOn != "" && !slices.Contains(ranks(), failOn) {
				return exitf(exitUsage, "--fail-on takes one of %s, not %q", strings.Join(ranks(), ", "), failOn)
			}
			return runReview(cmd, env, file, failOn)
		},
	}
	cmd.Flags().StringVarP(&file, "config", "c", "inferonce.yaml", "configuration file")
	cmd.Flags().StringVar(&failOn, "fail-on", "", "end with 1 if something of this rank or graver is missing: high, medium or low")
	completes(cmd, "fail-on", ranks()...)
	return cmd
}

// ranks lists the ranks of risks, the gravest first.
func ranks() []string { return []string{riskHigh, riskMedium, riskLow} }

func runReview(cmd *cobra.Command, env lookup, file, failOn string) error {
	p := &printer{out: cmd.OutOrStdout(), talk: cmd.ErrOrStderr()}
	markdown := false
	if format, _ := cmd.Flags().GetString("output"); format == formatMarkdown {
		markdown = true
	} else {
		var err error
		if p, err = newPrinter(cmd); err != nil {
			return err
		}
	}
	c, catalog, built, err := loadParts(file, env)
	if err != nil {
		return err
	}
	r, err := buildReview(c, catalog, traitsOf(built))
	if err != nil {
		return exit(exitInvalid, err)
	}
	switch {
	case p.json:
		err = p.value(r)
	default:
		err = p.review(r, markdown)
	}
	if err != nil {
		return err
	}
	return tooRisky(r, failOn)
}

// loadParts loads a configuration with its contracts and builds its providers. It calls nobody.
func loadParts(file string, env lookup) (*configs.Config, *contracts.Catalog, map[string]providers.Provider, error) {
	c, err := configs.Load(file, env)
	if err != nil {
		return nil, nil, nil, exit(exitInvalid, err)
	}
	catalog, err := loadCatalog(c.Contracts)
	if err != nil {
		return nil, nil, nil, err
	}
	built, err := newProviders(c, nil)
	return c, catalog, built, exit(exitInvalid, err)
}

func traitsOf(built map[string]providers.Provider) map[string]providers.Traits {
	out := map[string]providers.Traits{}
	for name, p := range built {
		out[name] = p.Traits()
	}
	return out
}

func tooRisky(r review, failOn string) error {
	n := 0
	for _, m := range r.Missing {
		if failOn != "" && slices.Index(ranks(), m.Rank) <= slices.Index(ranks(), failOn) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return exitf(exitChecksFailed, "%s of rank %s or graver; see what is missing", count(n, "risk"), failOn)
}

// section is a titled table of a review.
type section struct {
	title string
	head  []string
	rows  [][]string
}

func (r *review) sections() []section {
	calls := section{"External calls", []string{"ROUTE", "TARGET", "CALLS", "CONNECT", "FIRST BYTE", "ANSWER", "LISTEN", "BUDGET", "ATTEMPTS",
		"RETRYABLE", "CHANGES DATA", "A DUPLICATE COSTS", "LOOK-UP", "PUSH", "CANCEL", "ON UNKNOWN", "PRICE"}, nil}
	for _, c := range r.Calls {
		var made []string
		for _, o := range c.Calls {
			made = append(made, o.Call)
		}
		calls.rows = append(calls.rows, []string{c.Route, c.Target + " (" + c.Role + ")", wordsOf(made), c.Connect, c.FirstByte, c.Answer, c.Listen, c.Budget,
			fmt.Sprint(c.Attempts), wordsOf(c.Retryable), fmt.Sprint(c.Changes), c.Duplicate, c.Lookup, c.Push, c.Cancel, c.OnUnknown, c.Price})
	}
	writes := section{"Writes", []string{"SCRIPT", "CHANGES", "PROTECTION", "IF THE ANSWER IS LOST"}, nil}
	for _, w := range r.Writes {
		writes.rows = append(writes.rows, []string{w.Script, w.Changes, w.Protection, w.Lost})
	}
	hooks := section{"Webhooks", []string{"DIRECTION", "CONFIGURED", "DETAIL"}, nil}
	for _, h := range r.Webhooks {
		hooks.rows = append(hooks.rows, []string{h.Direction, fmt.Sprint(h.Configured), h.Detail})
	}
	unseen := section{"Not checked", []string{"WHAT"}, nil}
	for _, u := range r.Unchecked {
		unseen.rows = append(unseen.rows, []string{u})
	}
	lacks := section{"What is missing", []string{"RISK", "WHERE", "LACKS", "BECAUSE", "FIX"}, nil}
	for _, m := range r.Missing {
		lacks.rows = append(lacks.rows, []string{m.Rank, m.Where, m.Lacks, m.Because, m.Fix})
	}
	return []section{calls, writes, hooks, unseen, lacks}
}

func (p *printer) review(r review, markdown bool) error {
	for i, s := range r.sections() {
		if markdown {
			fmt.Fprintf(p.out, "## %s\n\n", s.title)
			markdownTable(p.out, s.head, s.rows)
			continue
		}
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		fmt.Fprintln(p.out, s.title)
		if err := p.table(s.head, s.rows); err != nil {
			return err
		}
	}
	return nil
}

func markdownTable(w io.Writer, head []string, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(w, "| %s ", strings.ReplaceAll(orDash(clean(c)), "|", `\|`))
		}
		fmt.Fprintln(w, "|")
	}
	line(head)
	fmt.Fprintln(w, strings.Repeat("|---", len(head))+"|")
	for _, row := range rows {
		line(row)
	}
	fmt.Fprintln(w)
}
