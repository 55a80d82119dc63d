package conformance

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"inferonce/contracts"
)

// ground is the text of an input. What it holds, an answer may repeat: a
// message about "</s>" is rightly summed up with "</s>" in it.
type ground string

func newGround(input json.RawMessage) ground {
	var v any
	if json.Unmarshal(input, &v) != nil {
		return ""
	}
	var all strings.Builder
	eachText("", v, func(_, s string) bool { all.WriteString(s + "\n"); return true })
	return ground(all.String())
}

// stains are what gets into strings when something between the model and us
// went wrong, and never because of what was asked.
var stains = []struct {
	what string
	find *regexp.Regexp
}{
	{"a replacement character (U+FFFD)", regexp.MustCompile(`\x{FFFD}`)},
	{"an escape that was escaped twice", regexp.MustCompile(`\\u[0-9a-fA-F]{4}`)},
	{"a reasoning tag", regexp.MustCompile(`(?i)</?(?:think|thinking|reasoning)>`)},
	{"a control token of a chat template", regexp.MustCompile(`<\|[a-zA-Z_]+\|>|\[/?INST\]|<(?:start|end)_of_turn>|<[be]os>`)},
	// Behind an opening tag it is HTML's, which strikes text through.
	{"an end token", regexp.MustCompile(`^[^<]*(</s>)`)},
}

// dirt finds the first string, or key, that is not clean: its pointer and what
// it holds; "" if all are.
func dirt(v any, allowed ground) (pointer, what string) {
	eachText("", v, func(at, s string) bool {
		pointer, what = at, stainIn(s, allowed)
		return what == ""
	})
	if what == "" {
		pointer = ""
	}
	return pointer, what
}

func stainIn(s string, allowed ground) string {
	for _, st := range stains {
		for _, found := range st.find.FindAllStringSubmatch(s, -1) {
			if token := found[len(found)-1]; !strings.Contains(string(allowed), token) {
				return st.what
			}
		}
	}
	for _, r := range s {
		layout := r == '\t' || r == '\n' || r == '\r'
		if unicode.IsControl(r) && !layout && !strings.ContainsRune(string(allowed), r) {
			return "a control character"
		}
	}
	return ""
}

// eachText visits every string and key of a decoded value, keys in order,
// until visit returns false.
func eachText(pointer string, v any, visit func(pointer, s string) bool) bool {
	switch v := v.(type) {
	case string:
		return visit(pointer, v)
	case []any:
		for i, item := range v {
			if !eachText(pointer+"/"+strconv.Itoa(i), item, visit) {
				return false
			}
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			if !visit(pointer, k) || !eachText(contracts.PointerTo(pointer, k), v[k], visit) {
				return false
			}
		}
	}
	return true
}

// nearest returns the listed text that got is most likely meant to be: the same
// but for case and separators, else the one with the fewest edits, if those are
// fewer than half of it; "" if none is near.
func nearest(got string, listed []string) string {
	best, fewest := "", 0
	for _, l := range listed {
		if plainWord(l) == plainWord(got) {
			return l
		}
		if d := edits(plainWord(l), plainWord(got)); 2*d < utf8.RuneCountInString(l) && (best == "" || d < fewest) {
			best, fewest = l, d
		}
	}
	return best
}

func plainWord(s string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(s))
}

// maxEdits bounds the comparison, since a model chose one of the texts.
const maxEdits = 64

// edits is the Levenshtein distance of the beginnings of a and b.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), maxEdits)], y[:min(len(y), maxEdits)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
