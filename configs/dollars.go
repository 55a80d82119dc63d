package configs

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Dollars is an amount of money in micro-USD, a millionth of a dollar. In the
// file it is written in dollars, as a number or in quotes: 0.15 or "0.15". It is
// read digit by digit and is exact.
type Dollars int64

// String returns the form of the file.
func (m Dollars) String() string {
	text := strconv.FormatInt(int64(m)/microDollars, 10)
	part := strings.TrimRight(strconv.FormatInt(int64(m)%microDollars+microDollars, 10)[1:], "0")
	if part == "" {
		return text
	}
	return text + "." + part
}

// MarshalText returns String.
func (m Dollars) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

const microDollars = 1_000_000

var dollars = regexp.MustCompile(`^([0-9]{1,9})(?:\.([0-9]{1,6}))?$`)

func parseDollars(text string) (Dollars, bool) {
	parts := dollars.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	whole, _ := strconv.ParseInt(parts[1], 10, 64) // at most nine digits
	part, _ := strconv.ParseInt((parts[2] + "000000")[:6], 10, 64)
	return Dollars(whole*microDollars + part), true
}

func (d *decoder) decodeDollars(n ast.Node, p *Dollars, path string) {
	const want, fix = "an amount in dollars", "write digits with up to six decimals, such as 0.15"
	var text string
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		text = n.GetToken().Value // as it stands in the file, before anybody made a float of it
	default:
		if _, ok := literal(n); !ok {
			d.wrongType(n, path, want, fix)
			return
		}
		var ok bool
		if text, ok = d.text(n, path, want); !ok {
			return
		}
	}
	m, ok := parseDollars(text)
	d.show(path)
	if !ok {
		d.report(d.values[path], path, "not "+want, fix)
		return
	}
	*p = m
}
