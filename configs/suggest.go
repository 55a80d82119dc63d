package configs

import (
	"slices"
	"strings"
)

// suggest returns the known word that word is most likely a slip of, "" if none is near.
func suggest(word string, known []string) string {
	best, at := "", 1+min(1+len(word)/4, 3)
	for _, k := range known {
		d := distance(strings.ToLower(word), k)
		if len(k) > 2 && strings.HasPrefix(word, k) { // warning for warn
			d = 1
		}
		if d < at {
			best, at = k, d
		}
	}
	return best
}

// didYouMean is the fix for a word that isn't among the known ones.
func didYouMean(word string, known []string) string {
	known = slices.Sorted(slices.Values(known))
	if s := suggest(word, known); s != "" && word != "" {
		return `did you mean "` + s + `"?`
	}
	if len(known) == 0 {
		return "none is defined yet; define it first"
	}
	return "known here: " + strings.Join(known, ", ")
}

// distance counts the single characters to put in, take out or change to turn
// a into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
