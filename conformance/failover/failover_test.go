package failover

import (
	"slices"
	"testing"
)

// A router that does everything right passes every story, and none is left out.
func TestCorrectRouterPassesEveryStory(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	sum, err := Run(t.Context(), f.deployment(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range sum.Results {
		if r.Verdict != Passed {
			t.Errorf("%s %s: %s\n%v", r.Verdict, r.ID, r.Reason, r.Transcript)
		}
	}
	if len(sum.Results) != len(Catalog()) || !sum.OK() {
		t.Errorf("%d of %d stories, summary %d passed %d failed %d not run", len(sum.Results), len(Catalog()), sum.Passed, sum.Failed, sum.NotRun)
	}
}

// crowd is left to the correct router: what it shows beyond 50 clicks is load.
const crowd = "double-click/2000"

func withoutCrowd() (ids []string) {
	for _, s := range Catalog() {
		if s.ID != crowd {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Every flaw makes exactly the stories fail that are about it.
func TestBrokenRoutersFailTheirStories(t *testing.T) {
	for _, b := range broken {
		t.Run(string(b.flaw), func(t *testing.T) {
			t.Parallel()
			f := newFake(t, b.flaw)
			sum, err := Run(t.Context(), f.deployment(), Options{Only: withoutCrowd()})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range sum.Results {
				want := Passed
				if slices.ContainsFunc(b.fails, func(p string) bool { return Options{Only: []string{p}}.wants(r.ID) }) {
					want = Failed
				}
				if r.Verdict != want {
					t.Errorf("%s is %s, want %s: %s\n%v", r.ID, r.Verdict, want, r.Reason, r.Transcript)
				}
			}
		})
	}
}

// A story that no flaw makes fail would prove nothing.
func TestEveryStoryCanFail(t *testing.T) {
	for _, id := range withoutCrowd() {
		bites := slices.ContainsFunc(broken, func(b brokenRouter) bool { return Options{Only: b.fails}.wants(id) })
		if !bites {
			t.Errorf("no broken router fails %s", id)
		}
	}
}
