package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"
)

// The formats of -o.
const (
	formatTable = "table"
	formatJSON  = "json"
)

// printer writes a command's data to standard output and its talk to standard
// error, so that the data can be piped.
type printer struct {
	out, talk io.Writer
	json      bool
}

// newPrinter reads -o. Every command calls it before it does anything, so that
// a format that does not exist is refused first.
func newPrinter(cmd *cobra.Command) (*printer, error) {
	p := &printer{out: cmd.OutOrStdout(), talk: cmd.ErrOrStderr()}
	switch format, _ := cmd.Flags().GetString("output"); format {
	case formatTable:
	case formatJSON:
		p.json = true
	default:
		return nil, exitf(exitUsage, "-o takes table or json, not %q", format)
	}
	return p, nil
}

// say writes one line of talk.
func (p *printer) say(format string, args ...any) {
	fmt.Fprintln(p.talk, clean(fmt.Sprintf(format, args...)))
}

// raw writes JSON that somebody else made, byte for byte, as one line or more.
func (p *printer) raw(body []byte) error {
	_, err := p.out.Write(append(bytes.TrimRight(body, "\n"), '\n'))
	return p.failed(err)
}

// value writes v as JSON.
func (p *printer) value(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return p.failed(enc.Encode(v))
}

// table writes rows under a head, in columns.
func (p *printer) table(head []string, rows [][]string) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = orDash(clean(cell))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return p.failed(w.Flush())
}

// fields writes pairs of a name and a value, one a line; empty values are left out.
func (p *printer) fields(pairs [][2]string) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, pair := range pairs {
		if pair[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", pair[0], clean(pair[1]))
		}
	}
	return p.failed(w.Flush())
}

func (p *printer) failed(err error) error {
	if err == nil {
		return nil
	}
	return exitf(exitCouldNotRun, "write the output: %w", err)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// clean takes out of a text from elsewhere what would move the cursor, recolour
// the terminal or reorder a line. JSON output needs no such care: it is for programs.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
