package router

import (
	"strings"
	"testing"
	"time"
)

// TestABreaker plays a call per letter: b begins one, w, f and n end the oldest
// well, badly and without saying anything, W, F and N the newest; o lets OpenFor
// pass. Before the arrow stands the story, behind it the state, with "+" if a
// call is let through.
func TestABreaker(t *testing.T) {
	for says, story := range map[string]string{
		"a new breaker is closed":                                "→ closed+",
		"fewer failures than the limit change nothing":           "bf bf → closed+",
		"as many failures in a row as the limit open it":         "bf bf bf → open",
		"a success between starts the row anew":                  "bf bf bw bf bf → closed+",
		"what says nothing about the target neither":             "bf bf bn bf → open",
		"after the wait a probe is let through":                  "bf bf bf o → open+",
		"one probe at a time":                                    "bf bf bf o b → half_open",
		"a probe that does well closes it":                       "bf bf bf o bw → closed+",
		"a probe that fails opens it for another wait":           "bf bf bf o bf → open",
		"a probe that says nothing makes room for the next":      "bf bf bf o bn → half_open+",
		"a late failure from before it opened is old news":       "b bF bF bF o bF o → open+",
		"a late failure does not end a probe":                    "b bF bF bF o b f → half_open",
		"a late success from before it opened closes nothing":    "b bF bF bF w → open",
		"a late answer after it closed again does not count":     "b bF bF bF o bW bF bF f → closed+",
		"the last resort that does well is as good as a probe":   "bf bf bf bw → closed+",
		"the last resort that fails does not prolong the wait":   "bf bf bf bf o → open+",
		"a failing last resort beside a probe opens it again":    "bf bf bf o b b F → open",
		"a last resort that says nothing frees no probe's place": "bf bf bf o b bN → half_open",
	} {
		t.Run(says, func(t *testing.T) {
			moves, want, _ := strings.Cut(story, "→ ")
			now := time.Unix(1000, 0)
			b := newBreaker(BreakerRules{Failures: 3, OpenFor: time.Minute})
			var under []permit
			for _, m := range moves {
				last := len(under) - 1
				switch m {
				case 'b':
					under = append(under, b.begin(now))
				case 'o':
					now = now.Add(time.Minute)
				case 'w', 'f', 'n':
					b.end(under[0], ending(m), now)
					under = under[1:]
				case 'W', 'F', 'N':
					b.end(under[last], ending(m), now)
					under = under[:last]
				}
			}
			got := string(b.state)
			if b.lets(now) {
				got += "+"
			}
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func ending(m rune) outcome {
	switch m {
	case 'w', 'W':
		return didWell
	case 'f', 'F':
		return didBadly
	}
	return saysNothing
}

func TestABreakerThatIsOffLetsEverythingThrough(t *testing.T) {
	b := newBreaker(BreakerRules{Off: true, Failures: 1})
	now := time.Unix(1000, 0)
	for range 10 {
		b.end(b.begin(now), didBadly, now)
	}
	if !b.lets(now) || b.state != closed {
		t.Errorf("state %s", b.state)
	}
}
