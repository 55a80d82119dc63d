package sim

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formats are instances of the string formats of JSON Schema (2020-12
// validation, section 7.3) that a plain word is not.
var formats = map[string]string{
	"date":                  "2026-01-15",
	"date-time":             "2026-01-15T09:30:00Z",
	"time":                  "09:30:00Z",
	"duration":              "P1D",
	"email":                 "someone@example.org",
	"idn-email":             "someone@example.org",
	"ipv4":                  "192.0.2.1",
	"ipv6":                  "2001:db8::1",
	"uri":                   "https://example.org/",
	"iri":                   "https://example.org/",
	"uuid":                  "00000000-0000-4000-8000-000000000001",
	"json-pointer":          "/text",
	"relative-json-pointer": "0",
}

// maxString and maxItems bound what a schema may ask for in one value.
const (
	maxString = 100_000
	maxItems  = 10_000
)

// text makes a string within minLength and maxLength, which count code points.
func text(s *node) (*node, error) {
	lo, hi := int(min(bound(s, "minLength", 0), maxString+1)), int(min(bound(s, "maxLength", maxString), maxString))
	if f := s.get("format").text(); formats[f] != "" {
		v := formats[f]
		if n := utf8.RuneCountInString(v); n < lo || n > hi {
			return nil, fmt.Errorf("no %s is between minLength and maxLength", f)
		}
		return stringNode(v), nil
	}
	if lo > hi {
		return nil, errors.New("no string is between minLength and maxLength")
	}
	v := "text"
	if len(v) < lo {
		v += strings.Repeat("x", lo-len(v))
	}
	return stringNode(v[:min(len(v), hi)]), nil
}

// number makes zero or what lies nearest to it within the bounds.
func number(s *node, whole bool) (*node, error) {
	lo, hi := bound(s, "minimum", math.Inf(-1)), bound(s, "maximum", math.Inf(1))
	above, below := bound(s, "exclusiveMinimum", math.Inf(-1)), bound(s, "exclusiveMaximum", math.Inf(1))
	step := bound(s, "multipleOf", 0)
	if whole && step == 0 {
		step = 1
	}
	fits := func(v float64) bool {
		return v >= lo && v <= hi && v > above && v < below && (step == 0 || math.Mod(v, step) == 0)
	}
	low, high := max(lo, above), min(hi, below)
	for _, v := range []float64{0, low, high, next(low, step), -next(-high, step), (low + high) / 2} {
		if !math.IsInf(v, 0) && fits(v) {
			return literal(strconv.FormatFloat(v, 'f', -1, 64)), nil
		}
	}
	return nil, errors.New("no number is found within the schema's bounds: give that schema examples, or an answer file")
}

// next is the first multiple of step above v; one more than v without a step.
func next(v, step float64) float64 {
	if step == 0 {
		return v + 1
	}
	return (math.Floor(v/step) + 1) * step
}

// bound returns a numeric keyword of s, or otherwise.
func bound(s *node, keyword string, otherwise float64) float64 {
	n := s.get(keyword)
	if n == nil || n.kind != '0' {
		return otherwise
	}
	v, err := strconv.ParseFloat(n.raw, 64)
	if err != nil {
		return otherwise
	}
	return v
}

// array holds the fewest items that the schema allows.
func (g *generator) array(s *node) (*node, error) {
	arr := &node{kind: '['}
	least := int(min(bound(s, "minItems", 0), maxItems+1))
	if least > maxItems || least > int(min(bound(s, "maxItems", maxItems), maxItems)) {
		return nil, fmt.Errorf("no array is made between minItems and maxItems, nor beyond %d items", maxItems)
	}
	if u := s.get("uniqueItems"); u != nil && u.kind == 't' && least > 1 {
		return nil, errors.New("no instance is made for uniqueItems: give that schema examples, or an answer file")
	}
	prefix := s.get("prefixItems").list()
	for i := range least {
		item := cmpOr(s.get("items"), literal("true"))
		if i < len(prefix) {
			item = prefix[i]
		}
		v, err := g.value(item)
		if err != nil {
			return nil, err
		}
		arr.items = append(arr.items, v)
	}
	return arr, nil
}
