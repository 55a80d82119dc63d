package contracts

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// reader turns nodes into values and collects every fault on the way, so that
// one run shows all that is wrong with a file.
type reader struct {
	faults []error
}

func (r *reader) fault(n *node, id, message, fix string) {
	r.faults = append(r.faults, &Finding{ID: id, File: n.file, Line: n.line, Column: n.column, Message: message, Fix: fix})
}

// faultAt is fault at a byte of the node's text.
func (r *reader) faultAt(n *node, offset int64, id, message, fix string) {
	line, column := n.at(offset)
	r.faults = append(r.faults, &Finding{ID: id, File: n.file, Line: line, Column: column, Message: message, Fix: fix})
}

// is says whether n is of kind k, and reports it where it is not. A missing
// node is not reported: whether it may be missing is for the caller to say.
func (r *reader) is(n *node, what string, k kind) bool {
	if n == nil || n.kind == kindFaulty {
		return false
	}
	if n.kind != k {
		r.fault(n, FileFault, fmt.Sprintf("%s is %s", what, n.kind), "write "+string(k))
	}
	return n.kind == k
}

// known reports every field of n that is not among names.
func (r *reader) known(n *node, what string, names ...string) {
	for _, f := range n.fields {
		if slices.Contains(names, f.name) {
			continue
		}
		fix := "use one of: " + strings.Join(names, ", ")
		if near := nearest(f.name, names); near != "" {
			fix = fmt.Sprintf("did you mean %q?", near)
		}
		r.fault(f.key, FileFault, fmt.Sprintf("%s has no field %q", what, f.name), fix)
	}
}

// need returns the field, and reports it where it is missing.
func (r *reader) need(n *node, what, name string) *node {
	v := n.field(name)
	if v == nil {
		r.fault(n, FileFault, fmt.Sprintf("%s lacks the field %q", what, name), "add it")
	}
	return v
}

func (r *reader) text(n *node, what string) string {
	if !r.is(n, what, kindString) {
		return ""
	}
	return n.text
}

func (r *reader) texts(n *node, what string) []string {
	var all []string
	if r.is(n, what, kindList) {
		for _, item := range n.items {
			all = append(all, r.text(item, "an entry of "+what))
		}
	}
	return all
}

func (r *reader) boolean(n *node, what string) bool {
	return r.is(n, what, kindBool) && n.text == "true"
}

// integer reads an integer of 1 to limit.
func (r *reader) integer(n *node, what string, limit int) int {
	if !r.is(n, what, kindNumber) {
		return 0
	}
	v, err := strconv.Atoi(n.text)
	if err != nil || v < 1 || v > limit {
		r.fault(n, FileFault, what+" is out of range", fmt.Sprintf("write an integer from 1 to %d", limit))
		return 0
	}
	return v
}

// number reads a number of 0 to limit; nil where it is missing.
func (r *reader) number(n *node, what string, limit float64) *float64 {
	if !r.is(n, what, kindNumber) {
		return nil
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > limit {
		r.fault(n, FileFault, what+" is out of range", fmt.Sprintf("write a number from 0 to %g", limit))
		return nil
	}
	return &v
}

// nearest returns the name that s was probably meant to be: at most every
// third of its letters differs. "" if there is none.
func nearest(s string, names []string) string {
	best, name := 1+max(1, (len(s)+2)/3), ""
	for _, n := range names {
		if d := distance(strings.ToLower(s), strings.ToLower(n)); d < best {
			best, name = d, n
		}
	}
	return name
}

// distance is the Levenshtein distance, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
