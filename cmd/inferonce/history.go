package main

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"inferonce/jobstore"
)

func newHistoryCmd(env lookup) *cobra.Command {
	var page listFlags
	var verify bool
	cmd := &cobra.Command{
		Use:   "history",
		Short: "List every change of eligibility, newest first",
		Long: `history shows the audit log: who changed what, when and why.

--verify reads all of it and checks that it is whole: each entry holds the hash of
the one before it, so that an edited or removed entry shows. It prints how far back
the log reaches and the hash of its newest entry; kept elsewhere, that hash also
shows whether the whole log was written anew.

Exit code: 1 the log is not whole; the first entry that does not fit is named.`,
		Example: `  inferonce eligibility history
  inferonce eligibility history --all -o json
  inferonce eligibility history --verify`,
		Args:              takes(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, c, err := connect(cmd, env)
			if err != nil {
				return err
			}
			if verify {
				return verifyHistory(cmd.Context(), p, c)
			}
			body, l, err := page.read(cmd.Context(), c, "/v1/audit", "before", url.Values{})
			if err != nil {
				return err
			}
			return list(p, body, l, []string{"AT", "BY", "ACTION", "TARGET", "CONTRACT", "FROM", "TO", "REASON"}, auditRow)
		},
	}
	page.add(cmd)
	cmd.Flags().BoolVar(&verify, "verify", false, "check that no entry was edited or removed")
	listOnly := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		return cmp.Or(listOnly(cmd, args), exclusive(cmd, "limit", "verify"), exclusive(cmd, "all", "verify"))
	}
	return cmd
}

func auditRow(e jobstore.AuditEntry) [][]string {
	return [][]string{{at(e.At), e.By, e.Action, e.Target, e.Contract, string(e.From), string(e.To), e.Reason}}
}

// auditPage is a page of the log with the head of its chain.
type auditPage struct {
	Data []jobstore.AuditEntry `json:"data"`
	Next *string               `json:"next"`
	Head jobstore.AuditHead    `json:"head"`
}

// wholeHistory reads all pages. The head is the first page's: what is written
// meanwhile belongs to neither.
func wholeHistory(ctx context.Context, c *client) (log []jobstore.AuditEntry, head jobstore.AuditHead, err error) {
	query := url.Values{"limit": {strconv.Itoa(maxPage)}}
	for first := true; ; first = false {
		a, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/audit", query: query})
		if err != nil {
			return nil, head, err
		}
		page, err := decode[auditPage](a.body)
		if err != nil {
			return nil, head, err
		}
		if first {
			head = page.Head
		}
		log = append(log, page.Data...)
		if page.Next == nil {
			return log, head, nil
		}
		query.Set("before", *page.Next)
	}
}

// verification is what history --verify prints as JSON.
type verification struct {
	Whole   bool   `json:"whole"`
	Entries int    `json:"entries"`          // that fit
	From    int64  `json:"from"`             // number of the oldest one there
	Since   string `json:"since,omitempty"`  // when that was written
	Before  int    `json:"before_chain"`     // older ones without a hash
	Head    string `json:"head"`             // hash of the newest
	Broken  string `json:"broken,omitempty"` // id of the first that does not fit
	Reason  string `json:"reason,omitempty"`
}

func verifyHistory(ctx context.Context, p *printer, c *client) error {
	log, head, err := wholeHistory(ctx, c)
	if err != nil {
		return err
	}
	span, broken := jobstore.CheckChain(log, head)
	v := verification{Whole: broken == nil, Entries: span.Entries, From: span.From, Before: span.Before, Head: head.Hash}
	if span.Entries > 0 {
		v.Since = at(span.Since)
	}
	if broken != nil {
		v.Reason = broken.Error()
	}
	if e, ok := broken.(*jobstore.ChainError); ok {
		v.Broken = e.Entry
	}
	if err := printVerification(p, v); err != nil {
		return err
	}
	if broken != nil {
		return exitf(exitChecksFailed, "the audit log is not whole: %w", broken)
	}
	return nil
}

func printVerification(p *printer, v verification) error {
	if p.json {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return p.raw(raw)
	}
	reaches := "the first change"
	if v.From > 1 {
		reaches = "change number " + strconv.FormatInt(v.From, 10) + "; older ones were trimmed"
	}
	if v.Entries == 0 {
		reaches = "nothing"
	}
	return p.fields([][2]string{{"whole", map[bool]string{true: "yes", false: "no"}[v.Whole]}, {"entries", strconv.Itoa(v.Entries)},
		{"reaches back to", reaches}, {"since", v.Since}, {"before the chain", strconv.Itoa(v.Before)}, {"head", v.Head}})
}
