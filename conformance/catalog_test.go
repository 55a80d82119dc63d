package conformance

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryCheckSaysWhatItIs(t *testing.T) {
	id := regexp.MustCompile(`^(ENV|STR|SEM|PAR|TOOL)-\d\d$`)
	seen := map[string]bool{}
	for _, c := range Catalog() {
		if !id.MatchString(c.ID) || seen[c.ID] || c.Says == "" || !strings.HasPrefix(c.Proves, "R") ||
			!slices.Contains([]Class{Hard, Statistical, Capability, Advisory}, c.Class) || (c.run == nil) == (c.set == nil) {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
	for _, want := range []string{"ENV-01", "ENV-02", "ENV-03", "ENV-04", "ENV-06", "ENV-07", "STR-01", "STR-02", "STR-03", "STR-04",
		"STR-05", "STR-06", "STR-07", "STR-08", "STR-09", "SEM-01", "SEM-05", "SEM-07", "SEM-08",
		"TOOL-01", "TOOL-02", "TOOL-03", "TOOL-04", "TOOL-05", "TOOL-06", "TOOL-08"} {
		if !seen[want] {
			t.Errorf("%s is missing", want)
		}
	}
}

// Every check of one run has a lie that only it can find.
func TestEveryCheckOfAnAnswerBites(t *testing.T) {
	bites := map[string]bool{}
	for _, l := range liars {
		bites[l.want] = true
	}
	for _, c := range Catalog() {
		if strings.HasPrefix(c.ID, "STR-") && !bites[c.ID] {
			t.Errorf("no lie for %s", c.ID)
		}
	}
}
