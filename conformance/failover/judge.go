package failover

import (
	"context"
	"net/http"
	"slices"
)

// judge holds every job of the story against the rule, when its calls are over.
func (w *World) judge() {
	for _, in := range w.intents {
		w.api.key = in.APIKey
		ran := w.Ended(in.Ref)
		w.result.Ledger = append(w.result.Ledger, ran...)
		*w.told = append(*w.told, ranAs{w.result.ID, in.Ref, len(ran)})
		jobs := []string{}
		if in.Job != "" {
			jobs = append(jobs, in.Job)
		}
		for _, e := range ran {
			if e.Job != "" && !slices.Contains(jobs, e.Job) {
				jobs = append(jobs, e.Job)
			}
		}
		w.Check(len(jobs) <= 1, "one intent is one job (%d found)", len(jobs))
		for _, id := range jobs {
			j, _ := w.Get(id)
			breaches := Breaches(j, ran, in.Contract.Name == w.d.Race.Name)
			w.Check(len(breaches) == 0, "no execution too many %v", breaches)
			for n, times := range perAttempt(ran) {
				w.Check(times == 1, "attempt %d is one request on the wire (%d found)", n, times)
			}
		}
	}
}

// tidy clears up: no job of the story is left live.
func (w *World) tidy(ctx context.Context) {
	w.calmDown(ctx, w.Primary(), w.Fallback())
	for _, in := range w.intents {
		if in.Job == "" {
			continue
		}
		w.api.key = in.APIKey
		if a := w.api.do(ctx, request{method: http.MethodGet, path: "/v1/jobs/" + in.Job}); a.Job != nil && a.Job.Live() {
			w.api.do(ctx, request{method: http.MethodPost, path: "/v1/jobs/" + in.Job + "/cancel", body: []byte(`{"reason":"end of a failover story"}`)})
		}
	}
}

// ranAs is how often providers were called for an intent, when its story was over.
type ranAs struct {
	story, ref string
	calls      int
}

var nothingLater = Story{
	ID:     "afterwards/nothing-ran-later",
	Title:  "no provider was called for an intent after its story was over",
	Proves: []string{"R6", "R11", "R28"},
	Asks:   "nothing: the ledger is read once more for every intent of the stories before",
	Run: func(w *World) {
		for _, before := range *w.told {
			if ran := w.Ran(before.ref); len(ran) != before.calls {
				w.Check(false, "%s: %d calls when it was over, %d now", before.story, before.calls, len(ran))
			}
		}
		w.Check(true, "%d intents were looked at again", len(*w.told))
	},
}
