package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
)

func TestEveryCheckSaysWhatItIs(t *testing.T) {
	id := regexp.MustCompile(`^(LINT|ENV|REN|STR|SEM|PAR|SSE|TOOL|ERR|STA)-\d\d$`)
	seen := map[string]bool{}
	for _, c := range Catalog() {
		if !id.MatchString(c.ID) || seen[c.ID] || c.Says == "" || !strings.HasPrefix(c.Proves, "R") ||
			!slices.Contains([]Class{Hard, Statistical, Capability, Advisory}, c.Class) || kinds(c) != 1 && (kinds(c) != 0 || c.idle == "") {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
}

func kinds(c Check) int {
	n := 0
	for _, is := range []bool{c.run != nil, c.set != nil, c.offline != nil, c.probe != nil} {
		if is {
			n++
		}
	}
	return n
}

// The ids of the suite's specification, by family.
var specified = map[string]int{"LINT": 7, "ENV": 8, "REN": 11, "STR": 10, "SEM": 8, "PAR": 6, "SSE": 6, "TOOL": 8, "ERR": 10, "STA": 5, "META": 2}

func TestCatalogue(t *testing.T) {
	unbuilt := Unbuilt()
	for family, n := range specified {
		for i := 1; i <= n; i++ {
			id := fmt.Sprintf("%s-%02d", family, i)
			at, why := find(Catalog(), id), unbuilt[id]
			if built := at >= 0 && kinds(Catalog()[at]) == 1; built == (why != "") {
				t.Errorf("%s: built %v, not built because %q", id, built, why)
			}
			delete(unbuilt, id)
		}
	}
	if len(unbuilt) > 0 {
		t.Errorf("ids that nobody specified: %v", unbuilt)
	}
}

func TestAReportHasAPlaceForStreams(t *testing.T) {
	for _, mode := range []string{Quick, Certify} {
		o := options(many(t, 20), honest)
		o.Mode = mode
		r := run(t, o)
		for i := 1; i <= specified["SSE"]; i++ {
			id := fmt.Sprintf("SSE-%02d", i)
			if got := check(t, r, id); got.Verdict != contracts.NotApplicable || got.Detail != Unbuilt()[id] || got.Detail == "" {
				t.Errorf("%s, %s: %+v", mode, id, got)
			}
		}
	}
}

// Every check of one run has a lie that only it can find. Those of chats stand in
// TestAChatRouteIsCertifiedByWhatItsCasesAsk.
func TestEveryCheckOfAnAnswerBites(t *testing.T) {
	bites := map[string]bool{}
	for _, l := range liars {
		bites[l.want] = true
	}
	for _, c := range Catalog() {
		if strings.HasPrefix(c.ID, "STR-") && c.form != inChat && !bites[c.ID] {
			t.Errorf("no lie for %s", c.ID)
		}
	}
}
