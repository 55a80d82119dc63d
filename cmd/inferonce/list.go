package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
)

// maxPage is the largest page that the API gives.
const maxPage = 200

// listing is a list as the API pages it. The items stay as they came.
type listing struct {
	Object string            `json:"object"`
	Data   []json.RawMessage `json:"data"`
	Next   *string           `json:"next"`
}

// listFlags are the flags of commands that list.
type listFlags struct {
	limit int
	all   bool
}

func (f *listFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.limit, "limit", 50, "how many at most, 1 to 200")
	cmd.Flags().BoolVar(&f.all, "all", false, "every one there is, in as many calls as it takes")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return exclusive(cmd, "limit", "all") }
}

// read reads a list from path, where cursor is the name of the parameter that
// continues a page. body is the API's answer as it came, or, with --all, one
// list of all its items.
func (f *listFlags) read(ctx context.Context, c *client, path, cursor string, query url.Values) (body []byte, l listing, err error) {
	limit := f.limit
	if f.all {
		limit = maxPage
	}
	if limit < 1 || limit > maxPage {
		return nil, l, exitf(exitUsage, "--limit takes 1 to %d; use --all for more", maxPage)
	}
	query.Set("limit", strconv.Itoa(limit))
	var items []json.RawMessage
	for {
		a, err := c.do(ctx, call{method: http.MethodGet, path: path, query: query})
		if err != nil {
			return nil, l, err
		}
		if l, err = decode[listing](a.body); err != nil {
			return nil, l, err
		}
		if !f.all {
			return a.body, l, nil
		}
		items = append(items, l.Data...)
		if l.Next == nil {
			break
		}
		query.Set(cursor, *l.Next)
	}
	l.Data = append([]json.RawMessage{}, items...)
	return l.body(), l, nil
}

func (l *listing) body() []byte {
	items := []byte("[")
	for i, item := range l.Data {
		if i > 0 {
			items = append(items, ',')
		}
		items = append(items, item...)
	}
	return object(member{"object", quoteJSON(l.Object)}, member{"data", append(items, ']')}, member{"next", []byte("null")})
}

// list prints a list: its JSON, or a row for each item. What is left is said.
func list[T any](p *printer, body []byte, l listing, head []string, row func(T) [][]string) error {
	if l.Next != nil {
		p.say("there are more; use --all")
	}
	if p.json {
		return p.raw(body)
	}
	var rows [][]string
	for _, raw := range l.Data {
		item, err := decode[T](raw)
		if err != nil {
			return err
		}
		rows = append(rows, row(item)...)
	}
	return p.table(head, rows)
}
